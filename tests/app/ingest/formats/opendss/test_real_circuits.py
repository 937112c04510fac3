"""Three feeders of EPRI, read as they are, beside OpenDSS itself on a copy without load shapes."""

from pathlib import Path

import numpy as np
import pytest

from app.ingest.protocol import ReadLimits, Request
from app.ingest.sandbox.run import run_reader
from experiments.datasets.dataset import find_data_folder
from tests.app.ingest.formats.opendss.circuits import pack, phases_of
from tests.app.ingest.formats.opendss.oracle import copy_without_shapes, run_original

FOLDER = find_data_folder()
CIRCUITS = None if FOLDER is None else FOLDER / "grids" / "opendss"
HERE = CIRCUITS is not None and CIRCUITS.is_dir()
_LEAST_AGREEMENT = 0.99


@pytest.mark.slow
@pytest.mark.skipif(not HERE, reason="needs grids/opendss in LEVYGRID_DATASETS_DIR")
@pytest.mark.parametrize(
    ("name", "main", "missing"),
    [
        ("ckt5", "Master_ckt5.dss", ["Loadshapes_ckt5.dss"]),
        ("ckt24", "master_ckt24.dss", ["AllocationFactors_Base.Txt"]),
        ("J1", "Master_noPV.dss", []),
    ],
)
def test_a_real_feeder_agrees_with_opendss(
    tmp_path: Path, name: str, main: str, missing: list[str]
) -> None:
    assert CIRCUITS is not None
    files = {f"{name}/{path.name}": path.read_bytes() for path in (CIRCUITS / name).iterdir()}
    limits = ReadLimits(seconds=60)
    read = run_reader(Request("opendss", {"file": pack(files)}, limits=limits))
    copy_without_shapes(CIRCUITS / name, tmp_path)
    original = run_original(tmp_path / main)
    grid, kinds = read.grid, read.report.branch_kinds
    assert read.report.files_missing == missing
    assert set(grid.bus_ids) == set(original.nodes)
    assert kinds["line"] + kinds["switch"] == original.lines
    assert (kinds["transformer"], kinds["link"]) == (original.transformers, original.reactors)
    traced = phases_of(read)
    equal = [
        traced[bus] == "".join("ABC"[node - 1] for node in sorted(nodes) if node <= 3)
        for bus, nodes in original.nodes.items()
    ]
    print(f"{name}: phases equal on {np.mean(equal):.4%} of {len(equal)} buses")  # noqa: T201
    assert np.mean(equal) >= _LEAST_AGREEMENT
    voltages = dict(zip(grid.bus_ids, grid.features[:, -1].tolist(), strict=True))
    assert voltages == pytest.approx(original.base_kv, rel=1e-4)
    assert grid.features[:, 0].sum() * 1e3 == pytest.approx(original.demand_kw)
