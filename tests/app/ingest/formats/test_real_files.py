"""Counts on real files of the data folder: buses, branches, islands, places, texts."""

import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from app.ingest.formats import find_format
from app.ingest.protocol import ReadLimits
from app.ingest.upload import Upload, read_upload
from experiments.datasets.dataset import FOLDER_VARIABLE, find_data_folder
from tests.app.ingest.archives import make_zip
from tests.app.ingest.requests import report_of

pytestmark = pytest.mark.paper

_SIMBENCH_FOLDER = "1-complete_data-mixed-all-0-sw/"
_SECONDS = 5
_NODES, _BUSES = 105_615, 34_707


def _find(name: str) -> Path:
    folder = find_data_folder()
    if folder is None:
        pytest.skip(f"{FOLDER_VARIABLE} is not set")
    path = folder / "grids" / name
    if not path.exists():
        pytest.skip(f"{name} is not in the data folder")
    return path


def _zip_folder(path: Path) -> bytes:
    return make_zip({f"{path.name}/{file.name}": file.read_bytes() for file in path.iterdir()})


@pytest.mark.parametrize("name", ["pypsa/scigrid-de", "pypsa/scigrid-de.nc"])
def test_scigrid_is_the_same_from_the_folder_and_from_netcdf(name: str) -> None:
    path = _find(name)
    content = _zip_folder(path) if path.is_dir() else path.read_bytes()
    read = read_upload(Upload(content), ReadLimits())
    report = report_of(read)
    assert report["format"] == "pypsa"
    assert (report["buses"], report["branches"], report["islands"]) == (585, 948, 1)
    assert report["branch_kinds"]["transformer"] == 96
    assert report["coordinates"] == "geographic"
    texts = {one["name"]: (one["values"], one["buses"]) for one in report["text_columns"]}
    assert texts["operator"] == (108, 456)
    # the sum of the first row of loads-p_set.csv
    assert read.grid.features[:, 0].sum() == pytest.approx(51_754.08)


def test_the_european_grid_of_gridkit() -> None:
    read = read_upload(Upload(_zip_folder(_find("entsoe"))), ReadLimits())
    report = report_of(read)
    assert report["format"] == "gridkit"
    assert (report["buses"], report["branches"], report["islands"]) == (8807, 12_257, 138)
    # 11,690 pairs of lines, links and transformers, and one of converters
    assert len(np.unique(np.sort(read.grid.ends, axis=1), axis=0)) == 11_691
    texts = {one["name"]: (one["values"], one["buses"]) for one in report["text_columns"]}
    assert texts["country"] == (58, 7021)
    assert texts["TSO"] == (93, 775)


@pytest.fixture(scope="module")
def simbench_archive() -> bytes:
    """Scenario 0 out of the wheel of the package simbench, as a user would pack it."""
    folder = find_data_folder()
    wheels = sorted(folder.glob("simbench-*.whl")) if folder else []
    if not wheels:
        pytest.skip("the wheel of simbench is not in the data folder")
    stream = BytesIO()
    with (
        zipfile.ZipFile(wheels[-1]) as wheel,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        for name in wheel.namelist():
            if _SIMBENCH_FOLDER in name and name.endswith(".csv"):
                archive.writestr(name.rpartition("/")[2], wheel.read(name))
    return stream.getvalue()


def test_a_whole_simbench_scenario_is_read_in_seconds(simbench_archive: bytes) -> None:
    form = find_format(simbench_archive)
    assert form is not None
    assert form.name == "simbench"
    # 5 s of processor time, and 1 GB of address space, more than is ever resident
    read = read_upload(Upload(simbench_archive), ReadLimits(memory_bytes=2**30, seconds=_SECONDS))
    report = report_of(read)
    assert (report["buses"], report["branches"], report["islands"]) == (_BUSES, 35_292, 1)
    assert report["switches"] == {
        "closed": _NODES - _BUSES,
        "open": 2603,
        "open_at_branches": 0,
    }
    assert report["coordinates"] == "geographic"
    texts = {one["name"]: (one["values"], one["buses"]) for one in report["text_columns"]}
    assert texts["subnet"] == (443, _BUSES)
    assert "loadprofile.csv" in report["parts_not_read"]
