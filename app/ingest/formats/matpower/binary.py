"""Parser of binary MATPOWER cases (``.mat``, version 5); runs only in the reader process."""

import io
from typing import Any

import numpy as np
from scipy.io import loadmat
from scipy.io.matlab import MatReadError

from app.errors import GridRejected
from app.grid.report import SourceNotes
from app.ingest.formats.matpower.tables import MatpowerCase
from ml.arrays import FloatArray
from ml.errors import Fault

_READ = ("version", "baseMVA", "bus", "branch", "gen", "bus_name")


def parse_binary(content: bytes) -> MatpowerCase:
    """Read the struct ``mpc`` of a file. Raises: GridRejected listing every fault."""
    try:
        # scipy's stubs allow only paths; with a stream no file needs to be written
        stream: Any = io.BytesIO(content)
        variables = loadmat(stream, variable_names=["mpc"], squeeze_me=True)
    except NotImplementedError as error:
        raise GridRejected("MATLAB 7.3 files are not supported; save with -v7.") from error
    except (MatReadError, ValueError, TypeError, LookupError, OverflowError, EOFError) as error:
        raise GridRejected("The file is not a readable MATLAB version 5 file.") from error
    record = np.asarray(variables.get("mpc"))
    names = record.dtype.names
    if record.shape != () or names is None:
        raise GridRejected("The file has no struct 'mpc'.")
    fields = {name: record[()][name] for name in names}
    faults: list[Fault] = []
    bus, branch, gen = (_matrix(fields, name, faults) for name in ("bus", "branch", "gen"))
    base_mva = _matrix(fields, "baseMVA", faults)
    if str(fields.get("version", "")) not in ("2", "2.0"):
        faults.append(Fault("mpc.version", "is not '2'"))
    if faults:
        raise GridRejected("The file is not a complete MATPOWER case.", faults)
    return MatpowerCase(
        name="mpc",
        base_mva=float(base_mva.flat[0]) if base_mva.size == 1 else np.nan,
        bus=bus,
        branch=branch,
        gen=gen,
        bus_names=_names(fields.get("bus_name")),
        notes=SourceNotes(parts_not_read=sorted(set(names) - set(_READ))),
    )


def _matrix(fields: dict[str, Any], name: str, faults: list[Fault]) -> FloatArray:
    values = np.asarray(fields.get(name))
    if values.dtype.kind not in "fiu" or values.ndim > 2:
        problem = "is missing" if name not in fields else "is not a matrix of numbers"
        faults.append(Fault(f"mpc.{name}", problem))
        return np.zeros((0, 0))
    # squeeze_me turns a matrix of one row into a vector
    return np.atleast_2d(values.astype(np.float64))


def _names(values: Any) -> tuple[str, ...]:
    if values is None:
        return ()
    return tuple(str(value).strip() if isinstance(value, str) else "" for value in np.ravel(values))
