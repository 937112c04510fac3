"""A training run as bytes: what is needed to go on as if nothing had happened."""

import hashlib
import json
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from ml.arrays import FloatArray
from ml.config.settings import NetworkSettings
from ml.errors import CheckpointRejected
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.registry import flatten_settings
from ml.training.history import EpochRecord
from ml.training.loop import Optimisation

FORMAT = "levygrid-checkpoint-1"
_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


def identify_run(
    graph: Graph, split: Split, config: NetworkSettings, edge_scores: FloatArray | None = None
) -> str:
    """Return the SHA-256 of all that decides a run: settings, graph, labels, split, scores."""
    parts = {
        "config": flatten_settings(config),
        "graph": graph.content_hash,
        "labels": graph.label_hash,
        "split": split.content_hash,
        "edge_scores": None if edge_scores is None else np.asarray(edge_scores).tolist(),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def save_checkpoint(optimisation: Optimisation, run: str) -> bytes:
    """Pack weights, Adam's moments, best weights, random states and history."""
    progress = optimisation.progress
    tensors = {f"weights.{k}": v for k, v in optimisation.network.state_dict().items()}
    tensors |= {f"best.{k}": v for k, v in progress.best_weights.items()}
    for position, moments in optimisation.adam.state_dict()["state"].items():
        tensors |= {f"adam.{position}.{name}": moments[name] for name in _MOMENTS}
    tensors["random.cpu"] = torch.get_rng_state()
    if optimisation.task.features.is_cuda:
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    state = {
        "format": FORMAT,
        "run": run,
        "best_epoch": progress.best_epoch,
        "dropped": progress.dropped.tolist(),
        "generator": progress.generator.bit_generator.state,
        "history": [record.as_dict() for record in progress.history],
    }
    # A copy, because tensors that share memory are refused.
    copies = {name: value.detach().cpu().clone() for name, value in tensors.items()}
    return save(copies, metadata={"state": json.dumps(state)})


def restore_checkpoint(optimisation: Optimisation, run: str, content: bytes) -> None:
    """Put a fresh optimisation into the state of a checkpoint, random states included.

    Deviation: values are copied into the tensors that are there, because some kernels
        depend on the alignment of memory and a resumed run must be bit-equal.
    Raises: CheckpointRejected if the bytes are damaged or belong to another run.
    """
    tensors, state = _read(content)
    if state.get("format") != FORMAT:
        raise CheckpointRejected("not a checkpoint of this version")
    if state["run"] != run:
        raise CheckpointRejected("the checkpoint was made with other settings, graph or split")
    try:
        _restore_tensors(optimisation, tensors)
        _restore_progress(optimisation, state)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise CheckpointRejected(f"the checkpoint is incomplete: {error}") from error


def _read(content: bytes) -> tuple[dict[str, Tensor], dict[str, Any]]:
    try:
        tensors = load(content)
        length = int.from_bytes(content[:8], "little")
        header = json.loads(content[8 : 8 + length])
        state = json.loads(header["__metadata__"]["state"])
    except (SafetensorError, KeyError, ValueError, TypeError) as error:
        raise CheckpointRejected(f"the checkpoint is damaged: {error}") from error
    return tensors, state


def _restore_tensors(optimisation: Optimisation, tensors: dict[str, Tensor]) -> None:
    with torch.no_grad():
        for name, value in optimisation.network.state_dict().items():
            value.copy_(tensors[f"weights.{name}"])
            optimisation.progress.best_weights[name].copy_(tensors[f"best.{name}"])
    adam = optimisation.adam.state_dict()
    count = sum(len(group["params"]) for group in adam["param_groups"])
    adam["state"] = {
        position: {name: tensors[f"adam.{position}.{name}"].clone() for name in _MOMENTS}
        for position in range(count)
    }
    optimisation.adam.load_state_dict(adam)
    torch.set_rng_state(tensors["random.cpu"].clone())
    if "random.cuda" in tensors and optimisation.task.features.is_cuda:
        torch.cuda.set_rng_state(tensors["random.cuda"].clone())


def _restore_progress(optimisation: Optimisation, state: dict[str, Any]) -> None:
    progress = optimisation.progress
    progress.best_epoch = state["best_epoch"]
    progress.dropped = np.asarray(state["dropped"], dtype=np.int64)
    progress.generator.bit_generator.state = state["generator"]
    progress.history = [EpochRecord(**record) for record in state["history"]]
