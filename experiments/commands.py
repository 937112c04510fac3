"""The commands of ``python -m experiments``."""

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from experiments.datasets.dataset import FOLDER_VARIABLE, find_data_folder
from experiments.paths import DOCS, RESULTS

SeedsOption = Annotated[
    int | None, typer.Option(min=1, help="Seeds per cell (default: as the table states).")
]
ResultsOption = Annotated[
    Path, typer.Option(help="Folder of the stored results.", show_default="of the package")
]
DocsOption = Annotated[
    Path, typer.Option(help="Folder of the written pages.", show_default="of the repository")
]
DataOption = Annotated[
    Path | None,
    typer.Option(help=f"Folder of the data files (default: the variable {FOLDER_VARIABLE})."),
]
JsonOption = Annotated[
    Path | None, typer.Option("--json", help="Also write the figures to this file.")
]


def reproduce_command(  # noqa: PLR0913 - one parameter per option
    table: Annotated[
        str | None,
        typer.Argument(help="A table or a data set (default: all tables).", metavar="[TABLE]"),
    ] = None,
    seeds: SeedsOption = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", help="Also write the rows to this file.")
    ] = None,
    *,
    quick: Annotated[
        bool, typer.Option(help="Smoke test: ten epochs, no search, nothing stored.")
    ] = False,
    fresh: Annotated[bool, typer.Option(help="Repeat stored runs without replacing them.")] = False,
    workers: Annotated[
        int, typer.Option(min=1, help="Worker processes, with one thread each.")
    ] = 2,
    data: DataOption = None,
    results: ResultsOption = RESULTS,
    docs: DocsOption = DOCS,
) -> None:
    """Run missing cells of the paper's tables and write docs/reproduction.md."""
    from experiments.reproduce import ReproductionRequest, run_reproduction

    _check_name(table)
    _use_data_folder(data)
    if not (quick or fresh):
        _check_docs(docs)
    request = ReproductionRequest(table, seeds, json_path, quick, fresh, workers, results, docs)
    for reason in run_reproduction(request):
        typer.echo(f"skipped: {reason}", err=True)


def _check_name(name: str | None) -> None:
    """Refuse an unknown name before anything runs."""
    from experiments.tables.table import TABLE_NAMES, list_dataset_names

    datasets = list_dataset_names()
    if name is not None and name not in {*TABLE_NAMES, *datasets}:
        raise typer.BadParameter(
            f"{name} is neither a table nor a data set. Tables: {', '.join(TABLE_NAMES)}. "
            f"Data sets: {', '.join(datasets)}."
        )


def _use_data_folder(folder: Path | None) -> None:
    """Make a given data folder the setting of this process and of its workers."""
    if folder is not None:
        os.environ[FOLDER_VARIABLE] = str(folder.absolute())


def _check_docs(folder: Path) -> None:
    if not folder.is_dir():
        raise typer.BadParameter(f"There is no folder {folder} to write pages to: pass --docs.")


def authors_split(
    data: DataOption = None,
    seeds: Annotated[int, typer.Option(min=1, help="Seeds per method.")] = 10,
    results: ResultsOption = RESULTS,
    json_path: JsonOption = None,
) -> None:
    """Measure LFGCN and baselines on the split that the paper's author published."""
    from experiments.tables.authors_split import AIMS, DATASETS, Study, measure_dataset

    _use_data_folder(data)
    folder = find_data_folder()
    if folder is None:
        raise typer.BadParameter(
            f"No data folder is set. Set {FOLDER_VARIABLE} or pass --data with the folder of "
            "ieee118_paper.npz and sc500_paper.npz."
        )
    rows = []
    for name in DATASETS:
        rows += measure_dataset(Study(folder, results), name, range(seeds), _show_progress)
    for row in rows:
        typer.echo(
            f"{row['dataset']:8} {row['method']:16} {100 * row['mean']:6.2f} "
            f"± {100 * row['std']:.2f} %  (validation {100 * row['validation']:.2f} %, "
            f"seeds 0..{seeds - 1})"
        )
    typer.echo(f"aims for LFGCN: {AIMS}")
    _write(json_path, {"rows": rows})


def readings(results: ResultsOption = RESULTS, data: DataOption = None) -> None:
    """Compare possible readings of details that the paper leaves open, on validation nodes."""
    from experiments.tables.readings import DIVISIONS, READINGS, compare_readings, tabulate

    _use_data_folder(data)
    rows = compare_readings(results, _show_progress)
    typer.echo("\n".join(tabulate(rows, READINGS, DIVISIONS)))


def defaults(results: ResultsOption = RESULTS) -> None:
    """Compare candidates for the default settings, on grids that no table reports."""
    from experiments.tables.defaults import CANDIDATES, GRIDS, compare_defaults
    from experiments.tables.readings import tabulate

    rows = compare_defaults(results, _show_progress)
    typer.echo("\n".join(tabulate(rows, CANDIDATES, GRIDS)))


def bench(
    name: Annotated[str, typer.Argument(help="Name of a bench, for example epoch.")],
    json_path: JsonOption = None,
) -> None:
    """Measure the cost of one part and print the figures as JSON."""
    try:
        module = import_module(f"experiments.bench.{name.replace('-', '_')}")
    except ModuleNotFoundError as error:
        raise typer.BadParameter(f"there is no bench {name}") from error
    figures = module.run()
    typer.echo(json.dumps(figures, indent=1))
    _write(json_path, figures)


def plots(
    out: Annotated[
        Path, typer.Option(help="Folder of the pictures.", show_default="docs/images")
    ] = DOCS / "images",
) -> None:
    """Draw the pictures of docs/levy.md."""
    from experiments.report.levy_plots import draw_all

    for path in draw_all(out):
        typer.echo(str(path))


def performance(
    docs: DocsOption = DOCS,
    results: ResultsOption = RESULTS,
    data: DataOption = None,
    *,
    measure: Annotated[bool, typer.Option(help="Run the benches first.")] = True,
) -> None:
    """Run the benches and write docs/performance.md."""
    from experiments.report.performance import measure_all, write_document

    _use_data_folder(data)
    _check_docs(docs)
    if measure:
        measure_all(results, _show_progress)
    for path in write_document(results, docs):
        typer.echo(str(path))


def _show_progress(line: str) -> None:
    typer.echo(line, err=True)


def _write(path: Path | None, figures: dict[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
