"""A CGMES 2.4.15 model written by hand after CIM16: two islands, a tapped transformer, three
things that are off.

    A ==(two lines, one open)== B --(transformer 220/110, tap +2)-- C        D ----- E
"""

import io
import zipfile
from collections.abc import Mapping
from uuid import NAMESPACE_URL, uuid5

_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  xmlns:cim="http://iec.ch/TC57/2013/CIM-schema-cim16#"
  xmlns:entsoe="http://entsoe.eu/CIM/SchemaExtension/3/1#"
  xmlns:md="http://iec.ch/TC57/61970-552/ModelDescription/1#">
"""
_PROFILES = {
    "EQ": "http://entsoe.eu/CIM/EquipmentCore/3/1",
    "TP": "http://entsoe.eu/CIM/Topology/4/1",
    "SSH": "http://entsoe.eu/CIM/SteadyStateHypothesis/1/1",
    "SV": "http://entsoe.eu/CIM/StateVariables/4/1",
}
NODES = {"A": 220, "B": 220, "C": 110, "D": 110, "E": 110}
_TERMINALS = {
    "line 1": "AB",
    "line 2": "AB",
    "line 3": "DE",
    "transformer": "BC",
    "load B": "B",
    "load C": "C",
    "load E": "E",
    "generator A": "A",
    "generator C": "C",
    "generator D": "D",
}
_OFF = ("line 2", "load C", "generator C")
_LINES = {
    # 220 kV: 484 ohm are 1 p.u. of 100 MVA; 110 kV: 121 ohm.
    "line 1": {"r": 4.84, "x": 48.4, "bch": 0.04 / 484},
    "line 2": {"r": 9.68, "x": 96.8, "bch": 0.02 / 484},
    "line 3": {"r": 6.05, "x": 36.3, "bch": 0},
}
_POWERS = {"load B": (80, 30), "load C": (20, 5), "load E": (10, 2)}
_GENERATION = {"generator A": (70, 10), "generator C": (5, 1), "generator D": (10, 2)}


def mrid(name: str) -> str:
    """Return the id of an object of the model."""
    return str(uuid5(NAMESPACE_URL, f"hand-made {name}"))


def make_archive() -> bytes:
    """Return the model as a zip of its profiles."""
    bodies = {"EQ": _equipment(), "TP": _topology(), "SSH": _hypothesis(), "SV": _state()}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for profile, body in bodies.items():
            archive.writestr(f"hand_made_{profile}.xml", _document(profile, body))
    return stream.getvalue()


def _document(profile: str, body: list[str]) -> str:
    about = f'<md:FullModel rdf:about="urn:uuid:{mrid(profile)}">'
    head = f"{about}<md:Model.profile>{_PROFILES[profile]}</md:Model.profile></md:FullModel>"
    return "\n".join([_HEAD + head, *body, "</rdf:RDF>"])


def _write(kind: str, name: str, values: Mapping[str, object], *, new: bool = True) -> str:
    """Write one object; a value that begins with # refers to another."""
    start = f'rdf:ID="_{mrid(name)}"' if new else f'rdf:about="#_{mrid(name)}"'
    cells = "".join(_write_value(key, str(value)) for key, value in values.items())
    return f"<cim:{kind} {start}>{cells}</cim:{kind}>"


def _write_value(key: str, value: str) -> str:
    if value.startswith("#"):
        return f'<cim:{key} rdf:resource="#_{mrid(value[1:])}"/>'
    return f"<cim:{key}>{value}</cim:{key}>"


def _equipment() -> list[str]:
    elements = [
        _write("GeographicalRegion", "region", {"IdentifiedObject.name": "R"}),
        _write("SubGeographicalRegion", "sub", {"SubGeographicalRegion.Region": "#region"}),
    ]
    elements += [
        _write("BaseVoltage", str(voltage), {"BaseVoltage.nominalVoltage": voltage})
        for voltage in sorted(set(NODES.values()))
    ]
    for node, voltage in NODES.items():
        site = {"IdentifiedObject.name": node, "Substation.Region": "#sub"}
        elements.append(_write("Substation", f"station {node}", site))
        level = {"VoltageLevel.BaseVoltage": f"#{voltage}"}
        level |= {"VoltageLevel.Substation": f"#station {node}"}
        elements.append(_write("VoltageLevel", f"level {node}", level))
    return [*elements, *_branches(), *_injections(), *_terminals()]


def _branches() -> list[str]:
    elements = []
    for name, numbers in _LINES.items():
        voltage = NODES[_TERMINALS[name][0]]
        values = {"ConductingEquipment.BaseVoltage": f"#{voltage}"}
        values |= {f"ACLineSegment.{key}": str(number) for key, number in numbers.items()}
        elements.append(_write("ACLineSegment", name, values))
    elements.append(_write("PowerTransformer", "transformer", {"IdentifiedObject.name": "T"}))
    # All impedance is at the first end: 24.2 ohm at 220 kV are 0.05 p.u.
    for end, (voltage, resistance, reactance) in enumerate(((220, 0.968, 24.2), (110, 0, 0)), 1):
        values = {
            "PowerTransformerEnd.PowerTransformer": "#transformer",
            "PowerTransformerEnd.ratedU": str(voltage),
            "PowerTransformerEnd.ratedS": "100",
            "PowerTransformerEnd.r": str(resistance),
            "PowerTransformerEnd.x": str(reactance),
            "TransformerEnd.endNumber": str(end),
            "TransformerEnd.Terminal": f"#transformer terminal {end}",
            "TransformerEnd.BaseVoltage": f"#{voltage}",
        }
        elements.append(_write("PowerTransformerEnd", f"end {end}", values))
    tap = {"TapChanger.neutralStep": 0, "TapChanger.lowStep": -8, "TapChanger.highStep": 8}
    changer = {
        **tap,
        "TapChanger.neutralU": 220,
        "RatioTapChanger.stepVoltageIncrement": 1.25,
        "RatioTapChanger.TransformerEnd": "#end 1",
    }
    return [*elements, _write("RatioTapChanger", "tap", changer)]


def _injections() -> list[str]:
    elements = [
        _write("EnergyConsumer", name, {"Equipment.EquipmentContainer": f"#level {name[-1]}"})
        for name in _POWERS
    ]
    for name in _GENERATION:
        unit = {"GeneratingUnit.minOperatingP": 0, "GeneratingUnit.maxOperatingP": 100}
        elements.append(_write("GeneratingUnit", f"unit {name}", unit))
        machine = {"RotatingMachine.GeneratingUnit": f"#unit {name}"}
        machine |= {"Equipment.EquipmentContainer": f"#level {name[-1]}"}
        elements.append(_write("SynchronousMachine", name, machine))
    return elements


def _terminals() -> list[str]:
    elements = []
    for name, nodes in _TERMINALS.items():
        for number in range(1, len(nodes) + 1):
            values = {"Terminal.ConductingEquipment": f"#{name}"}
            values |= {"ACDCTerminal.sequenceNumber": str(number)}
            elements.append(_write("Terminal", f"{name} terminal {number}", values))
    return elements


def _topology() -> list[str]:
    elements = []
    for node, voltage in NODES.items():
        values = {"IdentifiedObject.name": f"Node {node}"}
        values |= {"TopologicalNode.BaseVoltage": f"#{voltage}"}
        values |= {"TopologicalNode.ConnectivityNodeContainer": f"#level {node}"}
        elements.append(_write("TopologicalNode", f"node {node}", values))
    for name, nodes in _TERMINALS.items():
        for number, node in enumerate(nodes, start=1):
            values = {"Terminal.TopologicalNode": f"#node {node}"}
            elements.append(_write("Terminal", f"{name} terminal {number}", values, new=False))
    return elements


def _hypothesis() -> list[str]:
    elements = [_write("RatioTapChanger", "tap", {"TapChanger.step": 2}, new=False)]
    for name, nodes in _TERMINALS.items():
        for number in range(1, len(nodes) + 1):
            values = {"ACDCTerminal.connected": str(name not in _OFF).lower()}
            elements.append(_write("Terminal", f"{name} terminal {number}", values, new=False))
    for name, (active, reactive) in _POWERS.items():
        consumed = {"EnergyConsumer.p": active, "EnergyConsumer.q": reactive}
        elements.append(_write("EnergyConsumer", name, consumed, new=False))
    for name, (active, reactive) in _GENERATION.items():
        # Load sign convention: what is generated is negative.
        powers = {"RotatingMachine.p": -active, "RotatingMachine.q": -reactive}
        powers |= {"SynchronousMachine.referencePriority": int(name != "generator C")}
        elements.append(_write("SynchronousMachine", name, powers, new=False))
    return elements


def _state() -> list[str]:
    elements = []
    for position, (node, voltage) in enumerate(NODES.items()):
        values = {"SvVoltage.TopologicalNode": f"#node {node}"}
        values |= {"SvVoltage.v": str(voltage), "SvVoltage.angle": str(-position)}
        elements.append(_write("SvVoltage", f"voltage {node}", values))
    return elements
