"""LFGCN: Lévy-flight graph convolutional network of the ICDM 2020 paper."""

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors
from ml.artifact.inputs import scale_columns
from ml.artifact.schema import ArraySpecs, ModelSizes
from ml.config.levy import LfgcnSettings
from ml.graph.graph import Graph
from ml.levy.build import LevyFamily
from ml.levy.filter import filter_signal
from ml.levy.interface import LevyOperator
from ml.methods.base import Method
from ml.methods.estimate import Estimate, Workload, estimate_levy
from ml.methods.levy_layers import layer_shapes, list_levy_arrays

Layer = dict[str, npt.NDArray[np.float32]]


def predict(artifact: Artifact, graph: Graph) -> FloatArray:
    """Classify every node from the stored weights.

    Equation: Eq. (FGS_convolutional_layer) with pooling and residual block of Sec. III-B.
    Deviation: float64 throughout, so equal to the torch pass within float32 round-off.
    Cost: one Lévy operator and one filtered signal per layer.
    Shapes: (N, Q) features of the graph -> (N, K), rows sum to one.
    """
    config = artifact.settings(LfgcnSettings)
    signal = scale_columns(artifact, graph)
    family = LevyFamily(graph.adjacency, config.gamma, config.sigma, config.operator)
    operator = family.whole_once()
    hidden, layer = reach_last_layer(artifact.tensors(), signal, operator, config)
    return np.asarray(softmax(_convolve(hidden, layer, operator, config, last=True), axis=1))


def reach_last_layer(
    tensors: Tensors, signal: FloatArray, operator: LevyOperator, config: LfgcnSettings
) -> tuple[FloatArray, Layer]:
    """Return the signal that enters the last layer, (N, C), and the arrays of that layer."""
    for position in range(config.layers):
        prefix = f"layers.{position}."
        layer = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
        if position < config.layers - 1:
            signal = _convolve(signal, layer, operator, config, last=False)
    return signal, layer


def weigh_paths(paths: FloatArray, layer: Layer, config: LfgcnSettings) -> FloatArray:
    """Return the weight that pooling gives to each path. Shapes: (P, N, K) -> the same.

    The weighted sum over the paths is the pooled signal.
    """
    highest = np.asarray(paths.argmax(axis=0) == np.arange(len(paths))[:, None, None], np.float64)
    if config.pooling == "max":
        return highest
    equal = np.full_like(highest, 1 / len(paths))
    gate = layer.get("pooling.gate")
    if gate is None:
        return equal
    share = expit(_gate_signal(paths, gate.astype(np.float64)))
    return np.asarray(equal + share * (highest - equal))


def list_arrays(settings: LfgcnSettings, sizes: ModelSizes) -> ArraySpecs:
    """Return names, types and shapes of the stored arrays."""
    return dict(list_levy_arrays("", layer_shapes(settings, sizes.features, sizes.classes)))


def estimate(workload: Workload, settings: LfgcnSettings) -> Estimate:
    """Estimate memory and time of a training run."""
    return estimate_levy(workload, settings)


def _convolve(
    signal: FloatArray, layer: Layer, operator: LevyOperator, config: LfgcnSettings, *, last: bool
) -> FloatArray:
    kernel = layer["kernel"].astype(np.float64)
    settings = (config.alpha, config.taylor_order, config.filter_method)
    filtered = filter_signal(operator, signal, *settings)
    paths = filtered @ kernel + layer["bias"]
    if config.activation == "branch" and not last:
        paths = np.maximum(paths, 0)
    pooled = _pool(paths, layer, config)
    if "skip" not in layer:
        return pooled if last else np.maximum(pooled, 0)
    if config.skip == "pooled":
        return np.maximum(_elu(pooled @ layer["skip"]) + pooled, 0)
    skipped = (filtered if config.skip == "filtered" else signal) @ layer["skip"]
    return pooled + skipped if last else np.maximum(_elu(pooled) + skipped, 0)


def _pool(paths: FloatArray, layer: Layer, config: LfgcnSettings) -> FloatArray:
    if config.pooling == "max":
        return np.asarray(paths.max(axis=0))
    average = paths.mean(axis=0)
    gate = layer.get("pooling.gate")
    if gate is None:
        return np.asarray(average)
    share = expit(_gate_signal(paths, gate.astype(np.float64)))
    return np.asarray(average + share * (paths.max(axis=0) - average))


def _gate_signal(paths: FloatArray, gate: FloatArray) -> FloatArray:
    if gate.ndim == 0:
        return gate
    per_path = gate[:, None, None] if gate.ndim == 1 else gate
    return np.asarray((per_path * paths).sum(axis=0))


def _elu(values: FloatArray) -> FloatArray:
    return np.where(values > 0, values, np.expm1(np.minimum(values, 0)))


METHOD = Method(
    key="lfgcn",
    title="LFGCN",
    description="Lévy-flight graph convolution (LFGCN)",
    settings=LfgcnSettings,
    network="ml.nn.lfgcn",
    predict=predict,
    list_arrays=list_arrays,
    estimate=estimate,
    automatic=True,
)
