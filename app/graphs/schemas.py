"""How grids look on the wire."""

from datetime import datetime
from typing import Any, Literal, Self

import msgspec
from pydantic import BaseModel, ConfigDict, Field

from app.graphs.service import GraphDetail
from app.ingest.graph_body import GraphIn
from app.tables import GraphRow

_TOPOLOGY_EXAMPLE = {
    "name": "three buses",
    "buses": [
        {"id": "A", "features": {"Pd": 0.0}, "label": "generator"},
        {"id": "B", "features": {"Pd": 40.0}, "label": "load"},
        {"id": "C", "name": "Chester", "features": {"Pd": 25.0}, "lat": 53.2, "lon": -2.9},
    ],
    "branches": [
        {"from": "A", "to": "B"},
        {"from": "B", "to": "C", "weight": 2.0, "kind": "transformer"},
    ],
}


class GraphOut(BaseModel):
    """A grid in a listing."""

    id: str
    name: str
    source: str
    content_hash: str = Field(description="SHA-256; the same content is never stored twice.")
    bus_count: int
    branch_count: int
    island_count: int
    feature_names: list[str]
    created_at: datetime

    @classmethod
    def from_row(cls, row: GraphRow) -> Self:
        """Translate a row."""
        return cls.model_validate(row, from_attributes=True)


class GraphLabelOut(BaseModel):
    """A label set that a grid has."""

    name: str
    class_names: list[str]
    definition: str


class GraphDetailOut(GraphOut):
    """A grid with its label sets and the report of its import."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "id": "0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e",
                "name": "case118",
                "source": "pandapower 3.5.6 case118",
                "content_hash": "3b0c" + "0" * 60,
                "bus_count": 118,
                "branch_count": 186,
                "island_count": 1,
                "feature_names": ["Pd", "Qd", "Vm", "Va", "base_kv"],
                "created_at": "2026-11-16T05:00:00Z",
                "labels": [
                    {
                        "name": "role",
                        "class_names": ["neither", "load", "generator"],
                        "definition": "generator: a generator stands at the bus; ...",
                    }
                ],
                "report": {"buses": 118, "branches": 186, "islands": 1},
            }
        }
    )

    labels: list[GraphLabelOut]
    report: dict[str, Any] = Field(description="What was kept, assumed and dropped.")

    @classmethod
    def from_detail(cls, detail: GraphDetail) -> Self:
        """Translate a row and its label sets."""
        summary = GraphOut.from_row(detail.row).model_dump()
        labels = [
            GraphLabelOut.model_validate(each, from_attributes=True) for each in detail.labels
        ]
        return cls.model_validate(summary | {"labels": labels, "report": detail.row.report})


class GraphPage(BaseModel):
    """Grids, newest first."""

    items: list[GraphOut]
    next_cursor: str | None = Field(description="Give it as `cursor` for the next page.")


class BusOut(BaseModel):
    """One bus."""

    id: str
    name: str | None
    x: float | None = Field(description="Longitude, if the coordinates are geographic.")
    y: float | None = Field(description="Latitude, if the coordinates are geographic.")
    features: dict[str, float]


class BusPage(BaseModel):
    """Buses in the order of the grid."""

    items: list[BusOut]
    next_cursor: str | None


class BranchOut(BaseModel):
    """One branch between two buses, by their ids."""

    source: str = Field(serialization_alias="from")
    target: str = Field(serialization_alias="to")
    weight: float
    kind: str


class BranchPage(BaseModel):
    """Branches in the order of the grid."""

    items: list[BranchOut]
    next_cursor: str | None


class BusColumns(BaseModel):
    """One list a property, one entry a bus."""

    id: list[str]
    name: list[str | None]
    x: list[float | None]
    y: list[float | None]


class BranchColumns(BaseModel):
    """One list a property, one entry a branch; ends are positions of buses."""

    source: list[int] = Field(serialization_alias="from")
    target: list[int] = Field(serialization_alias="to")
    weight: list[float]
    kind: list[int] = Field(description="Positions in `kind_names`.")


class TopologyOut(BaseModel):
    """A whole grid as columns."""

    graph_id: str
    coordinate_system: Literal["geographic", "schematic", "none"]
    kind_names: list[str]
    buses: BusColumns
    branches: BranchColumns


def describe_body() -> dict[str, Any]:
    """Return the OpenAPI description of the body of POST /graphs, with examples."""
    (_, parts) = msgspec.json.schema_components([GraphIn], ref_template="{name}")
    schema = _inline(parts["GraphIn"], parts)
    examples = {
        "a built-in case": {"value": {"case": "case118"}},
        "a topology": {"value": _TOPOLOGY_EXAMPLE},
    }
    content = {"application/json": {"schema": schema, "examples": examples}}
    return {"requestBody": {"required": True, "content": content}}


def _inline(schema: Any, parts: dict[str, Any]) -> Any:
    if isinstance(schema, list):
        return [_inline(part, parts) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return _inline(parts[schema["$ref"]], parts)
    return {key: _inline(part, parts) for key, part in schema.items()}
