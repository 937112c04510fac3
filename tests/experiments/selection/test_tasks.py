"""The list of tasks is frozen: a change of it is a decision, not an accident."""

from experiments.selection.tasks import QUICK_TASKS, REPORTING, TASKS, TUNING, hash_tasks

FROZEN = "be30ff684435fb0c865bc716a3e0019046c4319bd444c8a2e113cf102408dde2"
"""Changes with the list; stored cells of changed tasks are run again."""


def test_the_task_list_is_frozen() -> None:
    assert hash_tasks() == FROZEN


def test_the_halves_are_disjoint_and_complete() -> None:
    assert {task.half for task in TUNING} == {"tuning"}
    assert {task.half for task in REPORTING} == {"reporting"}
    assert len(TASKS) == len(TUNING) + len(REPORTING) >= 12


def test_a_quick_run_shows_no_reporting_task() -> None:
    assert {TASKS[name].half for name in QUICK_TASKS} == {"tuning"}
