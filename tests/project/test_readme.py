"""The README's curl lines, run against a real service, give the answers it shows."""

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = re.compile(
    r"```sh\n((?:[A-Z]+=\$\(curl [^\n]*\n)?)(curl [^\n]*)\n```\n```json\n(.*?)\n```", re.DOTALL
)
VARIABLE = re.compile(r"^([A-Z]+)=")
ID = re.compile(r"[0-9a-f]{32}")
UNCHECKED = {"class", "probabilities"}
"""What a trained model says may differ in the last digits from one CPU to another."""


class Shell:
    """Runs lines of the README as a user who pastes them, against our own service."""

    def __init__(self, address: str) -> None:
        self.address = address.rstrip("/")
        self.variables: dict[str, str] = {}

    def assign(self, line: str) -> None:
        """Run a line that keeps an id in a variable."""
        found = VARIABLE.match(line)
        assert found is not None, line
        value = self.run(f"{line.strip()}; echo ${found[1]}").strip()
        assert ID.fullmatch(value), value
        self.variables[found[1]] = value

    def ask(self, line: str) -> dict[str, Any]:
        """Run a line that shows an answer, again until the job that it shows has ended."""
        deadline = time.monotonic() + 180
        while True:
            answer: dict[str, Any] = json.loads(self.run(line))
            if "/jobs/" not in line or answer["state"] not in {"queued", "running"}:
                return answer
            assert time.monotonic() < deadline, answer
            time.sleep(0.5)

    def run(self, line: str) -> str:
        """Return what a line prints."""
        script = line.replace("localhost:8000", self.address)
        environment = os.environ | self.variables
        command = ["bash", "-c", script]
        return subprocess.run(
            command, env=environment, capture_output=True, check=True, text=True
        ).stdout


def matching_ids(shown: Any, real: Any) -> dict[str, str]:
    """Map the ids that the README shows to those of this run."""
    return dict(zip(ID.findall(json.dumps(shown)), ID.findall(json.dumps(real)), strict=True))


def with_ids(text: str, ids: dict[str, str]) -> str:
    return ID.sub(lambda found: ids.get(found.group(), found.group()), text)


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_every_example_of_the_readme_answers_as_shown(client: httpx.Client) -> None:
    examples = EXAMPLE.findall(README)
    assert len(examples) == README.count("```json")
    shell = Shell(str(client.base_url))
    ids: dict[str, str] = {}
    for assignment, command, answer_text in examples:
        if assignment:
            shell.assign(assignment)
        shown = json.loads(answer_text)
        answer = shell.ask(command)
        assert set(shown) <= set(answer)
        real = {key: answer[key] for key in shown}
        ids |= matching_ids(shown, real)
        for key in set(shown) - UNCHECKED:
            assert json.dumps(real[key]) == with_ids(json.dumps(shown[key]), ids), key
        if "probabilities" in shown:
            assert list(real["probabilities"]) == list(shown["probabilities"])


def test_every_link_of_the_readme_leads_somewhere() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)\)", README)
    assert targets
    assert [target for target in targets if not (ROOT / target).exists()] == []


def test_the_library_example_prints_an_accuracy(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})  # noqa: S102 - our own text
    assert float(capsys.readouterr().out) in {0.0, 1.0}  # of one test bus
