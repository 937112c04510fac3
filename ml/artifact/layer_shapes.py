"""How the layers of an LFGCN follow from its settings; known without torch."""

from dataclasses import dataclass

from ml.config.config import Activation, Gate, Pooling, Skip, TrainingConfig


@dataclass(frozen=True, slots=True)
class LayerShape:
    """How one layer is built: its columns, its branches and the readings of the paper."""

    inputs: int
    outputs: int
    branches: int
    pooling: Pooling
    gate: Gate
    skip: Skip
    activation: Activation
    last: bool
    filters: bool = True

    @property
    def filters_first(self) -> bool:
        """True if ``(g H) W`` filters fewer columns than ``g (H W)``."""
        return self.filters and self.inputs <= self.branches * self.outputs


def layer_shapes(config: TrainingConfig, features: int, classes: int) -> list[LayerShape]:
    """Lay out the network: ``layers`` convolutions, the last of which gives the classes."""
    widths = [features, *[config.width] * (config.layers - 1), classes]
    last_alone = config.method == "lfgcn_plus" and config.filtered_layers == "last"
    shapes = []
    for position in range(config.layers):
        last = position == config.layers - 1
        shapes.append(
            LayerShape(
                inputs=widths[position],
                outputs=widths[position + 1],
                branches=config.branches,
                pooling=config.pooling,
                gate=config.gate,
                skip=_skip_of(config, last=last),
                activation=config.activation,
                last=last,
                filters=last or not last_alone,
            )
        )
    return shapes


def _skip_of(config: TrainingConfig, *, last: bool) -> Skip:
    """The last layer has no residual block: of its pooled matrix nothing could be skipped."""
    bare = last and (config.skip == "pooled" or not config.output_skip)
    return "none" if bare else config.skip
