"""PyPSA's netCDF: sizes are checked before anything is read, damage is refused."""

import time
from typing import Any

import h5py
import numpy as np
import pytest

from app.errors import GridRejected
from app.ingest.formats import find_format
from app.ingest.formats.pypsa.network import read
from app.ingest.protocol import ReadLimits
from app.ingest.sandbox.run import run_reader
from app.ingest.upload import Upload, read_upload
from tests.app.ingest.archives import make_classic, make_netcdf
from tests.app.ingest.requests import ask


def _refusal(content: bytes) -> str:
    with pytest.raises(GridRejected) as caught:
        run_reader(ask("pypsa", content))
    return f"{caught.value} {' '.join(map(str, caught.value.faults))}"


def test_netcdf_4_is_recognised_and_read_in_the_sandbox() -> None:
    content = make_netcdf()
    form = find_format(content)
    assert form is not None
    assert form.name == "pypsa"
    grid = run_reader(ask("pypsa", content)).grid
    assert grid.name == "small"
    assert grid.bus_ids == ("A", "B", "C")
    assert grid.features[:, 0].tolist() == [0.0, 0.0, 7.0]
    assert grid.coordinate_system == "geographic"
    assert grid.text_columns["operator"].values == ("Amprion", "TenneT")


def test_classic_netcdf_is_read_too() -> None:
    content = make_classic()
    form = find_format(content)
    assert form is not None
    assert form.name == "pypsa"
    grid = run_reader(ask("pypsa", content)).grid
    assert grid.bus_ids == ("A", "BB")
    assert grid.branch_count == 1
    assert grid.find_column("base_kv").tolist() == [380.0, 220.0]  # type: ignore[union-attr]


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_truncated_file_is_called_truncated(share: float) -> None:
    content = make_netcdf()
    with pytest.raises(GridRejected) as caught:
        read_upload(Upload(content[: int(len(content) * share)]), ReadLimits())
    assert "truncated" in str(caught.value.faults[0])
    assert "truncated" in _refusal(content[: int(len(content) * share)])


def test_half_a_classic_file_is_refused() -> None:
    content = make_classic()
    assert "cannot be read" in _refusal(content[: len(content) // 2])


def _huge(shape: tuple[int, ...], **options: Any) -> Any:
    def make(file: h5py.File, name: str) -> None:
        file.create_dataset(name, shape=shape, dtype="f8", **options)

    return make


@pytest.mark.parametrize(
    "changes",
    [
        {"buses_i": _huge((10**12,), chunks=(10**5,))},
        {"lines_x": _huge((10**12,), chunks=(10**5,))},
        {"lines_x": _huge((2,), maxshape=(None,), chunks=(2**27,), compression="gzip")},
        {"loads_t_p_set": _huge((10**6, 10**6), chunks=(1, 10**5))},
        {"lines_x": _huge((2, 3, 10**9), chunks=(1, 1, 10**5))},
    ],
)
def test_huge_dimensions_are_refused_or_left_out_at_once(changes: dict[str, Any]) -> None:
    started = time.monotonic()
    try:
        grid = run_reader(ask("pypsa", make_netcdf(**changes))).grid
    except GridRejected as error:
        assert error.faults  # noqa: PT017 - either outcome is bounded
    else:
        assert grid.bus_count == 3
    assert time.monotonic() - started < 30


def test_more_buses_than_the_limit_are_refused_before_reading() -> None:
    request = ask("pypsa", make_netcdf())
    request.limits = ReadLimits(buses=2, branches=2)
    with pytest.raises(GridRejected) as caught:
        read(request)
    assert caught.value.faults[0].problem == "has more than 2 values"


def test_a_link_to_another_file_is_not_followed() -> None:
    def link(file: h5py.File, name: str) -> None:
        file[name] = h5py.ExternalLink("/etc/passwd", "/")

    grid = run_reader(ask("pypsa", make_netcdf(buses_operator=link))).grid
    assert "operator" not in grid.text_columns


def test_data_kept_in_another_file_is_not_read() -> None:
    def outside(file: h5py.File, name: str) -> None:
        file.create_dataset(name, (3,), "f8", external=[("/etc/hostname", 0, 24)])

    grid = run_reader(ask("pypsa", make_netcdf(buses_weight=outside))).grid
    assert np.isfinite(grid.features).all()
