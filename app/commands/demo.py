"""``levygrid demo``: loads a grid, trains and prints predictions through the HTTP API."""

from collections.abc import Mapping
from typing import Any

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from app.commands.service_client import Job, ask, connect, follow

CASE = "case118"
_SHOWN_BUSES = 20


def run_demo(url: str | None) -> None:
    """Load a case, train on it, print predictions and true classes. Raises: LevygridError."""
    console = Console()
    with connect(url) as client:
        graph = ask(client, "POST", "/graphs", json={"case": CASE})
        console.print(f"grid {CASE}: {graph['bus_count']} buses, {graph['branch_count']} branches")
        started = ask(client, "POST", "/train", json={"graph_id": graph["id"], "label": "role"})
        job = _follow_with_bar(client, started["job_id"], console)
        predictions = ask(client, "GET", "/predict", params={"model_id": job["model_id"]})
    console.print(_make_table(predictions))
    console.print(_summary(predictions))


def _follow_with_bar(client: httpx.Client, job_id: str, console: Console) -> Job:
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("epochs, validation loss {task.fields[loss]}"),
    )
    with Progress(*columns, console=console) as bar:
        line = bar.add_task("training", total=None, loss="-")

        def show(job: Job) -> None:
            loss = "-" if job["validation_loss"] is None else f"{job['validation_loss']:.4f}"
            bar.update(line, completed=job["epoch"] or 0, total=job["epochs"], loss=loss)

        job = follow(client, job_id, show)
        bar.update(line, total=job["epoch"])  # it may have stopped early
    return job


def _make_table(predictions: Mapping[str, Any]) -> Table:
    names = predictions["class_names"]
    table = Table(title=f"test buses of {CASE}, model {predictions['model_id'][:8]}")
    for column in ("bus", "predicted", "probability", "truth", ""):
        table.add_column(column)
    for position in _test_positions(predictions)[:_SHOWN_BUSES]:
        predicted, true = predictions["classes"][position], predictions["truth"][position]
        table.add_row(
            predictions["bus_ids"][position],
            names[predicted],
            f"{predictions['probabilities'][position][predicted]:.2f}",
            names[true],
            "[green]right[/]" if predicted == true else "[red]wrong[/]",
        )
    return table


def _summary(predictions: Mapping[str, Any]) -> str:
    tested = _test_positions(predictions)
    right = sum(predictions["classes"][at] == predictions["truth"][at] for at in tested)
    shown = min(_SHOWN_BUSES, len(tested))
    return (
        f"accuracy on the {len(tested)} test buses ({shown} shown above): {right / len(tested):.1%}"
    )


def _test_positions(predictions: Mapping[str, Any]) -> list[int]:
    return [position for position, part in enumerate(predictions["parts"]) if part == "test"]
