"""The forward pass of stored models in numpy and scipy: what the API serves predictions with."""

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact
from ml.artifact.inputs import scale_columns
from ml.config.config import TrainingConfig
from ml.errors import ArtifactRejected
from ml.graph.graph import Graph
from ml.levy.build import LevyFamily
from ml.levy.filter import filter_signal
from ml.levy.interface import LevyOperator
from ml.methods.baseline_inference import BASELINE_PASSES

Layer = dict[str, npt.NDArray[np.float32]]


def predict_probabilities(artifact: Artifact, graph: Graph) -> FloatArray:
    """Classify every node of a graph: the one trained on, a changed one, or another grid.

    Equation: Eq. (FGS_convolutional_layer) with pooling and residual block of Sec. III-B;
        baselines as in ``ml.methods.baseline_inference``.
    Deviation: float64 throughout, so equal to the torch pass within float32 round-off.
    Cost: one Lévy operator and one filtered signal a layer.
    Shapes: (N, Q) features of the graph -> (N, K), rows sum to one.
    Raises: InvalidGraph listing the features the model needs and the graph lacks;
        ArtifactRejected if its method has no pass without torch.
    """
    if artifact.method in BASELINE_PASSES:
        return BASELINE_PASSES[artifact.method](artifact, graph)
    if artifact.method != "lfgcn":
        raise ArtifactRejected(f"only its stored predictions serve a model of {artifact.method}")
    return _predict_levy(artifact, graph)


def _predict_levy(artifact: Artifact, graph: Graph) -> FloatArray:
    config = artifact.config
    signal = scale_columns(artifact, graph)
    family = LevyFamily(graph.adjacency, config.gamma, config.sigma, config.operator)
    operator = family.whole_once()
    tensors = artifact.tensors()
    for position in range(config.layers):
        prefix = f"layers.{position}."
        layer = {k.removeprefix(prefix): v for k, v in tensors.items() if k.startswith(prefix)}
        last = position == config.layers - 1
        signal = _convolve(signal, layer, operator, config, last=last)
    return np.asarray(softmax(signal, axis=1))


def _convolve(
    signal: FloatArray,
    layer: Layer,
    operator: LevyOperator,
    config: TrainingConfig,
    *,
    last: bool,
) -> FloatArray:
    kernel = layer["kernel"].astype(np.float64)
    settings = (config.alpha, config.taylor_order, config.filter_method)
    filtered = filter_signal(operator, signal, *settings)
    branches = filtered @ kernel + layer["bias"]
    if config.activation == "branch" and not last:
        branches = np.maximum(branches, 0)
    pooled = _pool(branches, layer, config)
    if "skip" not in layer:
        return pooled if last else np.maximum(pooled, 0)
    if config.skip == "pooled":
        return np.maximum(_elu(pooled @ layer["skip"]) + pooled, 0)
    skipped = (filtered if config.skip == "filtered" else signal) @ layer["skip"]
    return pooled + skipped if last else np.maximum(_elu(pooled) + skipped, 0)


def _pool(branches: FloatArray, layer: Layer, config: TrainingConfig) -> FloatArray:
    if config.pooling == "max":
        return np.asarray(branches.max(axis=0))
    average = branches.mean(axis=0)
    gate = layer.get("pooling.gate")
    if gate is None:
        return np.asarray(average)
    share = expit(_gate_signal(branches, gate.astype(np.float64)))
    return np.asarray(average + share * (branches.max(axis=0) - average))


def _gate_signal(branches: FloatArray, gate: FloatArray) -> FloatArray:
    if gate.ndim == 0:
        return gate
    per_branch = gate[:, None, None] if gate.ndim == 1 else gate
    return np.asarray((per_branch * branches).sum(axis=0))


def _elu(values: FloatArray) -> FloatArray:
    return np.where(values > 0, values, np.expm1(np.minimum(values, 0)))
