import pytest

from app.bench.sweep import run


@pytest.mark.slow
def test_two_workers_finish_a_sweep_at_least_1_6_times_as_fast_as_one() -> None:
    figures = run()
    assert [row["workers"] for row in figures["rows"]] == [1, 2]
    assert figures["shortest_job_seconds"] >= 10
    assert figures["ratio"] >= 1.6
