"""Limits that the costs should keep, and the main cost where a limit is missed."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class CostAim:
    """A figure and its limit: an upper one, or a lower one if ``at_least``."""

    what: str
    value: float
    limit: float
    at_least: bool = False
    limited_by: str = ""

    @property
    def met(self) -> bool:
        """Return whether the figure keeps its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def describe(self) -> str:
        """Return one line of the page."""
        kind = "at least" if self.at_least else "at most"
        line = f"- {self.what}: {self.value:.3g}, aim {kind} {self.limit:g}: "
        if self.met:
            return line + "met."
        return line + f"missed. {self.limited_by}".rstrip()


def list_aims(figures: Figures) -> Iterator[CostAim]:
    """Compare the figures of the benches with the limits of this project."""
    yield from _setup_aims(figures["levy_setup"])
    yield from _epoch_aims(figures["epoch"])
    row = _row_of(figures["betweenness"]["rows"], 2000)
    if "speedup" in row:
        yield CostAim(
            "speed-up of edge betweenness at 2,000 buses over networkx", row["speedup"], 50, True
        )
    yield from _predict_aims(figures.get("predict"))


def _predict_aims(figures: Figures | None) -> Iterator[CostAim]:
    if figures is None:
        return
    for what, key, limit, at_least in (
        ("GET /predict/{bus_id} / empty route, requests per second", "ratio", 1, True),
        ("ms of GET /predict/{bus_id} at half load, 99th percentile", "p99_ms", 5, False),
        ("seconds of GET /predict for all buses", "bulk_seconds", 1, False),
        ("MB added by GET /predict for all buses", "bulk_added_mb", 200, False),
    ):
        yield CostAim(what, figures[key], limit, at_least)


def _setup_aims(figures: Figures) -> Iterator[CostAim]:
    middle, large = (_row_of(figures["rows"], buses) for buses in (2000, 82_000))
    first = f"The very first set-up on a machine compiles for {figures['compile_seconds']} s more."
    for what, row, key, limit in (
        ("speed-up of a cold set-up at 2,000 buses over eigh", middle, "speedup_cold", 10),
        ("speed-up of a warm set-up at 2,000 buses over eigh", middle, "speedup", 40),
        ("relative error at 2,000 buses", middle, "error", 1e-6),
        ("relative error at 82,000 buses", large, "error", 1e-6),
        ("seconds of a cold set-up at 82,000 buses", large, "seconds_cold", 20),
        ("GB of a set-up at 82,000 buses", large, "peak_rss_gb", 4),
    ):
        if row.get(key) is not None:
            yield CostAim(what, row[key], limit, key.startswith("speedup"), first)


def _epoch_aims(figures: Figures) -> Iterator[CostAim]:
    for row in figures["ratios"]:
        buses = row["buses"]
        if buses <= 2000 and "lfgcn_to_gcn" in row:
            limit = _filter_share(figures, buses)
            yield CostAim(
                f"epoch of LFGCN / GCN at {buses:,} buses", row["lfgcn_to_gcn"], 2, False, limit
            )
        if buses >= 82_000 and "lfgcn_to_appnp" in row:
            limit = _filter_share(figures, buses)
            yield CostAim(
                f"epoch of LFGCN / APPNP at {buses:,} buses", row["lfgcn_to_appnp"], 3, False, limit
            )
        wanted = {2000: 1.5, 82_000: 3.0}.get(buses)
        if wanted is not None and "p_dropedge_to_lfgcn" in row:
            what = f"epoch with / without P-DropEdge at {buses:,} buses"
            limit = _view_share(figures, buses)
            yield CostAim(what, row["p_dropedge_to_lfgcn"], wanted, False, limit)


def _filter_share(figures: Figures, buses: int) -> str:
    """Describe how much of an epoch the filters take and how much the rest of the network."""
    part, epoch = _row_of(figures.get("parts", []), buses), _epoch_ms(figures, buses, "LFGCN")
    if not part or epoch is None:
        return ""
    rest = max(0.0, epoch - part["filter_ms"])
    return (
        f"Of {epoch:.3g} ms the filters take {part['filter_ms']:.3g}; {rest:.3g} go to the "
        f"{figures['branches']} parallel paths around them, the gate and the residual block."
    )


def _view_share(figures: Figures, buses: int) -> str:
    """Describe how long a reduced graph takes to build and how much of that delays the epoch."""
    part = _row_of(figures.get("parts", []), buses)
    without = _epoch_ms(figures, buses, "LFGCN")
    dropping = _epoch_ms(figures, buses, "LFGCN + P-DropEdge")
    if "view_ms" not in part or without is None or dropping is None:
        return ""
    return (
        f"A reduced graph takes {part['view_ms']:.3g} ms to build, in another thread, during an "
        f"epoch of {without:.3g} ms; {dropping - without:.3g} ms delay the epoch."
    )


def _epoch_ms(figures: Figures, buses: int, method: str) -> float | None:
    for row in figures["rows"]:
        if row["buses"] == buses and row["method"] == method:
            return float(row["ms"])
    return None


def _row_of(rows: list[Row], buses: int) -> Row:
    return next((row for row in rows if row["buses"] == buses), {})
