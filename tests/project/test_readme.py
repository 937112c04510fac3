"""The README's curl lines, run against a real service, give the answers it shows."""

import json
import re
import shlex
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
EXAMPLE = re.compile(r"```console\n\$ (curl .*?)\n```\n```json\n(.*?)\n```", re.DOTALL)
ID = re.compile(r"[0-9a-f]{32}")
UNCHECKED = {"class", "probabilities"}
"""What a trained model says may differ in the last digits from one CPU to another."""


def ask(client: httpx.Client, command: str) -> dict[str, Any]:
    words = shlex.split(command)
    path = next(word for word in words if word.startswith("localhost:8000"))
    body = words[words.index("-d") + 1] if "-d" in words else None
    headers = dict(
        words[position + 1].split(": ", 1) for position, word in enumerate(words) if word == "-H"
    )
    response = client.request(
        "GET" if body is None else "POST",
        path.removeprefix("localhost:8000"),
        content=body,
        headers=headers,
    )
    assert response.is_success, response.text
    answer: dict[str, Any] = response.json()
    return answer


def ask_until_ended(client: httpx.Client, command: str) -> dict[str, Any]:
    deadline = time.monotonic() + 180
    answer = ask(client, command)
    while "/jobs/" in command and answer["state"] in {"queued", "running"}:
        assert time.monotonic() < deadline, answer
        time.sleep(0.5)
        answer = ask(client, command)
    return answer


def matching_ids(shown: Any, real: Any) -> dict[str, str]:
    """Map the ids that the README shows to those of this run."""
    return dict(zip(ID.findall(json.dumps(shown)), ID.findall(json.dumps(real)), strict=True))


def with_ids(text: str, ids: dict[str, str]) -> str:
    return ID.sub(lambda found: ids.get(found.group(), found.group()), text)


def test_every_example_of_the_readme_answers_as_shown(client: httpx.Client) -> None:
    examples = EXAMPLE.findall(README)
    assert len(examples) >= 4
    ids: dict[str, str] = {}
    for command, answer_text in examples:
        shown = json.loads(answer_text)
        answer = ask_until_ended(client, with_ids(command, ids))
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
