"""The reason why ``powerio`` rejects a file, in words that help its sender."""

import re

from app.grid.text_rules import replace_controls

_MOST_CHARACTERS = 280
_CODE = re.compile(r"^([A-Z][A-Z_.]+: )?((CGMES|PSS/E \.raw) read error: )?")
_MISSING = re.compile(r"(\w+) `[^`]*` property \w+\.(\w+) references missing `")
_NO_TOPOLOGY = re.compile(r"no TP profile|no TopologicalNode data")
_MEMORY = re.compile(r"`?<memory>/([^`\s]+)`?")
_BOUNDARY = "add the boundary profiles EQ_BD and TP_BD, or export an assembled model"
_EVERYTHING = "add the profile that defines it: EQ, TP, SSH, SV, or the boundary EQ_BD and TP_BD"
_AT_BOUNDARY = ("TopologicalNode", "ConnectivityNode", "ConnectivityNodeContainer", "BaseVoltage")
_TOPOLOGY = (
    "no topology: add the TP profile (and TP_BD), or, for a node-breaker model, the EQ profile "
    "with ConnectivityNodes and the SSH profile with switch positions"
)


def explain_error(error: Exception) -> str:
    """Return the reason of an error of ``powerio``: one line without codes and control characters.

    A reference to an object that is not in the files, and a model without topology, are by far
    the most frequent reasons: they get the advice that their message lacks.
    """
    text = str(error)
    missing = _MISSING.search(text)
    if missing is not None:
        owner, target = missing.groups()
        advice = _BOUNDARY if target in _AT_BOUNDARY else _EVERYTHING
        return f"a {owner} refers to a {target} that is not in the files: {advice}"
    if _NO_TOPOLOGY.search(text):
        return _TOPOLOGY
    reason = _MEMORY.sub(r"\1", _CODE.sub("", replace_controls(text))).replace("`", "")
    reason = " ".join(reason.split())
    return reason if len(reason) <= _MOST_CHARACTERS else f"{reason[:_MOST_CHARACTERS]}..."
