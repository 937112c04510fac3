"""The commands of ``python -m experiments`` that measure and draw."""

import json
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

ResultsOption = Annotated[Path, typer.Option(help="Where searches and figures are kept.")]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the figures there too.")]
_RESULTS = Path("experiments/results")


def authors_split(
    data: Annotated[Path, typer.Option(help="Folder with ieee118_paper.npz, sc500_paper.npz.")],
    seeds: Annotated[int, typer.Option(min=1, help="Runs a method.")] = 10,
    results: ResultsOption = _RESULTS,
    json_path: JsonOption = None,
) -> None:
    """Accuracy on the authors' split; settings come from a search on validation nodes."""
    from experiments.tables.authors_split import AIMS, DATASETS, Study, measure_dataset

    rows = []
    for name in DATASETS:
        rows += measure_dataset(Study(data, results), name, range(seeds), _progress)
    for row in rows:
        typer.echo(
            f"{row['dataset']:8} {row['method']:16} {100 * row['mean']:6.2f} "
            f"± {100 * row['std']:.2f} %  (validation {100 * row['validation']:.2f} %, "
            f"seeds 0..{seeds - 1})"
        )
    typer.echo(f"aims for LFGCN: {AIMS}")
    _write(json_path, {"rows": rows})


def readings(results: ResultsOption = _RESULTS) -> None:
    """Compare the readings of the paper's silent places on validation nodes."""
    from experiments.tables.readings import DIVISIONS, READINGS, compare_readings, tabulate

    typer.echo("\n".join(tabulate(compare_readings(results, _progress), READINGS, DIVISIONS)))


def defaults(results: ResultsOption = _RESULTS) -> None:
    """Compare candidates for the defaults on grids that no table reports."""
    from experiments.tables.defaults import CANDIDATES, GRIDS, compare_defaults
    from experiments.tables.readings import tabulate

    typer.echo("\n".join(tabulate(compare_defaults(results, _progress), CANDIDATES, GRIDS)))


def bench(
    name: Annotated[str, typer.Argument(help="A module of experiments.bench, such as epoch.")],
    json_path: JsonOption = None,
) -> None:
    """Measure what something costs."""
    try:
        module = import_module(f"experiments.bench.{name.replace('-', '_')}")
    except ModuleNotFoundError as error:
        raise typer.BadParameter(f"there is no bench {name}") from error
    figures = module.run()
    typer.echo(json.dumps(figures, indent=1))
    _write(json_path, figures)


def plots(
    out: Annotated[Path, typer.Option(help="Folder for the pictures.")] = Path("docs/images"),
) -> None:
    """Draw the pictures of docs/levy.md."""
    from experiments.report.levy_plots import draw_all

    for path in draw_all(out):
        typer.echo(str(path))


def performance(
    docs: Annotated[Path, typer.Option(help="Folder of performance.md.")] = Path("docs"),
    results: ResultsOption = _RESULTS,
    *,
    measure: Annotated[bool, typer.Option(help="Run the benches first.")] = True,
) -> None:
    """Measure what everything costs and write docs/performance.md."""
    from experiments.report.performance import measure_all, write_document

    if measure:
        measure_all(results, _progress)
    for path in write_document(results, docs):
        typer.echo(str(path))


def _progress(line: str) -> None:
    typer.echo(line, err=True)


def _write(path: Path | None, figures: dict[str, Any]) -> None:
    if path is not None:
        path.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
