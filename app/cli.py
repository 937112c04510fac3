"""The command-line program ``levygrid``."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from app.errors import LevygridError, StartFailed
from app.jobs.queues import Queue
from app.settings import Settings
from ml.errors import MlError

cli = typer.Typer(
    help="Classify the buses of a power grid from few labels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run the program; an expected error prints one line and ends with exit code 1."""
    try:
        cli()
    except (LevygridError, MlError) as error:
        sys.stderr.write(f"levygrid: {error}\n")
        sys.exit(1)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"levygrid {version('levygrid')}")
        raise typer.Exit


@cli.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None: ...


@cli.command()
def serve() -> None:
    """Start the API and its workers; on an empty database, load two grids and train."""
    chosen = _read_settings()
    from app.commands.serve import serve as run_service

    run_service(chosen)


@cli.command()
def worker(
    concurrency: Annotated[
        int, typer.Option(min=1, max=64, help="Number of jobs that run at the same time.")
    ] = 1,
    queue: Annotated[
        Queue | None,
        typer.Option(
            help="Queue to serve. Default: cpu, and also gpu if torch finds a CUDA device."
        ),
    ] = None,
) -> None:
    """Run jobs from the broker of LEVYGRID_BROKER_URL or, without one, from the database."""
    from app.commands.worker import run_worker
    from app.worker.startup import WorkerOptions

    raise typer.Exit(run_worker(_read_settings(), WorkerOptions(concurrency, queue)))


@cli.command()
def migrate() -> None:
    """Migrate the database to the newest schema."""
    from app.commands.data_folder import prepare_data_folder
    from app.storage.migration import upgrade

    settings = _read_settings()
    if not settings.database_url:
        prepare_data_folder(settings.data_dir)
    upgrade(settings.resolved_database_url)
    typer.echo("The database has the newest schema.")


@cli.command()
def demo(
    url: Annotated[
        str | None, typer.Option(help="URL of a running service. Default: start a temporary one.")
    ] = None,
) -> None:
    """Find the zones of a grid from a tenth of them, all through the HTTP API, and check them."""
    from app.commands.demo import run_demo

    run_demo(url)


@cli.command()
def card(
    case: Annotated[
        str, typer.Argument(help="Name of a built-in case, such as case118.")
    ] = "case118",
    label: Annotated[str, typer.Option(help="Label set to learn.")] = "role",
    output: Annotated[
        Path | None, typer.Option(help="File to write the card to. Default: print it.")
    ] = None,
    url: Annotated[
        str | None, typer.Option(help="URL of a running service. Default: start a temporary one.")
    ] = None,
) -> None:
    """Train a model on a case, replay the training, and write the model card as markdown."""
    from app.commands.card import CardRequest, run_card

    run_card(CardRequest(case, label), output, url)


@cli.command()
def bench(
    name: Annotated[str, typer.Argument(help="Name of the benchmark; `list` prints all names.")],
    json: Annotated[
        Path | None, typer.Option(help="File to write the measurements to, as JSON.")
    ] = None,
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="Run a short form, where the benchmark has one.")
    ] = False,
) -> None:
    """Run one benchmark and print its measurements."""
    from app.commands.bench import run_bench

    run_bench(name, json, quick=quick)


@cli.command(
    add_help_option=False,
    context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
)
def reproduce(context: typer.Context) -> None:
    """Rerun the paper's tables beside every rival and write docs/reproduction.md."""
    command = [sys.executable, "-m", "experiments", "reproduce", *context.args]
    raise typer.Exit(subprocess.call(command))  # noqa: S603 - our own program


@cli.command()
def places(
    wheel: Annotated[
        Path,
        typer.Option(help="Wheel of powersimdata: `pip download --no-deps powersimdata==0.5.5`."),
    ],
    output: Annotated[
        Path | None, typer.Option(help="File to write. Default: the table inside the package.")
    ] = None,
) -> None:
    """Make the table of coordinates and substations of the US cases again, and check it."""
    from app.commands.places import make_places
    from app.ingest.cases.places import TABLE

    for line in make_places(wheel, output or TABLE):
        typer.echo(line)


@cli.command()
def checks(
    output: Annotated[
        Path | None, typer.Option(help="File to write the page to. Default: print it.")
    ] = None,
) -> None:
    """Check public grids and write the rules and findings as markdown; takes about a minute."""
    from app.commands.checks_page import make_page

    page = "\n".join(make_page(_read_settings().datasets_dir))
    if output is None:
        typer.echo(page)
    else:
        output.write_text(f"{page}\n")


@cli.command()
def corpus(
    output: Annotated[
        Path | None, typer.Option(help="File to write the page to. Default: print it.")
    ] = None,
) -> None:
    """Read every grid of the corpus and write counts, time and memory; takes ten minutes."""
    from app.bench.ingest import measure_corpus
    from app.commands.corpus_page import make_corpus_page

    page = "\n".join(make_corpus_page(measure_corpus(_read_settings().datasets_dir)))
    if output is None:
        typer.echo(page)
    else:
        output.write_text(f"{page}\n")


@cli.command()
def settings(
    training: Annotated[
        bool, typer.Option("--training", help="Print the settings of a training request instead.")
    ] = False,
) -> None:
    """Print all settings of the service as a markdown table."""
    from app.commands.settings_table import settings_table, training_table

    typer.echo(training_table() if training else settings_table())


def _read_settings() -> Settings:
    """Read the environment. Raises: StartFailed naming every invalid variable."""
    try:
        return Settings()
    except ValidationError as error:
        invalid = [
            f"LEVYGRID_{str(detail['loc'][0]).upper()}: {detail['msg']}"
            for detail in error.errors(include_url=False)
        ]
        raise StartFailed("; ".join(invalid)) from None


if __name__ == "__main__":
    main()
