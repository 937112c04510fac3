"""Wire formats of grids."""

from datetime import datetime
from typing import Annotated, Any, Self

import msgspec
from pydantic import BaseModel, Field, WithJsonSchema

from app.errors import GridRejected
from app.graphs.service import GraphDetail
from app.grid.difference import GridDifference
from app.grid.grid import CoordinateSystem, LabelSource, SubstationSource
from app.grid.report import ImportReport
from app.grid.text_rules import find_grid_name_problem
from app.http.json_body import BodyIn
from app.http.struct_schema import describe_struct
from app.ingest.build.body import GraphIn
from app.storage.tables import GraphRow
from ml.errors import Fault

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

    id: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    name: str = Field(examples=["case118"])
    source: str = Field(examples=["pandapower 3.5.6 case118"])
    content_hash: str = Field(
        description="SHA-256 of the content; the same content is stored once.",
        examples=["7c5b1a64c2fa..."],
    )
    bus_count: int = Field(examples=[118])
    branch_count: int = Field(examples=[186])
    island_count: int = Field(examples=[1])
    feature_names: list[str] = Field(examples=[["Pd", "Qd", "Vm", "Va", "base_kv"]])
    version: int = Field(
        description="1 for the first version of a grid; the newest has the highest.", examples=[1]
    )
    version_of: str | None = Field(
        description="Id of the version before this one.", examples=[None]
    )
    created_at: datetime = Field(examples=["2026-11-16T05:18:45.508012Z"])

    @classmethod
    def from_row(cls, row: GraphRow) -> Self:
        """Translate a row."""
        return cls.model_validate(row, from_attributes=True)


class RenameIn(BodyIn):
    """The new name of a grid."""

    name: str = Field(
        max_length=1000,
        description="At most 200 characters, without slashes and control characters.",
        examples=["Nordic 2026"],
    )


def read_new_name(body: RenameIn) -> str:
    """Return the name if a grid may have it. Raises: GridRejected."""
    problem = find_grid_name_problem(body.name)
    if problem is not None:
        raise GridRejected("The grid was not renamed.", [Fault("name", problem)])
    return body.name


class GraphLabelOut(BaseModel):
    """A label set of a grid."""

    name: str = Field(examples=["role"])
    class_names: list[str] = Field(examples=[["neither", "load", "generator"]])
    definition: str = Field(examples=["generator: a generator is connected; else load: ..."])
    source: LabelSource = Field(examples=["file"])
    version: int = Field(description="1, and one more per replacement.", examples=[1])


class SubstationsOut(BaseModel):
    """Substations of a grid: groups of buses at one place."""

    count: int = Field(
        description="Number of substations; the number of buses if unknown.", examples=[107]
    )
    largest: int = Field(description="Buses of the largest substation.", examples=[3])
    source: SubstationSource | None = Field(
        description="`file`: given by the format or built-in case; `column`: a column "
        "`substation` of the buses; `coordinates`: buses at the same geographic coordinates; "
        "`transformers`: buses joined by transformers; null: unknown, every bus counts alone.",
        examples=["transformers"],
    )


class GraphDetailOut(GraphOut):
    """A grid with its label sets, its substations and its import report."""

    labels: list[GraphLabelOut]
    substations: SubstationsOut
    report: Annotated[dict[str, Any], WithJsonSchema(describe_struct(ImportReport, complete=True))]

    @classmethod
    def from_detail(cls, detail: GraphDetail) -> Self:
        """Translate a row and its label sets."""
        summary = GraphOut.from_row(detail.row).model_dump()
        labels = [GraphLabelOut.model_validate(row, from_attributes=True) for row in detail.labels]
        parts = {
            "labels": labels,
            "substations": SubstationsOut.model_validate(detail.substations, from_attributes=True),
            # Keys that a report stored by an older version lacks get their empty values.
            "report": msgspec.to_builtins(msgspec.convert(detail.row.report, ImportReport)),
        }
        return cls.model_validate(summary | parts)


class GraphPage(BaseModel):
    """Grids, newest first."""

    items: list[GraphOut]
    next_cursor: str | None = Field(description="Send it as `cursor` to get the next page.")


class VersionsOut(BaseModel):
    """All versions of a grid, oldest first."""

    items: list[GraphOut]


class ListingOut(BaseModel):
    """The number of items, and the first 20 of them."""

    count: int = Field(examples=[1])
    first: list[str] = Field(examples=[["7"]])


class LargestChangeOut(BaseModel):
    """The largest change of a column."""

    at: str = Field(examples=["7"])
    before: float = Field(alias="from", examples=[40.0])
    after: float = Field(alias="to", examples=[45.0])


class ColumnChangeOut(ListingOut):
    """The rows in which a column changed, and its largest change."""

    largest: LargestChangeOut


class DifferenceOut(BaseModel):
    """Everything that changed from one grid to another; buses are matched by id."""

    before: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    after: str = Field(examples=["25ee2155cd214236aca6f034b322aac9"])
    buses_added: ListingOut
    buses_removed: ListingOut
    branches_added: ListingOut
    branches_removed: ListingOut
    features_changed: dict[str, ColumnChangeOut]
    branch_columns_changed: dict[str, ColumnChangeOut]
    labels_changed: dict[str, ListingOut]

    @classmethod
    def from_difference(cls, difference: GridDifference, before: str, after: str) -> Self:
        """Translate a difference between the grids of these ids."""
        return cls(**msgspec.to_builtins(difference), before=before, after=after)


class BusOut(BaseModel):
    """One bus."""

    id: str = Field(examples=["1"])
    name: str | None = Field(examples=[None])
    x: float | None = Field(description="Longitude, or x of a drawing.", examples=[-2.2753708781])
    y: float | None = Field(description="Latitude, or y of a drawing.", examples=[2.8543413351])
    substation: str | None = Field(
        description="Name of its substation, or a number from 1 on; null if unknown.",
        examples=["1"],
    )
    aliases: dict[str, str] = Field(
        description="Other names of the bus, by kind; requests may use them as ids.",
        examples=[{"pandapower_index": "index 0"}],
    )
    features: dict[str, float] = Field(examples=[{"Pd": 51.0, "Qd": 27.0, "Vm": 0.955}])
    columns: dict[str, float] = Field(
        description="Further columns: features only for a training request that names them.",
        examples=[{"degree": 2.0, "Pg": 0.0, "generators": 1.0}],
    )
    texts: dict[str, str] = Field(
        description="Text columns of the file; each can become a label set.",
        examples=[{"operator": "Amprion"}],
    )


class BusPage(BaseModel):
    """Buses in the order of the grid, or the result of a search, best first."""

    items: list[BusOut]
    next_cursor: str | None
    total: int = Field(description="Number of all buses, or of all found.", examples=[118])


class BranchOut(BaseModel):
    """One branch between two buses, by their ids."""

    source: str = Field(serialization_alias="from", examples=["116"])
    target: str = Field(serialization_alias="to", examples=["68"])
    weight: float = Field(examples=[1.0])
    kind: str = Field(examples=["transformer"])
    columns: dict[str, float] = Field(
        description="Electrical data of the branch; the import report has the units.",
        examples=[{"r": 0.00034, "x": 0.00405, "b": 0.164, "rating": 250.0}],
    )


class BranchPage(BaseModel):
    """Branches in the order of the grid."""

    items: list[BranchOut]
    next_cursor: str | None


class BusColumns(BaseModel):
    """One list per property, one entry per bus."""

    id: list[str] = Field(examples=[["1", "2"]])
    name: list[str | None] = Field(examples=[[None, "Chester"]])
    x: list[float | None] = Field(examples=[[-2.28, -2.94]])
    y: list[float | None] = Field(examples=[[2.85, 2.21]])
    substation: list[int] | None = Field(
        description="Number of the substation of every bus, from 0 on; null if unknown.",
        examples=[[0, 0]],
    )


class BranchColumns(BaseModel):
    """One list per property, one entry per branch; ends are positions of buses."""

    source: list[int] = Field(serialization_alias="from", examples=[[0]])
    target: list[int] = Field(serialization_alias="to", examples=[[1]])
    weight: list[float] = Field(examples=[[1.0]])
    kind: list[int] = Field(description="Positions in `kind_names`.", examples=[[0]])


class TopologyOut(BaseModel):
    """A whole grid as columns."""

    graph_id: str = Field(examples=["0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"])
    coordinate_system: CoordinateSystem = Field(examples=["schematic"])
    kind_names: list[str] = Field(examples=[["line", "transformer"]])
    buses: BusColumns
    branches: BranchColumns


def describe_json() -> dict[str, Any]:
    """Return the OpenAPI description of the JSON that POST /graphs takes, with examples."""
    schema = describe_struct(GraphIn)
    examples = {
        "a built-in case": {"value": {"case": "case118"}},
        "a topology": {"value": _TOPOLOGY_EXAMPLE},
    }
    return {"application/json": {"schema": schema, "examples": examples}}
