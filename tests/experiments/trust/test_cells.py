from pathlib import Path

import numpy as np
import pytest

from experiments.json_lines import update_line
from experiments.trust.cells import (
    COVERAGES,
    FILE_NAME,
    TRUST_TASKS,
    TrustPlan,
    hash_cell,
    measure_cell,
    rank_adaptively,
    read_measured,
    run_cells,
)
from experiments.trust.summary import summarise


@pytest.fixture(scope="module")
def measured() -> dict[str, object]:
    return {"task": "ieee118_role", "seed": 0, "protocol": hash_cell("ieee118_role")} | (
        measure_cell("ieee118_role", 0)
    )


@pytest.mark.long
def test_a_cell_judges_the_default_on_the_other_buses(measured: dict[str, object]) -> None:
    (figures,) = summarise([measured])
    assert (figures.labels, figures.classes, figures.seeds) == (59, 3, 1)
    assert [row.promised for row in figures.sets] == list(COVERAGES)
    sizes = [row.size for row in figures.sets]
    assert sizes == sorted(sizes)
    assert sizes[0] >= 1
    for row in figures.sets:
        assert row.coverage >= max(row.threshold, figures.accuracy)
        assert 0 <= row.worst_class <= row.coverage
    assert int(figures.reliability["served"].counts.sum()) == 59
    assert figures.reliability["served"].accuracy[9] > figures.accuracy


@pytest.mark.long
def test_stored_cells_are_not_measured_again(tmp_path: Path, measured: dict[str, object]) -> None:
    key: dict[str, str | int] = {"task": "ieee118_role", "seed": 0}
    update_line(tmp_path / FILE_NAME, key, lambda _line: dict(measured))
    titles: list[str] = []
    plan = TrustPlan((("ieee118_role", 0),), ())
    assert run_cells(plan, tmp_path, 1, titles.append) == []
    assert not titles
    assert len(read_measured(tmp_path)) == 1


def test_cells_of_another_protocol_are_left_out(tmp_path: Path) -> None:
    key: dict[str, str | int] = {"task": "ieee118_role", "seed": 0}
    update_line(tmp_path / FILE_NAME, key, lambda _line: key | {"protocol": "old"})
    assert read_measured(tmp_path) == []


def test_the_adaptive_score_of_a_hand_case() -> None:
    found = rank_adaptively(np.array([[0.2, 0.5, 0.3]]))
    assert found[0] == pytest.approx([0.2, 1.0, 0.5])


def test_every_task_has_a_level_that_exists() -> None:
    from experiments.selection.levels import LEVELS

    assert {one.level for one in TRUST_TASKS.values()} <= {level.key for level in LEVELS}
