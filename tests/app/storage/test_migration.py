import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import inspect, text

from app.errors import DatabaseUnusable
from app.models.predictions import PackedPredictions
from app.storage.columns import Base
from app.storage.db import Database
from app.storage.migration import is_current, upgrade

ROOT = Path(__file__).parents[3]
ADD_GRAPH = text(
    "INSERT INTO graphs (id, name, source, content_hash, bus_count, branch_count, "
    "island_count, feature_names, report, arrays, created_at) "
    "VALUES (:id, 'x', 'y', :id, 1, 0, 1, '[]', :report, :arrays, :moment)"
)


@pytest.fixture(params=["sqlite", "postgres"])
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'empty.db'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


def alembic_config(url: str) -> Config:
    config = Config(toml_file=str(ROOT / "pyproject.toml"))
    config.attributes["database_url"] = url
    return config


def table_names(url: str) -> set[str]:
    database = Database(url)
    try:
        return set(inspect(database.engine).get_table_names())
    finally:
        database.close()


def test_migrations_and_tables_agree(empty_url: str) -> None:
    upgrade(empty_url)
    command.check(alembic_config(empty_url))


def test_a_database_is_current_only_after_the_upgrade(empty_url: str) -> None:
    database = Database(empty_url)
    assert not is_current(database)
    upgrade(empty_url)
    assert is_current(database)
    database.close()


def test_an_upgrade_can_be_undone(empty_url: str) -> None:
    upgrade(empty_url)
    assert table_names(empty_url) == {*Base.metadata.tables, "alembic_version"}
    command.downgrade(alembic_config(empty_url), "base")
    assert table_names(empty_url) == {"alembic_version"}


def test_versions_and_sources_of_an_older_database_are_taken_over(empty_url: str) -> None:
    config = alembic_config(empty_url)
    command.upgrade(config, "0006")
    database = Database(empty_url)
    label = (
        "INSERT INTO labels (graph_id, name, class_names, definition, classes, created_at) "
        "VALUES ('b', :name, '[]', :definition, :arrays, '2026-01-01 00:00:00')"
    )
    reports = {"a": "{}", "b": '{"version": {"of": "a", "number": 2}}', "c": "{}"}
    definitions = {"own": "the user's own labels", "role4": "version 1: whether", "zone": "zone"}
    with database.writing() as session:
        for day, (graph_id, report) in enumerate(reports.items(), start=1):
            moment = f"2026-01-0{day} 00:00:00"
            values = {"id": graph_id, "report": report, "arrays": b"", "moment": moment}
            session.execute(ADD_GRAPH, values)
        for name, definition in definitions.items():
            named = {"name": name, "definition": definition}
            session.execute(text(label), named | {"arrays": b""})
    command.upgrade(config, "head")
    with database.reading() as session:
        versions = session.execute(text("SELECT id, family, version, version_of FROM graphs"))
        sources = session.execute(text("SELECT name, source FROM labels"))
        assert set(versions) == {("a", "a", 1, None), ("b", "a", 2, "a"), ("c", "c", 1, None)}
        assert dict(sources.all()) == {"own": "user", "role4": "catalogue", "zone": "file"}
    database.close()


def test_predictions_of_an_older_database_get_their_hash(empty_url: str) -> None:
    config = alembic_config(empty_url)
    command.upgrade(config, "0004")
    database = Database(empty_url)
    statements = (
        (
            "INSERT INTO models (id, graph_id, label, kind, class_names, manifest, metrics, "
            "curves, weights, sha256, created_at) "
            "VALUES ('m', 'g', 'role', 'lfgcn', '[]', '{}', '{}', '{}', :blob, 's', "
            "'2026-01-01 00:00:00')"
        ),
        "INSERT INTO predictions (model_id, probabilities, parts) VALUES ('m', :blob, :blob)",
    )
    graph = {"id": "g", "report": "{}", "arrays": b"", "moment": "2026-01-01 00:00:00"}
    with database.writing() as session:
        session.execute(ADD_GRAPH, graph)
        for statement in statements:
            session.execute(text(statement), {"blob": b"blob"})
    command.upgrade(config, "head")
    with database.reading() as session:
        stored = session.execute(text("SELECT sha256 FROM predictions")).scalar_one()
    assert stored == PackedPredictions(b"blob", b"blob").sha256
    database.close()


def test_several_processes_may_upgrade_at_once(empty_url: str) -> None:
    script = f"from app.storage.migration import upgrade; upgrade({empty_url!r})"

    def run(_: int) -> int:
        return subprocess.run([sys.executable, "-c", script], check=False).returncode

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(run, range(2))) == [0, 0]
    assert "graphs" in table_names(empty_url)


def test_an_upgrade_works_from_any_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    upgrade(f"sqlite:///{tmp_path / 'x.db'}")
    assert os.listdir() == ["x.db"]  # noqa: PTH208 - where we stand is the point


def test_an_unreachable_database_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DatabaseUnusable):
        upgrade(f"sqlite:///{tmp_path}/no/such/folder/x.db")
