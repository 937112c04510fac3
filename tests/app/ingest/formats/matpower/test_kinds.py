"""Lines and transformers of MATPOWER, which has no kinds, beside the counts of pandapower."""

from pathlib import Path

import numpy as np
import pytest

from app.ingest.formats.matpower.tables import MatpowerCase, to_power_tables
from app.ingest.formats.matpower.text import parse_text
from app.power.tables import TRANSFORMER
from tests.app.ingest.requests import SMALL_CASE


def _count(case: MatpowerCase) -> int:
    return int(np.count_nonzero(to_power_tables(case).branches.kinds == TRANSFORMER))


@pytest.mark.parametrize(
    ("name", "transformers"),
    [
        # as many as in pandapower.networks 3.5.6
        ("case_ieee30", 7),
        ("case57", 17),
        ("case89pegase", 50),
        ("case145", 75),
        ("case1354pegase", 240),
        ("case1888rte", 555),
        ("case3120sp", 206),
        ("case6515rte", 1615),
        # one with the ratio 1 between equal voltages, which pandapower takes for a line
        ("case39", 11 + 1),
        ("case300", 128 + 1),
        # pandapower made up base voltages for two buses of each
        ("case14", 5 - 2),
        ("case118", 13 - 2),
    ],
)
def test_counts_are_those_of_pandapower(
    matpower_folder: Path, name: str, transformers: int
) -> None:
    assert _count(parse_text((matpower_folder / f"{name}.m").read_bytes())) == transformers


@pytest.mark.parametrize(
    ("ratios", "shift", "transformers"),
    [
        ((0, 0), 0, 0),
        ((0, 1), 0, 1),  # 0 marks a line, so 1 is the ratio of a transformer
        ((1, 1), 0, 0),
        ((1, 1), 5, 1),
        ((1, 0.98), 0, 1),
    ],
)
def test_a_ratio_of_one_is_a_line_only_if_no_branch_has_zero(
    ratios: tuple[float, float], shift: float, transformers: int
) -> None:
    case = parse_text(SMALL_CASE.encode())
    case.bus[:, 9] = 110
    branch = case.branch[:2].copy()
    branch[:, 8] = ratios
    branch[1, 9] = shift
    changed = MatpowerCase(name="", base_mva=100, bus=case.bus, branch=branch, gen=case.gen)
    assert _count(changed) == transformers
