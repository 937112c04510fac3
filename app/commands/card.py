"""``levygrid card``: train on a case and write the card of the model as markdown."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from app.commands.card_page import write_page
from app.commands.service_client import Job, ask, connect, follow
from app.errors import LevygridError


@dataclass(frozen=True)
class CardOrder:
    """Which case and label, and settings that differ from their defaults."""

    case: str
    label: str
    config: dict[str, Any] = field(default_factory=dict)


def run_card(order: CardOrder, output: Path | None, url: str | None) -> None:
    """Write the card of a model that is trained now. Raises: LevygridError."""
    if output is not None and not output.absolute().parent.is_dir():
        raise LevygridError(f"There is no folder {output.absolute().parent} to write to.")
    console = Console(stderr=True)
    with connect(url) as client:
        card = _make_card(client, order, console)
    option = f" --output {output}" if output is not None else ""
    label = f" --label {order.label}" if order.label != "role" else ""
    page = write_page(card, f"levygrid card {order.case}{label}{option}")
    if output is None:
        Console().print(page, markup=False, highlight=False, soft_wrap=True)
    else:
        output.write_text(page)


def _make_card(client: httpx.Client, order: CardOrder, console: Console) -> dict[str, Any]:
    with console.status(f"reading {order.case}") as status:
        graph = ask(client, "POST", "/graphs", json={"case": order.case})
        body = {"graph_id": graph["id"], "label": order.label, "config": order.config}

        def show(job: Job) -> None:
            status.update(f"{job['kind']}: {job['stage'] or job['epoch'] or job['state']}")

        started = ask(client, "POST", "/train", json=body)
        model_id = follow(client, started["job_id"], show)["model_id"]
        again = ask(client, "POST", f"/models/{model_id}/replay")
        follow(client, again["job_id"], show)
    card: dict[str, Any] = ask(client, "GET", f"/models/{model_id}/card")
    return card
