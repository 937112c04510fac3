"""What a method is: its settings, how it is fitted, stored, checked and served."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ml.arrays import FloatArray
from ml.artifact.artifact import Artifact, Tensors
from ml.artifact.schema import ArraySpecs, ModelSizes
from ml.config.settings import MethodSettings, NetworkSettings
from ml.errors import Fault
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.estimate import Estimate, Workload, estimate_direct

Choices = list[dict[str, Any]]
"""Settings to choose from on the validation nodes; each leaves the others at their default."""
Fit = Callable[[Graph, Split, Any], tuple[FloatArray, Tensors]]
"""Graph, split and settings -> probabilities (N, K) and the arrays to store."""


def _no_faults(_settings: Any, _tensors: Tensors, _sizes: ModelSizes) -> Iterator[Fault]:
    return iter(())


@dataclass(frozen=True, kw_only=True, eq=False)
class Method:
    """A way to make a model; every list of methods in the project is derived from these.

    A method is either *direct* (``fit`` computes it without torch) or trained: ``network`` is
    the dotted path of a module below ``ml.nn`` with ``build_network`` and ``make_views``, which
    the training loop imports when it needs them. ``classifier`` is the dotted path of a module
    with its own training loop, ``classify(graph, split, settings)``.
    """

    key: str
    title: str
    description: str
    settings: type[MethodSettings]
    published: Mapping[str, Any] = field(default_factory=dict)
    """Settings of the paper that introduced the method."""
    published_on: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Where that paper uses other settings, by data set."""

    fit: Fit | None = None
    network: str | None = None
    label_inputs: bool = False
    """Whether the network reads the training labels as one-hot columns behind the features."""
    classifier: str | None = None

    predict: Callable[[Artifact, Graph], FloatArray] | None = None
    """Classifies a graph from the stored arrays, without torch; None: not possible."""
    list_arrays: Callable[[Any, ModelSizes], ArraySpecs] | None = None
    """Names, types and shapes of the stored arrays; None: such a model cannot be imported."""
    list_array_faults: Callable[[Any, Tensors, ModelSizes], Iterator[Fault]] = _no_faults
    """What is wrong with the values of arrays that have the right names, types and shapes."""
    list_setting_faults: Callable[[Any, list[str]], Iterator[Fault]] = (
        lambda _settings, _feature_names: iter(())
    )
    """What is wrong with stored settings, given the feature names of the model."""

    baseline_choices: Callable[[Graph, NetworkSettings], Choices] | None = None
    """Settings to try when the method is measured as a baseline; None: it is not one."""
    describe_fit: Callable[[Graph, Split, Any], str] | None = None
    """Says in words what the fitted method does, such as the rule that was found."""
    automatic: bool = False
    """Whether the automatic choice of the method may pick it."""
    offered: bool = True
    """Whether the service offers it; others are rows of the reproduction only."""
    estimate: Callable[[Workload, Any], Estimate] = estimate_direct
    """Memory and time of a run, before it starts."""

    @property
    def is_network(self) -> bool:
        """Whether the method is trained by the training loop."""
        return self.network is not None

    @property
    def is_baseline(self) -> bool:
        """Whether the method is measured beside every trained model."""
        return self.baseline_choices is not None
