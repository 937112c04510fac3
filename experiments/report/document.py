"""docs/reproduction.md, written from the stored results alone: summary, tables, notes."""

from pathlib import Path

from experiments.datasets.titles import title_of
from experiments.json_lines import replace_text
from experiments.methods import METHOD_ROWS
from experiments.protocol import CITATION_RUN, GRID_RUN
from experiments.report.aims import list_aims
from experiments.report.comparison import compare, summarise
from experiments.report.headlines import compare_best, read_column
from experiments.report.notes import has_note, read_note
from experiments.report.overview import write_overview
from experiments.runs import Runs
from experiments.tables.table import TABLE_NAMES, DatasetColumn, ResultTable, get_table
from experiments.tuned import search_sizes
from experiments.tuning import FINAL_SEEDS, FINALIST_EVERY

FILE_NAME = "reproduction.md"
_SPLITS = {
    "published": "published split, one initialisation per seed",
    "seeded": "one 10/20/70 split per seed",
}
_VERDICTS = {
    "above": "significantly above",
    "below": "significantly below",
    "no difference": "not significantly different from",
}


def write_document(results: Path, docs: Path) -> Path:
    """Write the page and the charts that it shows; return the page."""
    tables = [get_table(name) for name in TABLE_NAMES]
    lines = [write_overview(results), "", *list_aims(results), "# Tables", ""]
    for table in tables:
        lines += _list_table(table, results)
    lines += ["# Notes", "", *_list_notes(tables)]
    for table in tables:
        _write_charts(table, results, docs / "images")
    page = docs / FILE_NAME
    replace_text(page, "\n".join(lines).rstrip() + "\n")
    return page


def _write_charts(table: ResultTable, results: Path, images: Path) -> None:
    if table.draw is not None:
        images.mkdir(parents=True, exist_ok=True)
        for name, chart in table.draw(results).items():
            replace_text(images / name, chart)


def _list_notes(tables: list[ResultTable]) -> list[str]:
    lines = ["## Protocol", "", _read_protocol(), ""]
    for table in tables:
        if has_note(table.name):
            lines += [f"## Notes on: {table.title}", "", read_note(table.name), ""]
    return [*lines, "## Notes on: rivals written here", "", read_note("rivals"), ""]


def _read_protocol() -> str:
    return read_note(
        "protocol",
        finalist_every=FINALIST_EVERY,
        final_seeds=len(FINAL_SEEDS),
        one_round=2 * FINALIST_EVERY,
        grid_epochs=GRID_RUN["epochs"],
        grid_patience=GRID_RUN["patience"],
        citation_epochs=CITATION_RUN["epochs"],
        citation_patience=CITATION_RUN["patience"],
    )


def _list_table(table: ResultTable, results: Path) -> list[str]:
    lines = [f"## {table.title}", ""]
    if table.render is not None:
        lines += table.render(results)
    for column in table.columns:
        lines += _list_column(table, column, results)
    return lines


def _list_column(table: ResultTable, column: DatasetColumn, results: Path) -> list[str]:
    lines = [f"### {title_of(column.dataset)}: {_SPLITS[column.split_kind]}", ""]
    runs = read_column(table, column, results)
    if not runs:
        return [*lines, "Not run: no results are stored.", ""]
    lines += ["| method | paper | here | seeds | against LFGCN |", "|---|---|---|---|---|"]
    lines += [_row(table, column, method, runs) for method in table.methods_on(column.dataset)]
    budget = ", ".join(str(size) for size in search_sizes(column.dataset, results))
    searched = [f"Configurations tried per searched method: {budget}.", ""] if budget else []
    return [*lines, "", *searched, *_verdict(column, runs)]


def _row(table: ResultTable, column: DatasetColumn, method: str, runs: dict[str, Runs]) -> str:
    title = METHOD_ROWS[method].title
    if METHOD_ROWS[method].kind == "reference":
        title = f"*{title}*"
    figure = table.paper.get((column.dataset, method))
    paper = "" if figure is None else _show_figure(*figure)
    if method not in runs:
        return f"| {title} | {paper} | not run | | |"
    summary = summarise(runs[method])
    difference = None if method == "lfgcn" else compare(runs[method], runs.get("lfgcn", []))
    return f"| {title} | {paper} | {summary} | {summary.seeds} | {difference or ''} |"


def _show_figure(mean: float, deviation: float | None) -> str:
    return f"{mean:.2f}" if deviation is None else f"{mean:.2f} ({deviation:.2f})"


def _verdict(column: DatasetColumn, runs: dict[str, Runs]) -> list[str]:
    headline = compare_best(column, runs)
    if headline is None:
        return []
    difference = headline.difference
    return [
        (
            f"{METHOD_ROWS[headline.ours].title} is {_VERDICTS[headline.verdict]} the best rival, "
            f"{METHOD_ROWS[headline.rival].title}: {difference} points over {difference.pairs} "
            f"seeds, paired t-test p = {difference.p_value:.3g}."
        ),
        "",
    ]
