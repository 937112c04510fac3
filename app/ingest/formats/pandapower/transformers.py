"""Transformers of a pandapower network: impedance, ratio and shift as in its power flow."""

from typing import NamedTuple

import numpy as np

from app.ingest.formats.pandapower.frames import Frame
from app.ingest.formats.pandapower.parts import Net, find_in_service, make_branches, read_ends
from app.power.flow import ComplexArray
from app.power.tables import TRANSFORMER, BranchTable
from ml.arrays import BoolArray, FloatArray

_DECIMALS = 9
"""Sines agree between processors to more digits than these, and so does the content hash."""


class _Windings(NamedTuple):
    """Rated power (MVA), short-circuit voltage and losses (percent), rated kV, shift (degrees)."""

    power: FloatArray
    short_circuit: FloatArray
    losses: FloatArray
    high_kv: FloatArray
    low_kv: FloatArray
    shift: FloatArray


def read_transformers(net: Net, opened: set[int]) -> BranchTable:
    """Return the two-winding transformers; the first end is the high-voltage side."""
    frame = net.frame("trafo")
    names = ("sn_mva", "vk_percent", "vkr_percent", "vn_hv_kv", "vn_lv_kv", "shift_degree")
    return _make_transformers(net, frame, "lv", _read_windings(frame, names), opened)


def read_three_windings(net: Net, low: str, opened: set[int]) -> BranchTable:
    """Return the branches from the high-voltage side to another (``mv``, ``lv``).

    Deviation: two branches stand for the star of three; the third pair is left out.
    """
    frame = net.frame("trafo3w")
    pair = "hv" if low == "mv" else "lv"  # pandapower names the pair mv-lv "mv"
    names = ("sn_hv_mva", f"vk_{pair}_percent", f"vkr_{pair}_percent", "vn_hv_kv")
    windings = _read_windings(frame, (*names, f"vn_{low}_kv", f"shift_{low}_degree"))
    smaller = np.minimum(windings.power, frame.numbers(f"sn_{low}_mva"))
    return _make_transformers(net, frame, low, windings._replace(power=smaller), opened)


def _read_windings(frame: Frame, names: tuple[str, ...]) -> _Windings:
    windings = _Windings._make(frame.numbers(name) for name in names)
    return windings._replace(shift=np.nan_to_num(windings.shift))


def _make_transformers(
    net: Net, frame: Frame, low: str, windings: _Windings, opened: set[int]
) -> BranchTable:
    ends = read_ends(net, frame, "hv_bus", f"{low}_bus")
    parallel = frame.numbers("parallel", 1.0)
    high_kv, low_kv = net.bus.numbers("vn_kv")[ends].T
    windings = _move_taps(frame, low, _fill_voltages(windings, high_kv, low_kv))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (windings.high_kv / windings.low_kv) / (high_kv / low_kv)
        turns = (windings.low_kv / low_kv) ** 2
        series = _read_series(windings) * net.base_mva / windings.power / parallel * turns
        series, shunt = _star_to_delta(series, _read_magnetising(net, frame) / turns)
    return make_branches(
        TRANSFORMER,
        ends,
        find_in_service(frame, opened),
        resistance=series.real,
        reactance=series.imag,
        charging=shunt.imag,
        rating=windings.power * parallel * frame.numbers("df", 1.0),
        tap=np.round(ratio, _DECIMALS),
        shift=np.round(windings.shift, _DECIMALS),
    )


def _read_series(windings: _Windings) -> ComplexArray:
    """Return the short-circuit impedance per unit of the transformer; negative: a capacitor."""
    resistance, impedance = windings.losses / 100, windings.short_circuit / 100
    reactance = np.sqrt(np.maximum(impedance**2 - resistance**2, 0.0))
    return np.asarray(resistance + 1j * np.sign(impedance) * reactance, dtype=np.complex128)


def _star_to_delta(series: ComplexArray, shunt: ComplexArray) -> tuple[ComplexArray, ComplexArray]:
    """Turn the T of a transformer into the pi of a branch.

    Equation: ``z' = z + z^2 y / 4``, ``y' = y / (1 + z y / 4)``.
    Deviation: of ``y'`` the branch keeps the susceptance; iron losses are left out.
    """
    product = series * shunt / 4
    return series * (1 + product), shunt / (1 + product)


def _fill_voltages(windings: _Windings, high_kv: FloatArray, low_kv: FloatArray) -> _Windings:
    return windings._replace(
        high_kv=np.where(np.isfinite(windings.high_kv), windings.high_kv, high_kv),
        low_kv=np.where(np.isfinite(windings.low_kv), windings.low_kv, low_kv),
    )


def _read_magnetising(net: Net, frame: Frame) -> ComplexArray:
    """Return the admittance of the magnetising current: iron losses and inductive."""
    iron_mw = frame.numbers("pfe_kw", 0.0) / 1e3
    apparent = frame.numbers("i0_percent", 0.0) / 100 * frame.numbers("sn_mva", 0.0)
    reactive = np.sqrt(np.maximum(apparent**2 - iron_mw**2, 0.0))
    scale = frame.numbers("parallel", 1.0) / net.base_mva
    return np.asarray((iron_mw - 1j * reactive) * scale, dtype=np.complex128)


def _move_taps(frame: Frame, low: str, windings: _Windings) -> _Windings:
    """Apply the positions of both tap changers to the rated voltages and the shift.

    Equation: pandapower, "Transformer: electric model": the tapped winding has
        ``|V + dV e^(j phi)|`` with ``dV = V (tap_pos - tap_neutral) tap_step_percent / 100``; an
        ideal phase shifter turns by its steps and changes no voltage.
    Deviation: tables of tap positions (``tap_dependency_table``) are not read.
    """
    for changer in ("tap", "tap2"):
        sides = np.array(frame.texts(f"{changer}_side"), dtype=np.str_)
        high, shift = _move_tap(frame, changer, sides == "hv", windings.high_kv)
        lower, counter_shift = _move_tap(frame, changer, sides == low, windings.low_kv)
        shift = windings.shift + shift - counter_shift
        windings = windings._replace(high_kv=high, low_kv=lower, shift=shift)
    return windings


def _move_tap(
    frame: Frame, changer: str, here: BoolArray, voltage: FloatArray
) -> tuple[FloatArray, FloatArray]:
    steps = frame.numbers(f"{changer}_pos") - frame.numbers(f"{changer}_neutral")
    steps = np.where(here & np.isfinite(steps), steps, 0.0)
    degrees = np.nan_to_num(frame.numbers(f"{changer}_step_degree", 0.0))
    share = steps * np.nan_to_num(frame.numbers(f"{changer}_step_percent", 0.0)) / 100
    added = share * np.exp(1j * np.deg2rad(degrees))
    turns, changes = _find_kinds(frame, changer)
    by_percent = 2 * np.rad2deg(np.arcsin(np.clip(share / 2, -1.0, 1.0)))
    turned = np.where(degrees != 0, steps * degrees, by_percent)
    shift = np.where(changes, np.rad2deg(np.angle(1 + added)), np.where(turns, turned, 0.0))
    return np.where(changes, voltage * np.abs(1 + added), voltage), shift


def _find_kinds(frame: Frame, changer: str) -> tuple[BoolArray, BoolArray]:
    """Return where a tap changer only turns the phase, and where it changes the voltage."""
    if frame.has(f"{changer}_changer_type"):
        kinds = np.array(frame.texts(f"{changer}_changer_type"), dtype=np.str_)
        return kinds == "Ideal", (kinds == "Ratio") | (kinds == "Symmetrical")
    flags = frame.texts(f"{changer}_phase_shifter")  # pandapower before 3.0
    turns = np.array([flag == "True" for flag in flags], dtype=np.bool_)
    return turns, ~turns
