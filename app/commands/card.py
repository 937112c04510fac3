"""``levygrid card``: trains a model on a case and writes its card as markdown."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from app.commands.card_page import write_page
from app.commands.service_client import Job, ask, connect, follow
from app.errors import LevygridError
from app.storage.documents import Config


@dataclass(frozen=True)
class CardRequest:
    """The case, the label and the training settings that differ from their defaults."""

    case: str
    label: str
    config: Config = field(default_factory=dict)


def run_card(request: CardRequest, output: Path | None, url: str | None) -> None:
    """Train a model and write its card. Raises: LevygridError."""
    if output is not None and not output.absolute().parent.is_dir():
        raise LevygridError(f"The output folder {output.absolute().parent} does not exist.")
    console = Console(stderr=True)
    with connect(url) as client:
        card = _make_card(client, request, console)
    option = f" --output {output}" if output is not None else ""
    label = f" --label {request.label}" if request.label != "role" else ""
    page = write_page(card, f"levygrid card {request.case}{label}{option}")
    if output is None:
        Console().print(page, markup=False, highlight=False, soft_wrap=True)
    else:
        output.write_text(page)


def _make_card(client: httpx.Client, request: CardRequest, console: Console) -> dict[str, Any]:
    with console.status(f"reading {request.case}") as status:
        graph = ask(client, "POST", "/graphs", json={"case": request.case})
        body = {"graph_id": graph["id"], "label": request.label, "config": request.config}

        def show(job: Job) -> None:
            status.update(f"{job['kind']}: {job['stage'] or job['epoch'] or job['state']}")

        started = ask(client, "POST", "/train", json=body)
        model_id = follow(client, started["job_id"], show)["model_id"]
        replay = ask(client, "POST", f"/models/{model_id}/replay")
        follow(client, replay["job_id"], show)
    card: dict[str, Any] = ask(client, "GET", f"/models/{model_id}/card")
    return card
