import pytest

from app.bench.queue_ import _percentile, run
from app.commands.bench import list_benches


@pytest.mark.slow
def test_dispatch_and_throughput_are_measured_with_either_engine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEVYGRID_WARM_UP", "false")
    figures = run(jobs=1, worker_counts=(1,))
    assert figures["left_out"] == []
    assert [(row["engine"], row["workers"]) for row in figures["rows"]] == [
        ("embedded", 1),
        ("celery", 1),
    ]
    for row in figures["rows"]:
        assert 0 < row["dispatch_median_seconds"] <= row["dispatch_p95_seconds"]
        assert row["jobs_per_second"] > 0


def test_the_benchmark_of_the_module_queue_is_called_queue() -> None:
    assert list_benches()["queue"] == "app.bench.queue_"


@pytest.mark.parametrize(("count", "expected"), [(1, 0), (10, 9), (20, 18), (100, 94)])
def test_the_percentile_is_one_of_the_values(count: int, expected: int) -> None:
    assert _percentile(range(count), 0.95) == expected
