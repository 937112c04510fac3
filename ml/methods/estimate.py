"""Memory and time of a run, estimated before it starts."""

from dataclasses import dataclass

from ml.arrays import SparseMatrix
from ml.compute.threads import thread_count
from ml.config.levy import LfgcnSettings
from ml.config.settings import MethodSettings, NetworkSettings
from ml.levy.choose import OperatorChoice, choose_operator
from ml.levy.limits import DENSE_COPIES, FACTORED_SYSTEMS
from ml.methods.levy_layers import LayerShape, layer_shapes

_LIBRARIES = 450 * 2**20
"""Interpreter, torch, scipy and numba."""
_COPIES_FEATURES = 4
"""The features in double precision: as given, scaled, for the device, work space."""
_COPIES_NETWORK = 8
"""Arrays of all parallel paths in single precision alive at once in a training step."""
_COPIES_SPREAD = 4
"""Spread labels, nodes x labels in double precision: sources, solved, stored, of an epoch."""
_COPIES_WEIGHTS = 5
"""The weights in single precision: now, their gradient, two moments of Adam, the best so far."""

_START = 1.5
"""Seconds to import the libraries and to read compiled code from disk."""
_STEP = 3e-3
"""Seconds per epoch on the smallest graph."""
# Seconds for one unit of work on one core of a machine of 2020.
_CUBE = 2.5e-10
_SOLVE = 1.7e-9
_FACTOR = 5e-9
_PRODUCT = 5e-10
_ACTIVATION = 8e-9
_DENSE = 5e-11
_COPIED = 5e-9


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """What a run works on: the graph, its columns and classes, and the known labels."""

    adjacency: SparseMatrix
    features: int = 8
    classes: int = 8
    labels: int = 0

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return int(self.adjacency.shape[0])


@dataclass(frozen=True, slots=True)
class Estimate:
    """How the method would hold the graph and why, bytes, seconds of setup and per epoch.

    Rough: memory within a factor of two, seconds within a factor of four on a quiet machine.
    """

    kind: str
    reason: str
    memory_bytes: int
    setup_seconds: float
    epoch_seconds: float


@dataclass(frozen=True, slots=True)
class LabelSpreadingCost:
    """Marks a network that spreads labels in every epoch."""

    clamped: bool

    def of(self, workload: Workload) -> tuple[float, float]:
        """Return the bytes that it holds and the seconds per epoch."""
        entries = workload.nodes * workload.labels
        seconds = _DENSE * entries
        if self.clamped:
            seconds = _DENSE * workload.labels**3 + _COPIED * entries
        return 8.0 * _COPIES_SPREAD * entries, seconds


def estimate_direct(workload: Workload, _settings: MethodSettings) -> Estimate:
    """Estimate a method without a network: one pass over features, labels and edges."""
    values = workload.nodes * (workload.features + 2 * workload.classes)
    return Estimate(
        kind="direct",
        reason="no network is trained",
        memory_bytes=round(
            _LIBRARIES + 8 * _COPIES_FEATURES * values + 64.0 * workload.adjacency.nnz
        ),
        setup_seconds=_START + _COPIED * (values + workload.adjacency.nnz * workload.classes),
        epoch_seconds=0.0,
    )


def estimate_messages(workload: Workload, settings: NetworkSettings) -> Estimate:
    """Estimate a network that passes messages along the edges, or sees no graph at all."""
    columns = settings.layers * settings.path_count * settings.width + workload.classes
    activations = columns * workload.nodes
    first = workload.features * settings.path_count * settings.width
    weights = first + settings.layers * (settings.path_count * settings.width) ** 2
    messages = _PRODUCT * workload.adjacency.nnz * columns * 3
    products = _DENSE * 3 * weights * workload.nodes
    return Estimate(
        kind="messages",
        reason="messages along the edges",
        memory_bytes=round(
            _LIBRARIES
            + 8 * _COPIES_FEATURES * workload.features * workload.nodes
            + 4 * (_COPIES_NETWORK * activations + _COPIES_WEIGHTS * weights)
            + 64.0 * workload.adjacency.nnz
        ),
        setup_seconds=_START,
        epoch_seconds=_STEP + messages + products + _ACTIVATION * activations,
    )


def estimate_levy(
    workload: Workload,
    settings: LfgcnSettings,
    members: int = 1,
    spreading: LabelSpreadingCost | None = None,
) -> Estimate:
    """Estimate ``members`` networks of Lévy layers.

    Cost: that of ``choose_operator``; no value of a factor is computed.
    """
    choice = choose_operator(workload.adjacency, settings.gamma, settings.operator)
    shapes = layer_shapes(settings, workload.features, workload.classes)
    columns = members * _filtered_columns(settings, shapes, workload)
    kernels = [(one.paths + (one.skip != "none")) * one.inputs * one.outputs for one in shapes]
    weights = members * sum(kernels)
    # The first product has many columns only where most of their values are zero.
    products = 3 * members * sum(kernels[1:]) * workload.nodes
    paths = settings.parallel_paths * settings.width
    activations = members * settings.layers * paths * workload.nodes
    network = 4 * (_COPIES_NETWORK * activations + _COPIES_WEIGHTS * weights)
    inputs = 8 * _COPIES_FEATURES * workload.features * workload.nodes
    operator = _sparse if choice.kind == "sparse" else _stored
    adjacency = workload.adjacency
    memory, setup, epoch = operator(adjacency, settings, choice, columns * settings.taylor_order)
    labels, spread = (0.0, 0.0) if spreading is None else spreading.of(workload)
    return Estimate(
        kind=choice.kind,
        reason=choice.reason,
        memory_bytes=round(_LIBRARIES + memory + inputs + network + labels),
        setup_seconds=_START + setup,
        epoch_seconds=_STEP + epoch + spread + _ACTIVATION * activations + _DENSE * products,
    )


def _filtered_columns(settings: LfgcnSettings, shapes: list[LayerShape], workload: Workload) -> int:
    """Count the columns filtered per epoch: forward and back in training, forward to validate."""
    last = 3 * settings.parallel_paths * workload.classes
    if not shapes[0].filters:
        return last
    hidden = settings.parallel_paths * settings.width
    first = workload.features if workload.features <= hidden else 2 * hidden
    between = 3 * max(0, settings.layers - 2) * min(settings.width, hidden)
    return first + between + last


def _stored(
    adjacency: SparseMatrix, settings: LfgcnSettings, choice: OperatorChoice, columns: int
) -> tuple[float, float, float]:
    count = adjacency.shape[0]
    if choice.kind == "ordinary":
        return 64.0 * adjacency.nnz, 1e-8 * adjacency.nnz, _PRODUCT * adjacency.nnz * columns
    setup = _CUBE * count**3 / thread_count()
    epoch = _PRODUCT * count**2 * columns / 8
    if settings.drop_edge != "none":
        epoch += setup if choice.kind == "dense" else epoch / 2
    return 8.0 * DENSE_COPIES * count**2, setup, epoch


def _sparse(
    adjacency: SparseMatrix, settings: LfgcnSettings, choice: OperatorChoice, columns: int
) -> tuple[float, float, float]:
    from ml.levy.solver.ordering import order_nodes

    count = adjacency.shape[0]
    fill = (choice.ordering or order_nodes(adjacency)).fill
    factors = 8.0 * FACTORED_SYSTEMS * (fill.stored + count)
    sparse = _FACTOR * (fill.products + 4 * fill.entries) + _DENSE * fill.core**3
    factoring = FACTORED_SYSTEMS * sparse / thread_count()
    solved = _SOLVE * fill.entries + 2 * _DENSE * fill.core**2
    solving = FACTORED_SYSTEMS * solved / thread_count()
    if settings.drop_edge == "none":
        return 3 * factors, 2 * factoring, solving * columns
    if fill.core:
        dropped = _dropped_edges(adjacency, settings)
        touched = FACTORED_SYSTEMS * dropped * (fill.entries + count + fill.core * dropped)
        changes = 2 * 8.0 * FACTORED_SYSTEMS * dropped * 2 * fill.core
        correcting = _PRODUCT * touched / thread_count()
        return 2 * factors + changes, 2 * factoring, solving * columns + correcting
    # The whole graph, this epoch's and the next one's, and the work space of a factorisation.
    return 5 * factors, 2 * factoring, solving * columns + factoring


def _dropped_edges(adjacency: SparseMatrix, settings: LfgcnSettings) -> int:
    rate, top = settings.drop_rates(adjacency.shape[0])
    share = rate if settings.drop_edge == "uniform" else rate * top
    return max(1, round(share * adjacency.nnz / 2))
