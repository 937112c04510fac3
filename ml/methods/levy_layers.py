"""The layers and stored arrays of an LFGCN, derived from its settings without torch."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ml.artifact.schema import ArrayShape
from ml.config.levy import LfgcnSettings
from ml.config.settings import Activation, Gate, Pooling, Skip


@dataclass(frozen=True, slots=True)
class LayerShape:
    """One layer: its columns, its parallel paths and the readings of the paper."""

    inputs: int
    outputs: int
    paths: int
    pooling: Pooling
    gate: Gate
    skip: Skip
    activation: Activation
    last: bool
    filters: bool = True

    @property
    def filters_first(self) -> bool:
        """True if ``(g H) W`` filters fewer columns than ``g (H W)``."""
        return self.filters and self.inputs <= self.paths * self.outputs


def layer_shapes(settings: LfgcnSettings, features: int, classes: int) -> list[LayerShape]:
    """Lay out the network: ``layers`` convolutions, the last of which gives the classes."""
    widths = [features, *[settings.width] * (settings.layers - 1), classes]
    shapes = []
    for position in range(settings.layers):
        last = position == settings.layers - 1
        shapes.append(
            LayerShape(
                inputs=widths[position],
                outputs=widths[position + 1],
                paths=settings.parallel_paths,
                pooling=settings.pooling,
                gate=settings.gate,
                skip=_skip_of(settings, last=last),
                activation=settings.activation,
                last=last,
                filters=last or not settings.filters_only_last,
            )
        )
    return shapes


def list_levy_arrays(
    prefix: str, shapes: Sequence[LayerShape]
) -> Iterator[tuple[str, tuple[str, ArrayShape]]]:
    """Yield name, type and shape of every stored array of these layers."""
    for position, shape in enumerate(shapes):
        for name, lengths in _list_layer_arrays(shape):
            yield f"{prefix}layers.{position}.{name}", ("float32", lengths)


def _list_layer_arrays(shape: LayerShape) -> Iterator[tuple[str, ArrayShape]]:
    yield "kernel", (shape.paths, shape.inputs, shape.outputs)
    yield "bias", (shape.paths, 1, shape.outputs)
    if shape.skip != "none":
        yield "skip", (shape.outputs if shape.skip == "pooled" else shape.inputs, shape.outputs)
    if shape.paths == 1 or shape.pooling not in {"mixed", "gated"}:
        return
    gates: dict[str, ArrayShape] = {
        "branch": (shape.paths,),
        "channel": (shape.paths, 1, shape.outputs),
    }
    yield "pooling.gate", () if shape.pooling == "mixed" else gates[shape.gate]


def _skip_of(settings: LfgcnSettings, *, last: bool) -> Skip:
    """Return the residual connection of a layer; a pooled one does not exist in the last."""
    bare = last and (settings.skip == "pooled" or not settings.output_skip)
    return "none" if bare else settings.skip
