import pytest

from app.bench.predict import find_percentile, run


@pytest.mark.long
def test_prediction_and_empty_route_are_measured_in_one_server() -> None:
    figures = run(quick=True)
    (row,) = figures["rows"]
    assert row["requests_per_second"] > 0
    assert row["empty_route_per_second"] > 0
    assert 0 < row["p50_ms"] <= row["p99_ms"]
    assert (figures["ratio"], figures["p99_ms"]) == (row["ratio"], row["p99_ms"])
    assert [one["form"] for one in figures["bulk"]] == ["rows", "csv", "geojson"]
    for one in figures["bulk"]:
        assert one["seconds"] > 0
        assert one["body_mb"] > 0


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50), (0.99, 99), (1.0, 100), (0.001, 1)])
def test_the_percentile_is_not_exceeded_by_its_share(share: float, expected: int) -> None:
    assert find_percentile(range(100, 0, -1), share) == expected
