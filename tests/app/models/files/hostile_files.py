"""Manipulated model files, and the request that must reject them."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from safetensors.numpy import load, save
from starlette.testclient import TestClient

from tests.app.models.real_models import post_ring, put_trained

Envelope = dict[str, Any]
Tensors = dict[str, Any]


def file_of(api: TestClient, known: dict[str, bytes], method: str) -> bytes:
    graph_id = post_ring(api)
    if method not in known:
        model_id = put_trained(api, graph_id, method)
        known[method] = api.get(f"/models/{model_id}/download").content
        api.post(f"/models/{model_id}/promote", json={"reason": "stays"})
    return known[method]


def refuse(api: TestClient, content: bytes) -> dict[str, str]:
    """Send a file that must be rejected; return the faults by their place."""
    before = [model["id"] for model in api.get("/models").json()["items"]]
    answer = api.post("/models/import", files={"file": ("x.safetensors", content)})
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "/problems/model-rejected"
    assert [model["id"] for model in api.get("/models").json()["items"]] == before
    return {fault["where"]: fault["problem"] for fault in answer.json()["errors"]}


def rewritten(
    content: bytes, change: Callable[[Tensors, Envelope], None], *, reseal: bool = True
) -> bytes:
    """Return a file with other arrays or another manifest, its inner hash made to fit."""
    length = int.from_bytes(content[:8], "little")
    envelope = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["levygrid"])
    tensors = {name: value.copy() for name, value in load(content).items()}
    change(tensors, envelope)
    if reseal:
        own = {name: value for name, value in tensors.items() if name != "predictions"}
        envelope["manifest"]["sha256"] = hashlib.sha256(save(own)).hexdigest()
    return save(tensors, metadata={"levygrid": json.dumps(envelope)})


def setting(name: str, value: Any) -> Callable[[Tensors, Envelope], None]:
    def change(_: Tensors, envelope: Envelope) -> None:
        envelope["manifest"]["config"][name] = value

    return change
