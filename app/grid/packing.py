"""Grids and labels as bytes: a versioned header and raw columns, read back in milliseconds."""

import hashlib
from collections.abc import Sequence

import msgspec
import numpy as np

from app.errors import StoredDataDamaged
from app.grid.grid import (
    Columns,
    CoordinateSystem,
    Grid,
    LabelSet,
    Substations,
    SubstationSource,
    TextColumn,
)
from ml.arrays import IntArray

_VERSION = 1


class _PackedColumns(msgspec.Struct, array_like=True, frozen=True):
    names: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    values: bytes = b""


class _PackedSubstations(msgspec.Struct, array_like=True, frozen=True):
    source: SubstationSource
    groups: bytes
    names: tuple[str, ...] = ()


class _PackedGrid(msgspec.Struct, array_like=True):
    version: int
    name: str
    source: str
    bus_ids: tuple[str, ...]
    aliases: dict[str, tuple[str, ...]]
    coordinates: bytes
    coordinate_system: CoordinateSystem
    feature_names: tuple[str, ...]
    feature_units: tuple[str, ...]
    features: bytes
    ends: bytes
    weights: bytes
    kinds: bytes
    kind_names: tuple[str, ...]
    bus_columns: _PackedColumns = _PackedColumns()
    branch_columns: _PackedColumns = _PackedColumns()


class _PackedGridWithSubstations(_PackedGrid, array_like=True):
    """Written only for a grid with substations: other grids keep their bytes and their hash."""

    substations: _PackedSubstations | None = None


class _PackedText(msgspec.Struct, array_like=True, frozen=True):
    values: tuple[str, ...]
    codes: bytes


class _PackedGridWithTexts(_PackedGridWithSubstations, array_like=True):
    """Written only for a grid with text columns, for the same reason."""

    text_columns: dict[str, _PackedText] = {}


def pack_grid(grid: Grid) -> bytes:
    """Write a grid as bytes, once per grid object; equal grids give equal bytes."""
    blob = grid.packed
    if blob is None:
        blob = _pack(grid)
        object.__setattr__(grid, "packed", blob)
    return blob


def _pack(grid: Grid) -> bytes:
    packed = _PackedGrid(
        version=_VERSION,
        name=grid.name,
        source=grid.source,
        bus_ids=grid.bus_ids,
        aliases=dict(sorted(grid.aliases.items())),
        coordinates=grid.coordinates.astype("<f8").tobytes(),
        coordinate_system=grid.coordinate_system,
        feature_names=grid.feature_names,
        feature_units=grid.feature_units,
        features=grid.features.astype("<f8").tobytes(),
        ends=grid.ends.astype("<i4").tobytes(),
        weights=grid.weights.astype("<f8").tobytes(),
        kinds=grid.kinds.astype("<u1").tobytes(),
        kind_names=grid.kind_names,
        bus_columns=_pack_columns(grid.bus_columns),
        branch_columns=_pack_columns(grid.branch_columns),
    )
    substations = None if grid.substations is None else _pack_substations(grid.substations)
    parts = msgspec.structs.asdict(packed)
    if grid.text_columns:
        texts = {name: _pack_text(grid.text_columns[name]) for name in sorted(grid.text_columns)}
        packed = _PackedGridWithTexts(**parts, substations=substations, text_columns=texts)
    elif substations is not None:
        packed = _PackedGridWithSubstations(**parts, substations=substations)
    return msgspec.msgpack.encode(packed)


def unpack_grid(blob: bytes, *, keep_blob: bool = False) -> Grid:
    """Read a grid back; ``keep_blob`` saves packing it again. Raises: StoredDataDamaged."""
    try:
        packed = msgspec.msgpack.decode(blob, type=_PackedGridWithTexts)
        if packed.version != _VERSION:
            raise StoredDataDamaged(f"Packed grids of version {packed.version} are not supported.")
        grid = _rebuild(packed)
    except (msgspec.MsgspecError, ValueError) as error:
        raise StoredDataDamaged("A stored grid cannot be read.") from error
    if keep_blob:
        object.__setattr__(grid, "packed", blob)
    return grid


def _pack_columns(columns: Columns) -> _PackedColumns:
    values = columns.values.astype("<f8").tobytes()
    return _PackedColumns(columns.names, columns.units, values)


def _unpack_columns(packed: _PackedColumns, rows: int) -> Columns:
    values = np.frombuffer(packed.values, "<f8").reshape(rows, len(packed.names))
    return Columns(packed.names, packed.units, values)


def _pack_substations(substations: Substations) -> _PackedSubstations:
    groups = substations.groups.astype("<i4").tobytes()
    return _PackedSubstations(substations.source, groups, substations.names)


def _unpack_substations(packed: _PackedSubstations | None, count: int) -> Substations | None:
    if packed is None:
        return None
    groups = np.frombuffer(packed.groups, "<i4").astype(np.int64).reshape(count)
    return Substations(groups, packed.source, packed.names)


def _pack_text(column: TextColumn) -> _PackedText:
    return _PackedText(column.values, column.codes.astype("<i4").tobytes())


def _unpack_text(packed: _PackedText, count: int) -> TextColumn:
    codes = np.frombuffer(packed.codes, "<i4").astype(np.int64).reshape(count)
    return TextColumn(packed.values, codes)


def _rebuild(packed: _PackedGridWithTexts) -> Grid:
    count = len(packed.bus_ids)
    width = len(packed.feature_names)
    ends = np.frombuffer(packed.ends, "<i4").astype(np.int64).reshape(-1, 2)
    return Grid(
        name=packed.name,
        source=packed.source,
        bus_ids=packed.bus_ids,
        aliases=packed.aliases,
        coordinates=np.frombuffer(packed.coordinates, "<f8").reshape(count, 2),
        coordinate_system=packed.coordinate_system,
        feature_names=packed.feature_names,
        feature_units=packed.feature_units,
        features=np.frombuffer(packed.features, "<f8").reshape(count, width),
        ends=ends,
        weights=np.frombuffer(packed.weights, "<f8"),
        kinds=np.frombuffer(packed.kinds, "<u1").astype(np.int64),
        kind_names=packed.kind_names,
        bus_columns=_unpack_columns(packed.bus_columns, count),
        branch_columns=_unpack_columns(packed.branch_columns, len(ends)),
        substations=_unpack_substations(packed.substations, count),
        text_columns={
            name: _unpack_text(text, count) for name, text in packed.text_columns.items()
        },
    )


def pack_classes(label_set: LabelSet) -> bytes:
    """Write the classes of a label set as 32-bit integers, -1 for unknown."""
    return label_set.classes.astype("<i4").tobytes()


def unpack_classes(blob: bytes) -> IntArray:
    """Read the classes of a label set back, (N,)."""
    return np.frombuffer(blob, "<i4").astype(np.int64)


def hash_content(blob: bytes, label_sets: Sequence[LabelSet]) -> str:
    """Return the SHA-256 of a packed grid and the label sets that came with it."""
    digest = hashlib.sha256(blob)
    for label_set in label_sets:
        digest.update(msgspec.msgpack.encode([label_set.name, label_set.class_names]))
        digest.update(pack_classes(label_set))
    return digest.hexdigest()
