"""Statements after the matrices of a case file: supported unit conversions are applied.

24 of the 78 cases that MATPOWER ships have such code; leaving it out would turn 3.7 MW into
3,715 MW. Nothing is executed: a statement is compared, without blanks, with a fixed list, and
any other statement rejects the file.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from app.errors import GridRejected
from app.ingest.formats.matpower.tables import BASE_KV, BR_R, BR_X, PD, QD
from ml.arrays import FloatArray
from ml.errors import Fault

_BUS_CONSTANTS = (
    "PQ,PV,REF,NONE,BUS_I,BUS_TYPE,PD,QD,GS,BS,BUS_AREA,VM,VA,BASE_KV,ZONE,VMAX,VMIN,"
    "LAM_P,LAM_Q,MU_VMAX,MU_VMIN"
)
_BRANCH_CONSTANTS = (
    "F_BUS,T_BUS,BR_R,BR_X,BR_B,RATE_A,RATE_B,RATE_C,TAP,SHIFT,BR_STATUS,PF,QF,PT,QT,"
    "MU_SF,MU_ST,ANGMIN,ANGMAX,MU_ANGMIN,MU_ANGMAX"
)
_GENERATOR_CONSTANTS = (
    "GEN_BUS,PG,QG,QMAX,QMIN,VG,MBASE,GEN_STATUS,PMAX,PMIN,MU_PMAX,MU_PMIN,MU_QMAX,MU_QMIN,"
    "PC1,PC2,QC1MIN,QC1MAX,QC2MIN,QC2MAX,RAMP_AGC,RAMP_10,RAMP_30,RAMP_Q,APF"
)
_CONSTANTS = {
    "idx_bus": _BUS_CONSTANTS,
    "idx_brch": _BRANCH_CONSTANTS,
    "idx_gen": _GENERATOR_CONSTANTS,
}
_SWITCHED_OFF_BLOCK = ("iffixed", "end")
_MOST_SHOWN = 80


@dataclass
class _Conversion:
    base_mva: float
    bus: FloatArray
    branch: FloatArray
    variables: dict[str, float] = field(default_factory=dict)
    applied: list[str] = field(default_factory=list)

    def set_base_voltage(self) -> None:
        self.variables["Vbase"] = float(self.bus[0, BASE_KV]) * 1e3

    def set_base_power(self) -> None:
        self.variables["Sbase"] = self.base_mva * 1e6

    def convert_ohms(self) -> None:
        base = self.variables["Vbase"] ** 2 / self.variables["Sbase"]
        self.branch[:, [BR_R, BR_X]] /= base
        self.applied.append("branch r and x from ohm to p.u.")

    def convert_kilowatts(self) -> None:
        self.bus[:, [PD, QD]] /= 1e3
        self.applied.append("demand from kW and kvar to MW and Mvar")

    def split_apparent_power(self) -> None:
        self.bus[:, QD] = self.bus[:, PD] * np.sin(np.arccos(self.variables["pf"]))
        self.applied.append("reactive demand from apparent power and power factor")

    def apply_power_factor(self) -> None:
        self.bus[:, PD] *= self.variables["pf"]
        self.applied.append("demand from apparent to active power")


_CONVERSIONS = {
    "Vbase=mpc.bus(1,BASE_KV)*1e3": _Conversion.set_base_voltage,
    "Sbase=mpc.baseMVA*1e6": _Conversion.set_base_power,
    "mpc.branch(:,[BR_RBR_X])=mpc.branch(:,[BR_RBR_X])/(Vbase^2/Sbase)": _Conversion.convert_ohms,
    "mpc.bus(:,[PD,QD])=mpc.bus(:,[PD,QD])/1e3": _Conversion.convert_kilowatts,
    "mpc.bus(:,QD)=mpc.bus(:,PD)*sin(acos(pf))": _Conversion.split_apparent_power,
    "mpc.bus(:,PD)=mpc.bus(:,PD)*pf": _Conversion.apply_power_factor,
}


def apply_statements(
    statements: Sequence[str], base_mva: float, bus: FloatArray, branch: FloatArray
) -> list[str]:
    """Apply the supported conversions in place; return a description of each.

    Raises: GridRejected naming every unsupported statement.
    """
    conversion = _Conversion(base_mva, bus, branch)
    active = _skip_switched_off(statements)
    unsupported = [statement for statement in active if not _apply(statement, conversion)]
    if unsupported:
        raise GridRejected(
            "The file has statements that are not supported unit conversions.",
            [Fault("statement", statement[:_MOST_SHOWN]) for statement in unsupported],
        )
    return conversion.applied


def _apply(statement: str, conversion: _Conversion) -> bool:
    bare = "".join(statement.split())
    if bare in ("define_constants", "end", "return") or _names_constants(bare):
        return True
    if bare.startswith("pf="):
        return _set_power_factor(bare.removeprefix("pf="), conversion)
    action = _CONVERSIONS.get(bare)
    if action is None:
        return False
    try:
        action(conversion)
    except (KeyError, ZeroDivisionError):
        return False
    return True


def _names_constants(bare: str) -> bool:
    """Accept ``[A, B, ...] = idx_bus`` only in the order MATPOWER defines."""
    target, _, function = bare.partition("=")
    constants = _CONSTANTS.get(function, "")
    names = target.removeprefix("[").removesuffix("]")
    return bool(constants) and f"{constants},".startswith(f"{names},")


def _set_power_factor(digits: str, conversion: _Conversion) -> bool:
    try:
        factor = float(digits)
    except ValueError:
        return False
    conversion.variables["pf"] = factor
    return 0 < factor <= 1


def _skip_switched_off(statements: Sequence[str]) -> list[str]:
    """Leave out ``fixed = 0; if fixed ... end`` (case8387pegase): code that never runs."""
    bare = ["".join(statement.split()) for statement in statements]
    if "fixed=0" not in bare or "iffixed" not in bare or bare[-1] != "end":
        return list(statements)
    start, opening = bare.index("fixed=0"), bare.index("iffixed")
    if opening != start + 1 or any(statement.startswith("else") for statement in bare[opening:]):
        return list(statements)
    return list(statements[:start])
