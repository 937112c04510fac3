"""``python -m experiments``: the experiments without the service."""

import typer

from experiments.commands import authors_split, bench, defaults, performance, plots, readings
from experiments.reproduce_command import reproduce

commands = typer.Typer(no_args_is_help=True, add_completion=False)
for command in (reproduce, authors_split, readings, defaults, bench, plots, performance):
    commands.command()(command)


@commands.callback()
def _describe() -> None:
    """LFGCN and P-DropEdge from the command line."""


if __name__ == "__main__":
    commands()
