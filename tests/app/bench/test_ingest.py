import pytest

from app.bench.ingest import run


def test_a_small_run_reports_time_and_memory() -> None:
    figures = run(buses=100, branches=1000)
    assert figures["seconds"] > 0
    assert 0.01 < figures["peak_rss_gb"] < 1
    assert figures["rows"][0]["branches"] == 1000


@pytest.mark.slow
def test_a_million_branches_are_parsed_in_time_and_memory() -> None:
    figures = run()
    assert figures["body_mb"] < 32
    assert figures["processor_seconds"] <= 1.5  # the clock also counts what others run
    assert figures["peak_rss_gb"] <= 0.6
