"""LFGCN+: LFGCN with label reuse, feature propagation and an ensemble."""

from collections.abc import Iterator

from ml.artifact.schema import ArrayShape, ArraySpecs, ModelSizes
from ml.config.levy import LfgcnPlusSettings
from ml.levy.limits import WIDE_COLUMNS
from ml.methods.base import Method
from ml.methods.estimate import Estimate, LabelSpreadingCost, Workload, estimate_levy
from ml.methods.levy_layers import layer_shapes, list_levy_arrays


def list_arrays(settings: LfgcnPlusSettings, sizes: ModelSizes) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    return dict(_list_arrays(settings, sizes))


def _list_arrays(
    settings: LfgcnPlusSettings, sizes: ModelSizes
) -> Iterator[tuple[str, tuple[str, ArrayShape]]]:
    columns = sizes.features
    if columns < WIDE_COLUMNS:
        columns = columns * (1 + settings.feature_steps) + sizes.classes
    yield "trust", ("float32", ())
    shapes = layer_shapes(settings, columns, sizes.classes)
    for member in range(settings.members):
        yield from list_levy_arrays(f"members.{member}.", shapes)


def estimate(workload: Workload, settings: LfgcnPlusSettings) -> Estimate:
    """Estimate memory and time of a training run."""
    spreading = None
    if settings.hidden_labels < 1:
        spreading = LabelSpreadingCost(clamped=settings.label_spreading == "clamped")
    return estimate_levy(workload, settings, settings.members, spreading)


METHOD = Method(
    key="lfgcn_plus",
    title="LFGCN+",
    description="Lévy-flight graph convolution with label reuse (LFGCN+)",
    settings=LfgcnPlusSettings,
    network="ml.nn.lfgcn_plus",
    label_inputs=True,
    list_arrays=list_arrays,
    estimate=estimate,
    automatic=True,
)
