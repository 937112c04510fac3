"""docs/selection.md: the default against single methods, from the stored cells alone."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from experiments.json_lines import replace_text
from experiments.report.notes import read_note
from experiments.report.performance import save_figure
from experiments.selection.cells import SEEDS, SEEDS_OF_LARGE, PanelCell
from experiments.selection.levels import LEVELS
from experiments.selection.panel import DEFAULT, Runs, hash_protocol, read_cells
from experiments.selection.regret import (
    LevelResult,
    collect_levels,
    count_choices,
    count_wins,
    mean_regret,
    measure_stated,
    regret_by_task,
    regret_of_one_method,
)
from experiments.selection.rivals import EPOCHS_WITHOUT_VALIDATION, METHODS, MOST_NETWORK_NODES
from experiments.selection.tasks import LARGE, LEAST_MEMBERS, REPORTING, TASKS, TUNING, Half
from ml.methods.closed_form import MOST_FRACTIONAL_NODES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FILE_NAME = "selection.md"
ENOUGH_LABELS = 5
"""Labels per class from which on the default must be close to the best method."""
_TITLES = {DEFAULT: "The default", **{method.key: method.title for method in METHODS}}
_LEVEL_TITLES = {level.key: level.title for level in LEVELS}
_HALVES: tuple[Half, ...] = ("tuning", "reporting")
_CHART_COLUMNS = 3
StoredCells = Sequence[tuple[PanelCell, Runs]]


def write_document(results: Path, docs: Path, skipped: Sequence[str] = ()) -> Path:
    """Write the page and its pictures from the stored cells; return the page."""
    cells = read_cells(results)
    levels = collect_levels(cells)
    images = docs / "images"
    images.mkdir(parents=True, exist_ok=True)
    for half in _HALVES:
        save_figure(draw_half(of_half(levels, half)), images / f"selection-{half}.svg")
    page = docs / FILE_NAME
    replace_text(page, describe(cells, levels, skipped) + "\n")
    return page


def describe(cells: StoredCells, levels: Sequence[LevelResult], skipped: Sequence[str]) -> str:
    """Return the page as Markdown."""
    return read_note(
        "selection",
        methods=len(METHODS),
        tuning=len(TUNING),
        reporting=len(REPORTING),
        least_members=LEAST_MEMBERS,
        seeds=SEEDS,
        large_seeds=SEEDS_OF_LARGE,
        large=f"{LARGE:,}",
        epochs=EPOCHS_WITHOUT_VALIDATION,
        network_nodes=f"{MOST_NETWORK_NODES:,}",
        fractional_nodes=f"{MOST_FRACTIONAL_NODES:,}",
        headline=_describe_regret(cells, levels),
        regret_table=_tabulate_regret(levels),
        level_tables=_tabulate_levels(levels),
        win_table=_tabulate_wins(levels),
        choice_table=_tabulate_choices(levels),
        stated_table=_tabulate_stated(levels),
        seconds_table=_tabulate_seconds(levels),
        left_out=_list_left_out(cells, skipped),
    )


def of_half(levels: Iterable[LevelResult], half: Half) -> list[LevelResult]:
    """Return the levels of the tuning or of the reporting tasks."""
    return [one for one in levels if TASKS[one.task].half == half]


def with_enough(levels: Iterable[LevelResult]) -> list[LevelResult]:
    """Return the levels with at least five labels per class on average."""
    return [one for one in levels if one.labels_per_class >= ENOUGH_LABELS]


def _describe_regret(cells: StoredCells, levels: Sequence[LevelResult]) -> str:
    if not levels:
        return "Not run: no results are stored."
    text = [
        "| tasks | mean regret | against one method per task | worst task from 5 per class on |"
    ]
    text.append("|---|---:|---:|---|")
    for half in _HALVES:
        members = of_half(levels, half)
        if not members:
            continue
        steady = np.mean(list(regret_of_one_method(members).values()))
        text.append(
            f"| {half} | {_points(mean_regret(members))} | {_points(float(steady))} "
            f"| {_describe_worst(with_enough(members))} |"
        )
    defaults = [(cell, runs[DEFAULT]) for cell, runs in cells if DEFAULT in runs]
    stale = sum(run["protocol"] != hash_protocol(cell, DEFAULT) for cell, run in defaults)
    if stale:
        text += ["", f"An earlier version of the default made {stale} of its {len(defaults)} runs."]
    return "\n".join(text)


def _describe_worst(levels: Sequence[LevelResult]) -> str:
    regrets = regret_by_task(levels)
    if not regrets:
        return ""
    worst = max(regrets, key=lambda task: regrets[task])
    return f"{_points(regrets[worst])} ({TASKS[worst].title})"


def _tabulate_regret(levels: Sequence[LevelResult]) -> str:
    everywhere, steady = regret_by_task(levels), regret_of_one_method(levels)
    enough = regret_by_task(with_enough(levels))
    rows = [
        (
            TASKS[task].title,
            TASKS[task].half,
            _points(everywhere[task]),
            _points(enough.get(task)),
            _points(steady.get(task)),
        )
        for task in everywhere
    ]
    return _table(("task", "half", "all levels", "from 5 per class on", "one method"), rows)


def _tabulate_levels(levels: Sequence[LevelResult]) -> str:
    by_task: dict[str, list[LevelResult]] = defaultdict(list)
    for one in levels:
        by_task[one.task].append(one)
    parts = []
    for task, members in by_task.items():
        first = members[0]
        rows = [
            (
                _LEVEL_TITLES[one.level],
                f"{one.labels:.0f}",
                _percent(one.default),
                _percent(one.singles.get("lp")),
                _percent(one.singles[one.best]),
                _TITLES[one.best],
                _points(one.regret),
            )
            for one in members
        ]
        columns = ("known", "labels", "default", "LP", "best single", "which", "regret")
        title = f"### {TASKS[task].title}: {first.nodes:,} nodes, {len(first.runs)} seeds"
        parts += [title, "", _table(columns, rows), ""]
    return "\n".join(parts).rstrip()


def _tabulate_wins(levels: Sequence[LevelResult]) -> str:
    wins = {half: count_wins(of_half(levels, half)) for half in _HALVES}
    total = sum(wins.values(), Counter())
    rows = [
        (_TITLES[key], *(str(wins[half][key]) for half in _HALVES))
        for key, _ in total.most_common()
    ]
    ahead = [str(sum(one.regret <= 0 for one in of_half(levels, half))) for half in _HALVES]
    counts = [str(len(of_half(levels, half))) for half in _HALVES]
    rows += [
        ("*the default is as good or better*", *ahead),
        ("*levels in all*", *counts),
    ]
    return _table(("method", *_HALVES), rows)


def _tabulate_choices(levels: Sequence[LevelResult]) -> str:
    chosen = {half: count_choices(of_half(levels, half)) for half in _HALVES}
    total = sum(chosen.values(), Counter())
    rows = [
        (f"`{key}`", *(str(chosen[half][key]) for half in _HALVES))
        for key, _ in total.most_common()
    ]
    return _table(("runs of the default that chose", *_HALVES), rows)


def _tabulate_stated(levels: Sequence[LevelResult]) -> str:
    rows = []
    for half in _HALVES:
        for drawing in ("buses", "substations"):
            members = [one for one in of_half(levels, half) if TASKS[one.task].drawing == drawing]
            stated = measure_stated(members)
            if stated is not None:
                share = f"{100 * stated.held / stated.runs:.0f} %"
                biases = (_points(stated.bias), _points(stated.ungrouped_bias))
                rows.append((half, drawing, str(stated.runs), share, *biases))
    columns = (
        "tasks",
        "labels drawn by",
        "runs",
        "interval holds",
        "stated - true",
        "ungrouped - true",
    )
    return _table(columns, rows)


def _tabulate_seconds(levels: Sequence[LevelResult]) -> str:
    by_task: dict[str, list[LevelResult]] = defaultdict(list)
    for one in levels:
        by_task[one.task].append(one)
    rows = [
        (
            TASKS[task].title,
            f"{members[0].nodes:,}",
            f"{np.mean([one.seconds for one in members]):.1f}",
            f"{max(one.seconds for one in members):.1f}",
        )
        for task, members in sorted(by_task.items(), key=lambda item: item[1][0].nodes)
    ]
    return _table(("task", "nodes", "mean s", "slowest level s"), rows)


def _list_left_out(cells: StoredCells, skipped: Sequence[str]) -> str:
    reasons: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for cell, runs in cells:
        for method, run in runs.items():
            reason = run.get("left_out") or run.get("failed")
            if reason:
                reasons[method, reason][cell.task.name] = None
    items = [f"- {text}" for text in skipped]
    items += [
        f"- {_TITLES[method]} on {', '.join(TASKS[task].title for task in tasks)}: {reason}"
        for (method, reason), tasks in reasons.items()
    ]
    return "\n".join(items) or "Nothing."


def draw_half(levels: Sequence[LevelResult]) -> "Figure":
    """Draw accuracy against known labels, one panel per task."""
    from matplotlib.figure import Figure

    tasks = list(dict.fromkeys(one.task for one in levels))
    rows = max(1, -(-len(tasks) // _CHART_COLUMNS))
    figure = Figure(figsize=(10, 2.6 * rows), layout="constrained")
    panels = figure.subplots(rows, _CHART_COLUMNS, squeeze=False).ravel()
    for panel in panels[len(tasks) :]:
        panel.set_axis_off()
    for panel, task in zip(panels, tasks, strict=False):
        _draw_task(panel, [one for one in levels if one.task == task])
        panel.set_title(TASKS[task].title, fontsize=8)
    if tasks:
        panels[0].legend(fontsize=7)
    return figure


def _draw_task(panel: "Axes", levels: Sequence[LevelResult]) -> None:
    ordered = sorted(levels, key=lambda one: one.labels)
    labels = [one.labels for one in ordered]
    curves = {
        "best single": [one.singles[one.best] for one in ordered],
        "label propagation": [one.singles.get("lp", np.nan) for one in ordered],
        "default": [one.default for one in ordered],
    }
    for (name, values), style in zip(curves.items(), ("k:", "C0-", "C3-"), strict=True):
        panel.semilogx(labels, [100 * value for value in values], style, marker=".", label=name)
    panel.set_xlabel("known labels", fontsize=7)
    panel.set_ylabel("right, %", fontsize=7)
    panel.tick_params(labelsize=7)
    panel.grid(which="major", color="#dddddd")


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"


def _points(value: float | None) -> str:
    return "" if value is None else f"{value:+.1f}"
