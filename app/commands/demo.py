"""``levygrid demo``: from a grid and few known labels to answers, through the HTTP API."""

from collections.abc import Mapping
from typing import Any

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table

from app.commands import texas
from app.commands.service_client import Job, ask, connect, follow

_SHOWN_BUSES = 15


def run_demo(url: str | None) -> None:
    """Find the zones of a grid from a tenth of them, and check. Raises: LevygridError."""
    console = Console()
    with connect(url) as client:
        graph = ask(client, "POST", "/graphs", json={"case": texas.CASE})
        truth = ask(client, "GET", f"/graphs/{graph['id']}/labels/{texas.TRUTH}")
        known = texas.draw_survey(truth["bus_ids"], truth["class_names"], truth["classes"])
        console.print(
            f"The grid: {graph['name']}, {graph['bus_count']:,} buses and "
            f"{graph['branch_count']:,} branches on real towns of Texas; synthetic."
        )
        console.print(
            f"The task: the zone is known of {len(known)} buses; {len(truth['class_names'])} "
            "zones. No settings are given."
        )
        body = {"name": texas.KNOWN, "labels": known}
        ask(client, "POST", f"/graphs/{graph['id']}/labels", json=body)
        asked = {"graph_id": graph["id"], "label": texas.KNOWN}
        started = ask(client, "POST", "/train", json=asked)
        job = _follow_with_bar(client, started["job_id"], console)
        card = ask(client, "GET", f"/models/{job['model_id']}/card")
        predictions = ask(client, "GET", "/predict", params={"model_id": job["model_id"]})
    console.print(f"\n[bold]{card['headline']}[/]\n", highlight=False)
    answers = _list_answers(predictions, truth, known)
    console.print(_make_table(answers))
    console.print(_summarise(answers))


def _follow_with_bar(client: httpx.Client, job_id: str, console: Console) -> Job:
    columns = (
        TextColumn("choosing"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[stage]}"),
    )
    with Progress(*columns, console=console) as bar:
        line = bar.add_task("choosing", total=None, stage="waiting")

        def show(job: Job) -> None:
            stage = job["stage"] or job["state"]
            bar.update(line, completed=job["epoch"] or 0, total=job["epochs"], stage=stage)

        return follow(client, job_id, show)


def _list_answers(
    predictions: Mapping[str, Any], truth: Mapping[str, Any], known: Mapping[str, str]
) -> list[tuple[str, str, float, str]]:
    """Return bus, answer, probability and zone of every bus whose zone was not given."""
    names, zones = predictions["class_names"], truth["class_names"]
    rows = zip(
        predictions["bus_ids"],
        predictions["classes"],
        predictions["probabilities"],
        truth["classes"],
        strict=True,
    )
    return [
        (bus, names[answer], shares[answer], zones[zone])
        for bus, answer, shares, zone in rows
        if bus not in known
    ]


def _make_table(answers: list[tuple[str, str, float, str]]) -> Table:
    table = Table(title="some of the buses whose zone was not given")
    for column in ("bus", "answer", "probability", "zone in the grid file", ""):
        table.add_column(column)
    for bus, answer, probability, zone in answers[:: max(1, len(answers) // _SHOWN_BUSES)]:
        verdict = "[green]right[/]" if answer == zone else "[red]wrong[/]"
        table.add_row(bus, answer, f"{probability:.2f}", zone, verdict)
    return table


def _summarise(answers: list[tuple[str, str, float, str]]) -> str:
    right = sum(answer == zone for _, answer, _, zone in answers)
    return (
        f"Right at {right:,} of the {len(answers):,} buses whose zone was not given: "
        f"{right / len(answers):.1%}."
    )
