"""What a training run will need, before it starts."""

from dataclasses import dataclass

from ml.arrays import SparseMatrix
from ml.artifact.layer_shapes import layer_shapes
from ml.compute.threads import thread_count
from ml.config.config import TrainingConfig
from ml.levy.choose import Kind, OperatorChoice, choose_operator

_POLES = 18
"""Poles of a large grid; small ones have fewer."""
_LIBRARIES = 450 * 2**20
"""Interpreter, torch, scipy and numba."""
_COPIES_DENSE = 6
"""Full matrices in double precision alive at once: L, its vectors, work space, the power."""
_COPIES_FEATURES = 4
"""The features in double precision: as given, scaled, for the device, work space."""
_COPIES_NETWORK = 8
"""Arrays of all branches in single precision alive at once in a training step."""
_COPIES_HEARD = 4
"""What each node hears of each label in double precision: sources, solved, kept, of an epoch."""
_COPIES_WEIGHTS = 5
"""The weights in single precision: now, their gradient, two moments of Adam, the best so far."""

_START = 1.5
"""Seconds to import the libraries and to read compiled code from disk."""
_STEP = 3e-3
"""Seconds an epoch takes however small the graph."""
# Seconds for one unit of work on one core of a machine of 2020.
_CUBE = 2.5e-10
_SOLVE = 1.7e-9
_FACTOR = 5e-9
_PRODUCT = 5e-10
_ACTIVATION = 8e-9
_DENSE = 5e-11
_COPIED = 5e-9


@dataclass(frozen=True, slots=True)
class Estimate:
    """The operator that would be used and why, memory in bytes, seconds to set up and an epoch.

    Rough: memory within a factor of two, seconds within a factor of four on a quiet machine.
    """

    kind: Kind
    reason: str
    memory_bytes: int
    setup_seconds: float
    epoch_seconds: float


def estimate(
    adjacency: SparseMatrix,
    config: TrainingConfig,
    features: int = 8,
    classes: int = 8,
    known: int = 0,
) -> Estimate:
    """Estimate memory and time of a training run with LFGCN from ``known`` training labels.

    Cost: that of ``choose_operator``; no value of a factor is computed.
    Shapes: (N, N) symmetric sparse.
    """
    choice = choose_operator(adjacency, config.gamma, config.operator)
    count = adjacency.shape[0]
    members = config.members if config.method == "lfgcn_plus" else 1
    columns = members * _filtered_columns(config, features, classes)
    kernels = _count_weights(config, features, classes)
    weights = members * sum(kernels)
    # The first product is one of many columns only where most of their values are zero.
    products = 3 * members * sum(kernels[1:]) * count
    activations = members * config.layers * config.branches * config.width * count
    network = 4 * (_COPIES_NETWORK * activations + _COPIES_WEIGHTS * weights)
    inputs = 8 * _COPIES_FEATURES * features * count
    operator = _sparse if choice.kind == "sparse" else _stored
    memory, setup, epoch = operator(adjacency, config, choice, columns * config.taylor_order)
    labels, spreading = _spread_labels(config, count, known)
    return Estimate(
        kind=choice.kind,
        reason=choice.reason,
        memory_bytes=round(_LIBRARIES + memory + inputs + network + labels),
        setup_seconds=_START + setup,
        epoch_seconds=_STEP + epoch + spreading + _ACTIVATION * activations + _DENSE * products,
    )


def _spread_labels(config: TrainingConfig, count: int, known: int) -> tuple[float, float]:
    """Return what LFGCN+ keeps and computes an epoch of what all nodes hear of each label."""
    if config.method != "lfgcn_plus" or config.hidden_labels == 1:
        return 0.0, 0.0
    heard = count * known
    if config.label_spreading == "clamped":
        return 8.0 * _COPIES_HEARD * heard, _DENSE * known**3 + _COPIED * heard
    return 8.0 * _COPIES_HEARD * heard, _DENSE * heard


def _count_weights(config: TrainingConfig, features: int, classes: int) -> list[int]:
    """Count the entries of the kernels of each layer and of the matrix beside them."""
    shapes = layer_shapes(config, features, classes)
    return [(one.branches + (one.skip != "none")) * one.inputs * one.outputs for one in shapes]


def _filtered_columns(config: TrainingConfig, features: int, classes: int) -> int:
    """Count the columns an epoch filters: forward and back in training, forward in validation."""
    last = 3 * config.branches * classes
    if not layer_shapes(config, features, classes)[0].filters:
        return last
    hidden = config.branches * config.width
    first = features if features <= hidden else 2 * hidden
    between = 3 * max(0, config.layers - 2) * min(config.width, hidden)
    return first + between + last


def _stored(
    adjacency: SparseMatrix, config: TrainingConfig, choice: OperatorChoice, columns: int
) -> tuple[float, float, float]:
    count = adjacency.shape[0]
    if choice.kind == "ordinary":
        return 64.0 * adjacency.nnz, 1e-8 * adjacency.nnz, _PRODUCT * adjacency.nnz * columns
    setup = _CUBE * count**3 / thread_count()
    epoch = _PRODUCT * count**2 * columns / 8
    if config.drop_edge != "none":
        epoch += setup if choice.kind == "dense" else epoch / 2
    return 8.0 * _COPIES_DENSE * count**2, setup, epoch


def _sparse(
    adjacency: SparseMatrix, config: TrainingConfig, choice: OperatorChoice, columns: int
) -> tuple[float, float, float]:
    from ml.levy.solver.ordering import order_nodes

    count = adjacency.shape[0]
    fill = (choice.ordering or order_nodes(adjacency)).fill
    factors = 8.0 * _POLES * (fill.stored + count)
    sparse = _FACTOR * (fill.products + 4 * fill.entries) + _DENSE * fill.core**3
    factoring = _POLES * sparse / thread_count()
    solving = _POLES * (_SOLVE * fill.entries + 2 * _DENSE * fill.core**2) / thread_count()
    if config.drop_edge == "none":
        return 3 * factors, 2 * factoring, solving * columns
    if fill.core:
        dropped = _dropped_edges(adjacency, config)
        touched = _POLES * dropped * (fill.entries + count + fill.core * dropped)
        changes = 2 * 8.0 * _POLES * dropped * 2 * fill.core
        correcting = _PRODUCT * touched / thread_count()
        return 2 * factors + changes, 2 * factoring, solving * columns + correcting
    # The whole graph, this epoch's and the next one's, and the work space of a factorisation.
    return 5 * factors, 2 * factoring, solving * columns + factoring


def _dropped_edges(adjacency: SparseMatrix, config: TrainingConfig) -> int:
    rate, top = config.drop_rates(adjacency.shape[0])
    share = rate if config.drop_edge == "uniform" else rate * top
    return max(1, round(share * adjacency.nnz / 2))
