"""``python -m experiments``: reproduces tables, runs benches and writes pages."""

import typer

from experiments import commands as all_commands

commands = typer.Typer(no_args_is_help=True, add_completion=False)
commands.command("reproduce")(all_commands.reproduce_command)
for command in (
    all_commands.authors_split,
    all_commands.readings,
    all_commands.defaults,
    all_commands.bench,
    all_commands.plots,
    all_commands.performance,
):
    commands.command()(command)


@commands.callback()
def _describe() -> None:
    """Experiments with LFGCN and P-DropEdge: the paper's tables, benches and pictures."""


if __name__ == "__main__":
    commands()
