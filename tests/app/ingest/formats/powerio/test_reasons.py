"""What powerio says about a file reaches its sender, with advice and without codes."""

import io
import re
import zipfile

import pytest

from app.errors import GridRejected
from app.ingest.formats.powerio import cgmes, psse
from tests.app.ingest.formats.powerio.hand_made_cgmes import make_archive
from tests.app.ingest.requests import ask


def _change(profile: str, pattern: str) -> bytes:
    """Return the hand-made model without the first match of a pattern in one profile."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_archive())) as whole, zipfile.ZipFile(stream, "w") as made:
        for name in whole.namelist():
            text = whole.read(name).decode()
            text = re.sub(pattern, "", text, count=1, flags=re.DOTALL) if profile in name else text
            made.writestr(name, text)
    return stream.getvalue()


def _leave_out(profile: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(make_archive())) as whole, zipfile.ZipFile(stream, "w") as made:
        for name in whole.namelist():
            if profile not in name:
                made.writestr(name, whole.read(name))
    return stream.getvalue()


def _reason(reader: str, content: bytes | str) -> str:
    module = {"cgmes": cgmes, "psse": psse}[reader]
    with pytest.raises(GridRejected) as caught:
        module.read(ask(reader, content))
    (fault,) = caught.value.faults
    assert fault.where == "file"
    return fault.problem


def test_a_node_that_is_not_in_the_files_is_named_with_the_boundary_profiles() -> None:
    content = _change("TP", r"<cim:TopologicalNode rdf:ID.*?</cim:TopologicalNode>")
    reason = "a Terminal refers to a TopologicalNode that is not in the files: add the boundary "
    assert _reason("cgmes", content).startswith(reason + "profiles EQ_BD and TP_BD")


def test_a_missing_base_voltage_may_be_in_the_boundary() -> None:
    content = _change("EQ", r"<cim:BaseVoltage .*?</cim:BaseVoltage>")
    assert "refers to a BaseVoltage that is not in the files" in _reason("cgmes", content)
    assert "EQ_BD" in _reason("cgmes", content)


def test_a_model_without_topology_says_which_profile_is_missing() -> None:
    reason = _reason("cgmes", _leave_out("TP"))
    assert reason.startswith("no topology: add the TP profile")
    assert "ConnectivityNodes" in reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0, 100.0, 30 / a\nb\nc\n" + "0\n" * 6, 'header REV "30" is not a supported revision'),
        ("0, 100.0, 33 / a\nb\nc\n" + "0\n" * 6, "case has no buses"),
    ],
)
def test_the_reason_for_a_raw_file_is_that_of_the_library(text: str, reason: str) -> None:
    given = _reason("psse", text)
    assert given.startswith(reason)
    assert "PARSE." not in given


def test_a_reason_has_no_control_characters_and_is_short() -> None:
    text = '0, 100.0, "3\x1b[31m\u202e' + "x" * 5000 + '" / a\nb\nc\n' + "0\n" * 6
    reason = _reason("psse", text)
    assert reason.isprintable()
    assert len(reason) < 300
