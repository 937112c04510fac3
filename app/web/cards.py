"""GET /models/{id}/card.html: the model card for reading and printing, without scripts."""

from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import HTMLResponse

from app.models.service import make_card
from app.storage.db import ReadingSession
from app.web.policy import page_headers
from app.web.rendering import render

router = APIRouter(prefix="/models", tags=["models"])

_WIDTH, _HEIGHT = 560.0, 160.0
_CURVES = (
    ("Loss", (("train_loss", "training"), ("validation_loss", "validation"))),
    ("Accuracy", (("train_accuracy", "training"), ("validation_accuracy", "validation"))),
)


@router.get("/{model_id}/card.html", response_class=HTMLResponse)
def show_card(
    model_id: Annotated[str, Path(max_length=64)], session: ReadingSession
) -> HTMLResponse:
    """Show the model card as a page."""
    card = make_card(session, model_id)
    html = render("card.html", card=card, charts=draw_curves(card["curves"]))
    return HTMLResponse(html, headers=page_headers())


def draw_curves(curves: dict[str, list[Any]]) -> list[dict[str, Any]]:
    """Return the curves as charts: title, highest value, and points of lines in SVG."""
    epochs = curves.get("epoch", [])
    charts = []
    for title, names in _CURVES:
        values = [value for name, _ in names for value in curves.get(name, []) if value is not None]
        if len(epochs) < 2 or not values:
            continue
        top = max(*values, 1.0) if title == "Accuracy" else max(values) or 1.0
        lines = [
            {"name": shown, "points": _points(epochs, curves.get(name, []), top)}
            for name, shown in names
        ]
        charts.append({"title": title, "top": top, "last": epochs[-1], "lines": lines})
    return charts


def _points(epochs: list[int], values: list[float | None], top: float) -> str:
    first, last = epochs[0], epochs[-1]
    span = max(1, last - first)
    return " ".join(
        f"{_WIDTH * (epoch - first) / span:.1f},{_HEIGHT * (1 - value / top):.1f}"
        for epoch, value in zip(epochs, values, strict=False)
        if value is not None
    )
