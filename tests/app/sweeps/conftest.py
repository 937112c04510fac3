"""A service and workers on SQLite or Postgres."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.sweeps.service import SweepService, api_on
from tests.app.worker.conftest import make_bench


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SweepService]:
    """A service without workers, once on SQLite and once on Postgres."""
    url = f"sqlite:///{tmp_path / 'levygrid.db'}"
    if request.param == "postgres":
        url = request.getfixturevalue("postgres_url")
    bench = make_bench(url, tmp_path)
    with bench.stack, api_on(bench) as api:
        yield SweepService(api, bench)
    bench.database.close()
