"""The options of ``reproduce``, for ``python -m experiments`` and for the service's own command."""

from pathlib import Path
from typing import Annotated

import typer

TableArgument = Annotated[
    str | None,
    typer.Argument(help="A table or a data set; everything if left out.", metavar="[TABLE]"),
]
SeedsOption = Annotated[
    int | None, typer.Option(min=1, help="Runs a cell; else as the table says.")
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write the rows there too.")]
QuickOption = Annotated[bool, typer.Option(help="A smoke run: ten epochs, no search, not stored.")]
FreshOption = Annotated[bool, typer.Option(help="Run again what is stored; nothing is replaced.")]
WorkersOption = Annotated[int, typer.Option(min=1, help="Processes, one thread each.")]


def reproduce(  # one option each
    table: TableArgument = None,
    seeds: SeedsOption = None,
    json_path: JsonOption = None,
    *,
    quick: QuickOption = False,
    fresh: FreshOption = False,
    workers: WorkersOption = 2,
) -> None:
    """Rerun the paper's tables and write docs/reproduction.md."""
    from experiments.reproduce import Request, reproduce
    from experiments.tables.table import TABLE_NAMES

    request = Request(table, seeds, json_path, quick, fresh, workers)
    try:
        skipped = reproduce(request)
    except KeyError:
        names = ", ".join(TABLE_NAMES)
        raise typer.BadParameter(f"{table} is no data set and none of: {names}") from None
    for reason in skipped:
        typer.echo(f"skipped: {reason}", err=True)
