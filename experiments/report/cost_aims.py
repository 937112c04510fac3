"""What the costs were meant to be, whether they are, and what limits those that are not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Figures = dict[str, Any]
Row = dict[str, Any]


@dataclass(frozen=True)
class Aim:
    """A figure with the limit it was to keep: from above, or from below if ``at_least``."""

    what: str
    value: float
    limit: float
    at_least: bool = False
    limited_by: str = ""

    @property
    def met(self) -> bool:
        """True if the figure keeps its limit."""
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def describe(self) -> str:
        """Return one line of the page."""
        kind = "at least" if self.at_least else "at most"
        line = f"- {self.what}: {self.value:.3g}, aim {kind} {self.limit:g}: "
        if self.met:
            return line + "met."
        return line + f"missed. {self.limited_by}".rstrip()


def list_aims(figures: Figures) -> Iterator[Aim]:
    """Compare the figures of the benches with the aims of this project."""
    yield from _setup_aims(figures["levy_setup"])
    yield from _epoch_aims(figures["epoch"])
    row = _row_of(figures["betweenness"]["rows"], 2000)
    if "speedup" in row:
        yield Aim("edge betweenness at 2,000 buses, over networkx", row["speedup"], 50, True)


def _setup_aims(figures: Figures) -> Iterator[Aim]:
    middle, large = (_row_of(figures["rows"], buses) for buses in (2000, 82_000))
    first = f"The very first set-up on a machine compiles for {figures['compile_seconds']} s more."
    for what, row, key, limit in (
        ("set-up at 2,000 buses, cold, over eigh", middle, "speedup_cold", 10),
        ("set-up at 2,000 buses, warm, over eigh", middle, "speedup", 40),
        ("relative error at 2,000 buses", middle, "error", 1e-6),
        ("relative error at 82,000 buses", large, "error", 1e-6),
        ("seconds to set up 82,000 buses, cold", large, "seconds_cold", 20),
        ("GB to set up 82,000 buses", large, "peak_rss_gb", 4),
    ):
        if row.get(key) is not None:
            yield Aim(what, row[key], limit, key.startswith("speedup"), first)


def _epoch_aims(figures: Figures) -> Iterator[Aim]:
    for row in figures["ratios"]:
        buses = row["buses"]
        if buses <= 2000 and "lfgcn_to_gcn" in row:
            limit = _filter_share(figures, buses)
            yield Aim(f"LFGCN / GCN at {buses:,}", row["lfgcn_to_gcn"], 2, False, limit)
        if buses >= 82_000 and "lfgcn_to_appnp" in row:
            limit = _filter_share(figures, buses)
            yield Aim(f"LFGCN / APPNP at {buses:,}", row["lfgcn_to_appnp"], 3, False, limit)
        wanted = {2000: 1.5, 82_000: 3.0}.get(buses)
        if wanted is not None and "p_dropedge_to_lfgcn" in row:
            what = f"epoch with P-DropEdge / without at {buses:,}"
            limit = _view_share(figures, buses)
            yield Aim(what, row["p_dropedge_to_lfgcn"], wanted, False, limit)


def _filter_share(figures: Figures, buses: int) -> str:
    """Say what of an epoch the filters take, and what is left for the network around them."""
    part, epoch = _row_of(figures.get("parts", []), buses), _epoch_ms(figures, buses, "LFGCN")
    if not part or epoch is None:
        return ""
    rest = max(0.0, epoch - part["filter_ms"])
    return (
        f"Of {epoch:.3g} ms the filters take {part['filter_ms']:.3g}; {rest:.3g} go to the network "
        f"of {figures['branches']} branches around them, its gate and its residual block."
    )


def _view_share(figures: Figures, buses: int) -> str:
    """Say how long a censored view takes to make, and how much of that could not be hidden."""
    part = _row_of(figures.get("parts", []), buses)
    without = _epoch_ms(figures, buses, "LFGCN")
    dropping = _epoch_ms(figures, buses, "LFGCN + P-DropEdge")
    if "view_ms" not in part or without is None or dropping is None:
        return ""
    return (
        f"A censored view takes {part['view_ms']:.3g} ms to make, in another thread, beside an "
        f"epoch of {without:.3g} ms; {dropping - without:.3g} ms were not hidden."
    )


def _epoch_ms(figures: Figures, buses: int, method: str) -> float | None:
    for row in figures["rows"]:
        if row["buses"] == buses and row["method"] == method:
            return float(row["ms"])
    return None


def _row_of(rows: list[Row], buses: int) -> Row:
    return next((row for row in rows if row["buses"] == buses), {})
