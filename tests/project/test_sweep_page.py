"""The curl lines of docs/sweeps.md, run against a real service."""

import json
import re
import shlex
import time
from typing import Any

import httpx

from tests.project.test_readme import ROOT, matching_ids, with_ids

PAGE = (ROOT / "docs" / "sweeps.md").read_text()
EXAMPLE = re.compile(r"```console\n\$ (curl .*?)\n```\n```json\n(.*?)\n```", re.DOTALL)
MEASURED = {"best", "plots"}
"""What trained models say may differ from one CPU to another."""


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
    deadline = time.monotonic() + 600
    answer = ask(client, command)
    while "/sweeps/" in command and answer["state"] in {"queued", "running"}:
        assert time.monotonic() < deadline, answer
        time.sleep(0.5)
        answer = ask(client, command)
    return answer


def test_every_example_of_the_page_answers_as_shown(client: httpx.Client) -> None:
    examples = EXAMPLE.findall(PAGE)
    assert len(examples) == 3
    ids: dict[str, str] = {}
    for command, answer_text in examples:
        shown = json.loads(answer_text)
        answer = ask_until_ended(client, with_ids(command, ids))
        real = {key: answer[key] for key in shown}
        ids |= matching_ids(shown, real)
        for key in set(shown) - MEASURED:
            assert json.dumps(real[key]) == with_ids(json.dumps(shown[key]), ids), key
        for key in MEASURED & set(shown):
            assert outline(real[key]) == outline(shown[key]), key


def outline(value: Any) -> Any:
    """Return what an answer consists of, without its figures."""
    if isinstance(value, dict):
        return {key: outline(part) for key, part in value.items()}
    return [outline(part) for part in value] if isinstance(value, list) else type(value)
