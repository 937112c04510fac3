"""One small file of every format: the import report has the same keys, and known counts."""

from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from starlette.testclient import TestClient

from app.grid.report import ImportReport, SourceNotes
from app.ingest.formats import FORMATS, MODULES
from tests.app.ingest.archives import GRIDKIT, PYPSA, SIMBENCH, make_zip
from tests.app.ingest.formats.powerio.hand_made_cgmes import make_archive
from tests.app.ingest.formats.test_reader_properties import SEEDS
from tests.app.ingest.requests import ask, report_of

FILES: dict[str, bytes] = {name: text.encode() for name, (_, text) in SEEDS.items()} | {
    "cgmes": make_archive(),
    "gridkit": make_zip(GRIDKIT),
    "pypsa": make_zip(PYPSA),
    "simbench": make_zip(SIMBENCH),
}
COUNTS = {
    "cgmes": (5, 3, 2),
    "csv": (3, 2, 1),
    "graphml": (2, 1, 1),
    "json": (2, 1, 1),
    "matpower": (3, 3, 1),
    "pandapower": (2, 1, 1),
    "psse": (7, 6, 3),
}
"""Buses, branches and islands; the files are short enough to count by hand."""


def _read(name: str) -> dict[str, Any]:
    return report_of(import_module(MODULES[name]).read(ask(name, FILES[name])))


def _list_keys(value: Any, kind: Any) -> Any:
    """Check a value against its struct: exactly its keys, at every depth."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        fields = {field.name: field.type for field in msgspec.structs.fields(kind)}
        assert list(value) == list(fields)
        for name, part in fields.items():
            _list_keys(value[name], part)
    elif isinstance(value, dict) and "first" not in value:
        structs = [one for one in get_args(kind) if isinstance(one, type) and one is not type(None)]
        for one in structs:
            _list_keys(value, one)


def test_there_is_a_file_of_every_format() -> None:
    assert set(FILES) == set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_the_report_has_the_same_keys_for_every_format(name: str) -> None:
    report = _read(name)
    _list_keys(report, ImportReport)
    assert msgspec.convert(report, ImportReport).format


@pytest.mark.parametrize("name", COUNTS)
def test_small_files_have_known_counts(name: str) -> None:
    report = _read(name)
    assert (report["buses"], report["branches"], report["islands"]) == COUNTS[name]


def test_a_topology_has_the_same_keys_in_the_api(api: TestClient) -> None:
    body = {"buses": [{"id": "a"}, {"id": "b"}], "branches": [{"from": "a", "to": "b"}]}
    report = api.post("/graphs", json=body).json()["report"]
    _list_keys(report, ImportReport)
    assert report["format"] == "topology"
    assert report["power_flow"] is None


def test_openapi_describes_every_key(api: TestClient) -> None:
    schemas = api.get("/openapi.json").json()["components"]["schemas"]
    schema = schemas["GraphDetailOut"]["properties"]["report"]
    described = schema["properties"]
    assert schema["required"] == list(described)
    assert set(described) == {field.name for field in msgspec.structs.fields(ImportReport)}
    assert [name for name, schema in described.items() if not schema.get("description")] == []


def test_the_documentation_lists_every_key() -> None:
    text = (Path(__file__).parents[4] / "docs/data.md").read_text()
    keys = [field.name for field in msgspec.structs.fields(ImportReport)]
    assert [key for key in keys if f"| `{key}` |" not in text] == []


def test_remarks_of_a_reader_are_keys_of_the_report() -> None:
    remarks = {field.name for field in msgspec.structs.fields(SourceNotes)}
    assert remarks < {field.name for field in msgspec.structs.fields(ImportReport)}
