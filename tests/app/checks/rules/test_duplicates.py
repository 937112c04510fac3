"""Each rule on duplicates finds its defect."""

from tests.app.checks.healthy import (
    LOW,
    change_grid,
    copy_branch,
    findings_of,
    make_healthy,
    rows_of,
    set_branch,
)


def test_a_branch_given_in_both_directions() -> None:
    damaged = copy_branch(make_healthy(), 3, (4, 3))
    assert rows_of(findings_of("duplicate-branch", damaged)) == [[3, 80]]
    assert findings_of("parallel-branches-equal", damaged) == []


def test_parallel_branches_with_equal_data() -> None:
    damaged = copy_branch(copy_branch(make_healthy(), 3, (3, 4)), 3, (3, 4))
    (finding,) = findings_of("parallel-branches-equal", damaged)
    assert rows_of([finding]) == [[3, 80, 81]]
    assert finding.message == "3 parallel branches of equal data, such as line H3 - H4"
    assert findings_of("duplicate-branch", damaged) == []


def test_parallel_branches_with_other_data_are_sound() -> None:
    double = set_branch(copy_branch(make_healthy(), 3, (4, 3)), "x", {80: 0.07})
    assert findings_of("duplicate-branch", double) == []
    assert findings_of("parallel-branches-equal", double) == []


def test_two_buses_of_one_name_and_voltage() -> None:
    names = [f"Bus {bus}" for bus in range(80)]
    names[5] = " bus  4"
    damaged = change_grid(make_healthy(), aliases={"name": tuple(names)})
    (finding,) = findings_of("duplicate-bus", damaged)
    assert (finding.buses, finding.message) == (["H4", "H5"], "2 buses are called Bus 4")


def test_one_name_at_two_voltages_is_sound() -> None:
    names = [f"Bus {bus % LOW}" for bus in range(80)]
    assert findings_of("duplicate-bus", change_grid(make_healthy(), aliases={"name": names})) == []


def test_a_name_that_most_buses_share_is_not_a_name() -> None:
    names = [f"Site {bus // 2}" for bus in range(80)]
    assert findings_of("duplicate-bus", change_grid(make_healthy(), aliases={"name": names})) == []
