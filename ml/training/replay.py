"""Make a model again from its manifest and tell how far the two agree; runs in a worker."""

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ml.artifact.artifact import Artifact
from ml.artifact.manifest import read_split, split_parts
from ml.errors import InvalidInput
from ml.graph.graph import Graph
from ml.graph.scaling import FeatureScaling
from ml.graph.split import Split
from ml.methods.registry import flatten_settings, get_method, make_config, read_settings
from ml.training.device import choose_device, describe_machine
from ml.training.setup import prepare

TOLERANCE = 1e-3
"""How far logits may be apart where device, CPU, threads or versions are not those of before."""
DECISIVE = ("graph", "labels", "split", "config")
"""What a model cannot be made again without."""


@dataclass(frozen=True)
class Difference:
    """One thing that is not as the manifest says."""

    what: str
    stored: Any
    now: Any

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return asdict(self)


def list_differences(manifest: Mapping[str, Any], graph: Graph) -> list[Difference]:
    """Compare a manifest with the graph as it is now and with this machine.

    Those named in ``DECISIVE`` forbid a replay; the others explain why it may differ.
    """
    found = list(_data_differences(manifest, graph))
    config = manifest.get("config", {})
    found.extend(_config_differences(config))
    device = choose_device("auto" if manifest.get("device") == "cuda" else "cpu")
    now = describe_machine(device)
    pairs = {name: (manifest.get(name), now[name]) for name in ("device", "cpu")}
    for package, version in (manifest.get("versions") or {}).items():
        pairs[f"versions.{package}"] = (version, now["versions"].get(package))
    found.extend(Difference(what, *pair) for what, pair in pairs.items() if pair[0] != pair[1])
    return found


def _data_differences(manifest: Mapping[str, Any], graph: Graph) -> Iterator[Difference]:
    split = read_split(manifest)
    hashes = {
        "graph": (manifest.get("graph_hash"), graph.content_hash),
        "labels": (manifest.get("label_hash"), graph.label_hash),
        "split": (
            (manifest.get("split") or {}).get("hash"),
            None if split is None else split.content_hash,
        ),
    }
    for what, (stored, now) in hashes.items():
        if stored is None or stored != now:
            yield Difference(what, stored, now)
    if split is not None and any(
        len(nodes) and nodes.max() >= graph.node_count for nodes in split_parts(split).values()
    ):
        yield Difference("split", "a bus that the grid does not have", graph.node_count)


def _config_differences(config: Mapping[str, Any]) -> Iterator[Difference]:
    try:
        known = flatten_settings(read_settings(config))
    except (TypeError, InvalidInput) as error:
        yield Difference("config", str(error)[:200], "settings of this version")
        return
    for name in sorted(known.keys() - config.keys()):
        yield Difference(f"settings.{name}", None, known[name])


@contextmanager
def threads_of(manifest: Mapping[str, Any]) -> Iterator[None]:
    """Use as many threads as the run of the manifest did, as far as there are cores.

    The order in which sums are taken depends on it.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(min(int(manifest.get("threads") or before), os.cpu_count() or 1))
    try:
        yield
    finally:
        torch.set_num_threads(before)


def largest_difference(stored: Artifact, again: Artifact, graph: Graph, split: Split) -> float:
    """Return how far the logits of two models are apart; of methods without logits, the arrays.

    Shapes: over all (N, K) logits. Infinite if the arrays do not fit each other.
    """
    if not get_method(stored.method).is_network:
        return _distance(stored.tensors(), again.tensors())
    first, second = (_logits_of(each, graph, split) for each in (stored, again))
    return _distance({"logits": first}, {"logits": second})


def _logits_of(artifact: Artifact, graph: Graph, split: Split) -> npt.NDArray[Any]:
    # Edges are dropped in training only, and scoring them is expensive.
    config = make_config(**(artifact.manifest["config"] | {"drop_edge": "none"}))
    device = choose_device(config.device)
    scaling = FeatureScaling.from_dict(artifact.manifest["scaling"])
    ready = prepare(graph, split, config, scaling, device)
    weights = {name: torch.from_numpy(value.copy()) for name, value in artifact.tensors().items()}
    ready.network.load_state_dict(weights)
    ready.network.eval()
    with torch.no_grad():
        logits = ready.network(ready.task.features, ready.task.views.whole(), None)
    return np.asarray(logits.cpu().numpy())


def _distance(
    stored: Mapping[str, npt.NDArray[Any]], again: Mapping[str, npt.NDArray[Any]]
) -> float:
    shapes, others = ({k: v.shape for k, v in each.items()} for each in (stored, again))
    if shapes != others:
        return math.inf
    gaps = [np.abs(stored[name] - again[name]).max(initial=0) for name in stored]
    return float(max(gaps, default=0.0))
