"""Transformer types of PyPSA: those of the file, and those that PyPSA knows by name."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from app.ingest.formats.guards.text_table import TextTable
from ml.arrays import BoolArray, FloatArray


class TransformerType(NamedTuple):
    """MVA, %, %, kW, %, degrees, side of the taps (0 or 1), neutral tap, % per tap."""

    power: float
    impedance: float
    resistance: float
    iron_losses: float
    no_load_current: float
    shift: float
    tap_side: float = 0.0
    neutral: float = 0.0
    step: float = 1.5


_STANDARD_TYPES = {
    "160 MVA 380/110 kV": TransformerType(160, 12.2, 0.25, 60, 0.06, 0),
    "100 MVA 220/110 kV": TransformerType(100, 12.0, 0.26, 55, 0.06, 0),
    "63 MVA 110/20 kV": TransformerType(63, 18, 0.32, 22, 0.04, 150),
    "40 MVA 110/20 kV": TransformerType(40, 16.2, 0.34, 18, 0.05, 150),
    "25 MVA 110/20 kV": TransformerType(25, 12, 0.41, 14, 0.07, 150),
    "63 MVA 110/10 kV": TransformerType(63, 18, 0.32, 22, 0.04, 150),
    "40 MVA 110/10 kV": TransformerType(40, 16.2, 0.34, 18, 0.05, 150),
    "25 MVA 110/10 kV": TransformerType(25, 12, 0.41, 14, 0.07, 150),
    "0.25 MVA 20/0.4 kV": TransformerType(0.25, 6, 1.44, 0.8, 0.32, 150, step=2.5),
    "0.4 MVA 20/0.4 kV": TransformerType(0.4, 6, 1.425, 1.35, 0.3375, 150, step=2.5),
    "0.63 MVA 20/0.4 kV": TransformerType(0.63, 6, 1.206, 1.65, 0.2619, 150, step=2.5),
    "0.25 MVA 10/0.4 kV": TransformerType(0.25, 4, 1.2, 0.6, 0.24, 150, step=2.5),
    "0.4 MVA 10/0.4 kV": TransformerType(0.4, 4, 1.325, 0.95, 0.2375, 150, step=2.5),
    "0.63 MVA 10/0.4 kV": TransformerType(0.63, 4, 1.0794, 1.18, 0.1873, 150, step=2.5),
}
"""Types that PyPSA has from pandapower and does not write into a file."""
_UNKNOWN = TransformerType(0, 0, 0, 0, 0, 0)
_COLUMNS = {
    "s_nom": 0.0,
    "vsc": 0.0,
    "vscr": 0.0,
    "pfe": 0.0,
    "i0": 0.0,
    "phase_shift": 0.0,
    "tap_side": 0.0,
    "tap_neutral": 0.0,
    "tap_step": 0.0,
}
"""Columns of a file in the order of the fields of a type, with their defaults."""


class TypedData(NamedTuple):
    """Data of transformers by their types, per unit of ``power``. Shapes: every column (T,)."""

    typed: BoolArray
    power: FloatArray
    resistance: FloatArray
    reactance: FloatArray
    susceptance: FloatArray
    ratio: FloatArray
    shift: FloatArray
    at_second: BoolArray


def apply_types(transformers: TextTable, types: TextTable) -> TypedData:
    """Return the data of every transformer of a known type, as PyPSA computes them.

    Equation: ``r = vscr``, ``x = sqrt(vsc^2 - r^2)``, ``b = -sqrt(i0^2 - (pfe / s_nom)^2)`` per
        unit of the type; ``num_parallel`` divides r and x and multiplies b; the ratio is
        ``1 + (tap_position - tap_neutral) tap_step``.
    """
    known = _STANDARD_TYPES | _read_types(types)
    names = transformers.texts("type")
    count = len(names)
    rows = [known.get(name, _UNKNOWN) for name in names]
    data = np.array(rows, dtype=np.float64).reshape(count, len(_COLUMNS)).T
    power, impedance, resistance, iron, current, shift, side, neutral, step = data
    parallel = np.maximum(transformers.numbers("num_parallel", 1.0), 1e-9)
    losses = np.divide(iron / 1e3, power, where=power > 0, out=np.zeros(count))
    reactance = np.sqrt(np.maximum(impedance**2 - resistance**2, 0.0)) / 100
    magnetising = np.sqrt(np.maximum((current / 100) ** 2 - losses**2, 0.0))
    return TypedData(
        typed=_list_known(names, known),
        power=power,
        resistance=resistance / 100 / parallel,
        reactance=reactance / parallel,
        susceptance=-magnetising * parallel,
        ratio=1 + (transformers.numbers("tap_position", 0.0) - neutral) * step / 100,
        shift=shift,
        at_second=side == 1,
    )


def _list_known(names: Sequence[str], known: Mapping[str, TransformerType]) -> BoolArray:
    return np.array([name in known for name in names], dtype=np.bool_)


def _read_types(types: TextTable) -> dict[str, TransformerType]:
    numbers = [types.numbers(name, default) for name, default in _COLUMNS.items()]
    rows = (TransformerType(*row) for row in zip(*numbers, strict=True))
    return dict(zip(types.texts("name"), rows, strict=True))
