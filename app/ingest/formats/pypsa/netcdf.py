"""PyPSA's netCDF file -> parts of the network; only the wanted variables are read.

netCDF 4 is HDF5 and is read with ``h5py``; classic netCDF 3 with scipy. Sizes are checked before
anything is read: a header may claim any dimension.
"""

import codecs
import contextlib
import io
from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
import scipy.io

from app.errors import GridRejected
from app.ingest.formats.guards.text_table import TextTable
from app.ingest.formats.pypsa.source import COMPONENTS, SERIES, PypsaParts
from ml.arrays import FloatArray
from ml.errors import Fault

with contextlib.suppress(ImportError):  # loaded before files are forbidden
    import h5py

codecs.lookup("ascii")  # h5py's encoding of attributes; likewise

_HDF = b"\x89HDF"
_MOST_VARIABLES = 2000
_MOST_COLUMNS = 200
_MOST_ITEM_BYTES = 4096
_MOST_CHUNK_BYTES = 2**26
_UNREADABLE = (
    OSError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    RuntimeError,
    AttributeError,
    NotImplementedError,
    OverflowError,
    AssertionError,
)
"""Errors of h5py and scipy for a damaged file."""


class _Variable(Protocol):
    shape: tuple[int, ...]
    dtype: Any

    def __getitem__(self, key: Any) -> Any: ...


class _File:
    """An open file of either kind: its attributes and variables."""

    def __init__(self, attributes: Mapping[str, Any], variables: Mapping[str, Any]) -> None:
        self.attributes = attributes
        self.names = sorted(variables)
        self._variables = variables

    def variable(self, name: str, rows: int) -> _Variable:
        """Return a variable after a look at its size. Raises: GridRejected."""
        variable: _Variable = self._variables[name]
        shape, item = variable.shape, np.dtype(variable.dtype).itemsize
        chunks = getattr(variable, "chunks", None) or ()
        chunk_bytes = float(np.prod([float(size) for size in chunks] or [0.0])) * item
        if len(shape) == 1 and shape[0] > rows:
            raise _reject(name, f"has more than {rows:,} values")
        if item > _MOST_ITEM_BYTES or chunk_bytes > _MOST_CHUNK_BYTES or len(shape) > 2:
            raise _reject(name, "has dimensions or values that are too large")
        return variable


def read_netcdf(content: bytes, limit: int) -> PypsaParts:
    """Read a network. Raises: GridRejected."""
    try:
        file = _open_hdf(content) if content.startswith(_HDF) else _open_classic(content)
        if len(file.names) > _MOST_VARIABLES:
            raise _reject("file", f"has more than {_MOST_VARIABLES:,} variables")
        return _read_parts(file, limit)
    except _UNREADABLE as error:
        fault = Fault("file", "is truncated or damaged")
        raise GridRejected("The netCDF file cannot be read.", [fault]) from error


def _open_hdf(content: bytes) -> _File:
    try:
        file = h5py.File(io.BytesIO(content), "r")
    except NameError as error:
        raise GridRejected(
            "Reading netCDF needs the package h5py, which is not installed."
        ) from error
    names = list(file.keys())[: _MOST_VARIABLES + 1]
    # Only variables of this very file: a link may name another one.
    own = [name for name in names if isinstance(file.get(name, getlink=True), h5py.HardLink)]
    variables = {name: file[name] for name in own}
    datasets = {name: one for name, one in variables.items() if isinstance(one, h5py.Dataset)}
    return _File(file.attrs, {name: one for name, one in datasets.items() if _is_inside(one)})


def _is_inside(dataset: Any) -> bool:
    return not dataset.is_virtual and not dataset.external


def _open_classic(content: bytes) -> _File:
    file: Any = scipy.io.netcdf_file(io.BytesIO(content), "r", mmap=False)
    variables = {name: _Classic(one.data) for name, one in file.variables.items()}
    return _File(file._attributes, variables)  # noqa: SLF001 - scipy has no other mapping of them


class _Classic:
    """A variable of a classic file, which scipy has already read; characters become texts."""

    def __init__(self, data: Any) -> None:
        is_text = data.dtype == np.dtype("S1") and data.ndim == 2
        self._data = [b"".join(row) for row in data] if is_text else data
        self.shape = data.shape[:1] if is_text else data.shape
        self.dtype = np.dtype(object) if is_text else data.dtype

    def __getitem__(self, key: Any) -> Any:
        return np.array(self._data, dtype=self.dtype)[key]


def _read_parts(file: _File, limit: int) -> PypsaParts:
    srid = np.ravel(file.attributes.get("network_srid", [np.nan]))
    tables = {
        component: _read_table(file, component, limit)
        for component in COMPONENTS
        if f"{component}_i" in file.names
    }
    indexes = [name for name in file.names if name.endswith("_i") and "_t_" not in name]
    others = [name for name in indexes if name[:-2] not in (*COMPONENTS, "carriers")]
    counts = {name[:-2]: file.variable(name, limit).shape[0] for name in others}
    series = {name: _read_series(file, name, limit) for name in SERIES}
    return PypsaParts(
        name=_to_text(file.attributes.get("network_name", "")),
        srid=int(srid[0]) if len(srid) == 1 and np.isfinite(float(srid[0])) else None,
        tables=tables,
        series={name: values for name, values in series.items() if values},
        unread={name: count for name, count in counts.items() if count},
    )


def _read_table(file: _File, component: str, limit: int) -> TextTable:
    names = _read_texts(file.variable(f"{component}_i", limit))
    prefix = f"{component}_"
    wanted = [
        name
        for name in file.names
        if name.startswith(prefix) and not name.startswith(f"{component}_t_")
    ]
    columns: dict[str, Any] = {}
    for name in wanted[:_MOST_COLUMNS]:
        variable = file.variable(name, limit)
        if variable.shape == (len(names),):
            columns[name.removeprefix(prefix)] = _read_column(variable)
    return TextTable(component, columns | {"name": names}, len(names))


def _read_column(variable: _Variable) -> list[str] | FloatArray:
    if np.dtype(variable.dtype).kind in "iufb":
        return np.asarray(variable[:], dtype=np.float64)
    return _read_texts(variable)


def _read_texts(variable: _Variable) -> list[str]:
    return [_to_text(value) for value in np.ravel(variable[:]).tolist()]


def _to_text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return value if isinstance(value, str) else str(value)


def _read_series(file: _File, series: str, limit: int) -> dict[str, float]:
    component, _, attribute = series.partition("-")
    name = f"{component}_t_{attribute}"
    if name not in file.names or f"{name}_i" not in file.names:
        return {}
    elements = _read_texts(file.variable(f"{name}_i", limit))
    variable = file.variable(name, limit)
    if len(variable.shape) != 2 or variable.shape[0] == 0 or variable.shape[1] != len(elements):
        return {}
    values = np.asarray(variable[0], dtype=np.float64).tolist()
    return dict(zip(elements, values, strict=True))


def _reject(where: str, problem: str) -> GridRejected:
    return GridRejected("The netCDF file cannot be read.", [Fault(where, problem)])
