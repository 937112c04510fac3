"""The first page of docs/reproduction.md: a summary whose numbers come from the stored results."""

from pathlib import Path

from experiments.datasets.titles import title_of
from experiments.methods import METHOD_ROWS, OURS
from experiments.protocol import CITATION
from experiments.report.comparison import compare, summarise
from experiments.report.headlines import (
    MAIN_TABLES,
    PAPER_ROWS,
    SIGNIFICANT,
    Headline,
    find_gamma,
    list_headlines,
)
from experiments.report.notes import read_note
from experiments.tables.table import get_table


def write_overview(results: Path) -> str:
    """Return the first page as Markdown."""
    headlines = list_headlines(results)
    return read_note(
        "overview",
        rivals=len(_list_rivals()),
        headline_table=_tabulate(headlines, results),
        counts=_count(headlines, list_headlines(results, PAPER_ROWS)),
        losses=_list_losses(headlines),
        citation_gamma=_describe_citation_gamma(results),
        win_gamma=_describe_win_gamma(headlines, results),
        drop_edge=_describe_drop_edge(headlines),
    )


def _list_rivals() -> set[str]:
    methods = {method for name in MAIN_TABLES for method in get_table(name).methods}
    return {method for method in methods if METHOD_ROWS[method].kind == "rival"}


def _tabulate(headlines: list[Headline], results: Path) -> str:
    lines = [
        "| data set | best of ours | its gamma | best rival | difference | p | ours is |",
        "|---|---|---|---|---|---|---|",
    ]
    for headline in headlines:
        gamma = find_gamma(headline.ours, headline.column.dataset, results)
        cells = (
            headline.title,
            _show(headline, headline.ours),
            "" if gamma is None else f"{gamma:g}",
            _show(headline, headline.rival),
            str(headline.difference),
            f"{headline.difference.p_value:.2g}",
            headline.verdict,
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _show(headline: Headline, method: str) -> str:
    return f"{METHOD_ROWS[method].title} {summarise(headline.runs[method])}"


def _count(headlines: list[Headline], paper: list[Headline]) -> str:
    return (
        f"The best of ours is {_count_verdicts(headlines)}. The paper's own network, LFGCN without "
        f"our additions, is {_count_verdicts(paper)}."
    )


def _count_verdicts(headlines: list[Headline]) -> str:
    verdicts = [headline.verdict for headline in headlines]
    return (
        f"significantly above the best rival in {verdicts.count('above')} of {len(verdicts)} "
        f"comparisons and significantly below it in {verdicts.count('below')}"
    )


def _list_losses(headlines: list[Headline]) -> str:
    """Return one line per comparison whose mean is below the best rival, the worst first."""
    lost = [headline for headline in headlines if headline.difference.mean < 0]
    lines = [
        f"- {headline.title}: {METHOD_ROWS[headline.ours].title} is "
        f"{-headline.difference.mean:.2f} points below {METHOD_ROWS[headline.rival].title}"
        f"{', significantly' if headline.verdict == 'below' else ''}."
        for headline in sorted(lost, key=lambda headline: headline.difference.mean)
    ]
    return "\n".join(lines) or "Nowhere in the stored results."


def _describe_citation_gamma(results: Path) -> str:
    gammas = {
        (dataset, method): gamma
        for dataset in sorted(CITATION)
        for method in OURS
        if (gamma := find_gamma(method, dataset, results)) is not None
    }
    others = sorted({title_of(dataset) for (dataset, _), gamma in gammas.items() if gamma != 1})
    if not gammas:
        return "They were not run."
    if others:
        return f"Except on {', '.join(others)}, gamma was 1 in every citation row of ours."
    return (
        "Every citation row of LFGCN and LFGCN+ ran at gamma = 1, which is the ordinary random "
        "walk. Other values were not searched there: the operator is sparse only at gamma = 1."
    )


def _describe_win_gamma(headlines: list[Headline], results: Path) -> str:
    wins = [headline for headline in headlines if headline.verdict == "above"]
    gammas = [find_gamma(headline.ours, headline.column.dataset, results) for headline in wins]
    flights = sum(gamma is not None and gamma < 1 for gamma in gammas)
    if not flights:
        return (
            f"All {len(wins)} significant wins in the table were reached at gamma = 1; none "
            "of them used a Lévy flight (gamma < 1)."
        )
    return (
        f"Of {len(wins)} significant wins in the table, {flights} used a Lévy flight (gamma < 1); "
        "the others were reached at gamma = 1."
    )


def _describe_drop_edge(headlines: list[Headline]) -> str:
    """Count how often P-DropEdge changes the accuracy of LFGCN significantly."""
    differences = [
        compare(headline.runs["lfgcn"], headline.runs["lfgcn_whole"])
        for headline in headlines
        if headline.runs.keys() >= {"lfgcn", "lfgcn_whole"}
    ]
    known = [difference for difference in differences if difference is not None]
    changed = sum(difference.p_value < SIGNIFICANT for difference in known)
    return (
        f"It changes the accuracy of LFGCN significantly in {changed} of {len(known)} comparisons "
        "with the same network on all edges."
    )
