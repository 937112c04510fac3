"""Which arrays a stored model must have: names, types and shapes from its settings alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ml.artifact.layer_shapes import LayerShape, layer_shapes
from ml.config.config import TrainingConfig

_WIDE = 256
"""As ``ml.nn.feature_matrix.WIDE``, which needs torch."""


@dataclass(frozen=True)
class Sizes:
    """How many nodes, features and classes a model is for."""

    nodes: int
    features: int
    classes: int


Shape = tuple[int | None, ...]
Specs = dict[str, tuple[str, Shape]]
"""Name to type and shape."""


def expected_network(config: TrainingConfig, sizes: Sizes) -> Specs | None:
    """Return the arrays of a network; None if this method's are known to torch only."""
    if config.method == "lfgcn":
        found = dict(_levy("", config, sizes.features, sizes.classes))
    elif config.method == "lfgcn_plus":
        found = dict(_plus(config, sizes))
    elif config.method in {"mlp", "gcn"}:
        found = dict(_dense_layers(config, sizes, "lin." if config.method == "gcn" else ""))
    else:
        return None
    return {name: ("float32", shape) for name, shape in found.items()}


def expected_shallow(method: str, sizes: Sizes) -> Specs:
    """Return the arrays of a method without a network."""
    classes = sizes.classes
    if method == "majority":
        return {"frequencies": ("float64", (classes,))}
    if method == "one_rule":
        return {"cuts": ("float64", (None,)), "shares": ("float64", (None, classes))}
    if method == "forest":
        links: Specs = dict.fromkeys(("roots", "feature", "left", "right"), ("int32", (None,)))
        return links | {"threshold": ("float64", (None,)), "shares": ("float64", (None, classes))}
    return {"scores": ("float64", (sizes.nodes, classes))}


def _dense_layers(config: TrainingConfig, sizes: Sizes, inner: str) -> Iterator[tuple[str, Shape]]:
    widths = [sizes.features, *[config.width] * (config.layers - 1), sizes.classes]
    for position, (inputs, outputs) in enumerate(pairwise(widths)):
        yield f"layers.{position}.{inner}weight", (outputs, inputs)
        yield f"layers.{position}.bias", (outputs,)


def _levy(
    prefix: str, config: TrainingConfig, features: int, classes: int
) -> Iterator[tuple[str, Shape]]:
    for position, shape in enumerate(layer_shapes(config, features, classes)):
        for name, wanted in _levy_layer(shape):
            yield f"{prefix}layers.{position}.{name}", wanted


def _levy_layer(shape: LayerShape) -> Iterator[tuple[str, Shape]]:
    yield "kernel", (shape.branches, shape.inputs, shape.outputs)
    yield "bias", (shape.branches, 1, shape.outputs)
    if shape.skip != "none":
        yield "skip", (shape.outputs if shape.skip == "pooled" else shape.inputs, shape.outputs)
    if shape.branches == 1 or shape.pooling not in {"mixed", "gated"}:
        return
    gates: dict[str, Shape] = {
        "branch": (shape.branches,),
        "channel": (shape.branches, 1, shape.outputs),
    }
    yield "pooling.gate", () if shape.pooling == "mixed" else gates[shape.gate]


def _plus(config: TrainingConfig, sizes: Sizes) -> Iterator[tuple[str, Shape]]:
    columns = sizes.features
    if columns < _WIDE:
        columns = columns * (1 + config.feature_steps) + sizes.classes
    yield "trust", ()
    for member in range(config.members):
        yield from _levy(f"members.{member}.", config, columns, sizes.classes)
