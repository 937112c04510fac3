"""Tap positions of UCTE-DEF transformers: section ``##R``."""

import cmath
import math
from typing import NamedTuple

_ELEMENT = slice(0, 19)
_PHASE = (slice(20, 25), slice(29, 32))
"""Voltage of a step in percent, position."""
_ANGLE = (slice(39, 44), slice(45, 50), slice(54, 57))
"""Voltage of a step in percent, angle of the added voltage in degrees, position."""
_TYPE = slice(64, 68)


class Regulation(NamedTuple):
    """A regulated transformer, and the factor of its ratio at the second node."""

    element: str
    ratio: complex


def name_element(line: str) -> str:
    """Return the key of a transformer: both nodes and the order code."""
    return line[_ELEMENT].ljust(19)


def read_regulation(line: str) -> Regulation | None:
    """Read one record; None if it is malformed.

    Equation: UCTE-DEF version 2, section 8: the regulated winding has ``1 + n' du``; in-phase
        and angle regulation multiply. An asymmetrical phase shifter adds ``n' du e^(j theta)``,
        a symmetrical one turns by ``2 atan(dy / (2 (1 + dx)))`` and keeps the magnitude.
    """
    try:
        step, position = (_number(line, place) for place in _PHASE)
        angle_step, theta, angle_position = (_number(line, place) for place in _ANGLE)
    except ValueError:
        return None
    added = cmath.rect(angle_position * angle_step / 100, math.radians(theta))
    if line[_TYPE].strip() == "SYMM":
        turned = cmath.rect(1.0, 2 * math.atan2(added.imag, 2 * (1 + added.real)))
    else:
        turned = 1 + added
    ratio = (1 + position * step / 100) * turned
    return Regulation(name_element(line), ratio) if cmath.isfinite(ratio) and ratio else None


def _number(line: str, place: slice) -> float:
    return float(line[place].strip() or 0)
