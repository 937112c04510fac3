"""GET /models/{id}/card.html: the model card as a printable page without scripts."""

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from app.models.card.reports import CROSS_VALIDATION
from app.models.card.schema import CardOut, PartFiguresOut
from app.models.schemas import ModelId
from app.models.service import make_card
from app.storage.db import ReadingSession
from app.storage.documents import Curves
from app.web.policy import page_headers
from app.web.rendering import render

router = APIRouter(prefix="/models", tags=["models"])

_WIDTH, _HEIGHT = 560.0, 160.0
_BEST_COUNT = 8
"""Candidates of an automatic choice that are shown at once."""
_CHARTS = (
    ("Loss", (("train_loss", "training"), ("validation_loss", "validation"))),
    ("Accuracy", (("train_accuracy", "training"), ("validation_accuracy", "validation"))),
)


@dataclass(frozen=True)
class ChartLine:
    """One curve: its name and its points as an SVG ``polyline`` takes them."""

    name: str
    points: str


@dataclass(frozen=True)
class CurveChart:
    """One chart: its title, the highest value, the last epoch and its curves."""

    title: str
    top: float
    last: float
    lines: tuple[ChartLine, ...]


@router.get(
    "/{model_id}/card.html", response_class=HTMLResponse, summary="Get the model card as a page"
)
def show_card(model_id: ModelId, session: ReadingSession) -> HTMLResponse:
    """Returns the model card as an HTML page for reading and printing."""
    card = make_card(session, model_id)
    is_out_of_fold = card.split.kind == CROSS_VALIDATION
    html = render(
        "card.html",
        card=card.model_dump(by_alias=True),
        charts=draw_charts(card.curves),
        rows=list_rows(card),
        best_count=_BEST_COUNT,
        out_of_fold=is_out_of_fold,
        judged="out of fold" if is_out_of_fold else "on test buses",
    )
    return HTMLResponse(html, headers=page_headers())


def list_rows(card: CardOut) -> Mapping[str, PartFiguresOut]:
    """Return the rows of the table of figures; an automatic choice has no validation buses."""
    if card.selection is None:
        return {str(part): figures for part, figures in card.metrics.items()}
    rows = {"out of fold": card.metrics["train"]}
    if card.split.kind != CROSS_VALIDATION:
        rows["test"] = card.metrics["test"]
    return rows


def draw_charts(curves: Curves) -> list[CurveChart]:
    """Return the loss and accuracy charts of a training run of at least two epochs."""
    epochs = [epoch for epoch in curves.get("epoch", []) if epoch is not None]
    charts = []
    for title, names in _CHARTS:
        values = [value for name, _ in names for value in curves.get(name, []) if value is not None]
        if len(epochs) < 2 or not values:
            continue
        top = max(*values, 1.0) if title == "Accuracy" else max(values) or 1.0
        lines = tuple(
            ChartLine(shown, _place_points(epochs, curves.get(name, []), top))
            for name, shown in names
        )
        charts.append(CurveChart(title, top, epochs[-1], lines))
    return charts


def _place_points(epochs: list[float], values: list[int | float | None], top: float) -> str:
    first, last = epochs[0], epochs[-1]
    span = max(1, last - first)
    return " ".join(
        f"{_WIDTH * (epoch - first) / span:.1f},{_HEIGHT * (1 - value / top):.1f}"
        for epoch, value in zip(epochs, values, strict=False)
        if value is not None
    )
