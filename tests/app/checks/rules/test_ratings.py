"""Each rule on ratings finds its defect."""

import pytest

from tests.app.checks.healthy import (
    TRANSFORMERS,
    findings_of,
    make_healthy,
    rows_of,
    set_branch,
)


@pytest.mark.parametrize("stands_for_none", [0.0, 9999.0, 9900.0])
def test_branches_without_a_rating(stands_for_none: float) -> None:
    damaged = set_branch(make_healthy(), "rating", {2: stands_for_none, 5: stands_for_none})
    (finding,) = findings_of("rating-missing", damaged)
    assert finding.message == "2 of 80 branches have no rating"
    assert rows_of([finding]) == [[2, 5]]
    assert findings_of("rating-implausible", damaged) == []


@pytest.mark.parametrize("rating", [40_000.0, 0.00004, -40.0])
def test_a_rating_in_another_unit(rating: float) -> None:
    damaged = set_branch(make_healthy(), "rating", {TRANSFORMERS[2]: rating})
    assert rows_of(findings_of("rating-implausible", damaged)) == [[TRANSFORMERS[2]]]


def test_a_small_transformer_of_a_distribution_grid_is_sound() -> None:
    """100 kVA from 110 to 20 kV is 0.5 A on the upper side and 2.9 A on the lower one."""
    small = set_branch(make_healthy(), "rating", {TRANSFORMERS[2]: 0.1})
    assert findings_of("rating-implausible", small) == []
