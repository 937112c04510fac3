"""Explains the answers of a stored model of any method, without torch."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import dijkstra

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import FORMAT_2, Artifact
from ml.artifact.inputs import add_degree, pick_columns, scale_columns
from ml.config.levy import LfgcnSettings
from ml.errors import Fault, InvalidInput, MlError
from ml.explain.feature_methods import explain_trees
from ml.explain.levy_filter import LastLayer
from ml.explain.members import MOST_FILTERED_NODES, ChoiceMembers
from ml.explain.part import ExplainedPart, Explanation
from ml.explain.spreading import ClampedRows, GivenLabels, LabelRows, explain_spreading, make_rows
from ml.graph.graph import Graph
from ml.graph.laplacian import laplacian_of
from ml.graph.split import Split
from ml.graph.surroundings import Surroundings
from ml.levy.closed_forms import closed_form
from ml.methods.closed_form import MOST_FRACTIONAL_NODES, ClosedFormSettings
from ml.methods.label_propagation import LEAST_REACHED, RIDGE, LabelPropagationSettings
from ml.methods.one_rule import rule_column
from ml.methods.registry import get_method
from ml.training.selection.problem import make_problem
from ml.training.selection.propagation import Spreading

REBUILT_TOLERANCE = 1e-6
"""How far a rebuilt answer may be from the stored one."""
NETWORK_TOLERANCE = 1e-4
"""The same for networks, which are trained in single precision."""
_WRONG = (MlError, KeyError, TypeError, ValueError, IndexError, RuntimeError, np.linalg.LinAlgError)
"""What settings of an imported model that fit no graph may raise."""


class Explainer:
    """Explains one stored model on the graph, labels and split that it was made with.

    What a stored model lacks, such as edge weights, is rebuilt from the graph; the rebuilt answer
    is compared with the stored one. Factorisations are kept for the next node.
    """

    def __init__(
        self, artifact: Artifact, graph: Graph, split: Split, surroundings: Surroundings
    ) -> None:
        self._artifact = artifact
        self._graph = graph
        train = np.sort(split.train[graph.labels[split.train] >= 0])
        self._known = GivenLabels(train, graph.labels[train], graph.class_count)
        self._members: ChoiceMembers | None = None
        if artifact.manifest["format"] == FORMAT_2:
            seed = int(artifact.manifest["config"]["seed"])
            problem = make_problem(graph, split, surroundings, seed)
            self._members = ChoiceMembers(artifact, problem)
        self._rows: LabelRows | None = None
        self._layer: LastLayer | None = None

    @property
    def known(self) -> GivenLabels:
        """The labels that the model has learnt from."""
        return self._known

    def explain(self, node: int, stored: FloatArray) -> Explanation:
        """Explain the answer at a node; ``stored`` is the answer that is served, (K,).

        An automatic choice of label propagation alone is explained as it was made: out of fold
        where the label of the node is known. With other members the refitted model is explained.
        """
        hops = count_hops(self._graph, node)
        if self._members is not None:
            return self._explain_choice(self._members, node, hops)
        stored = np.asarray(stored, dtype=np.float64)
        part = self._explain_direct(node, int(stored.argmax()))
        return Explanation(
            parts=(part,), stored=stored, rebuilt=part.probabilities, out_of_fold=False, hops=hops
        )

    def _explain_choice(self, choice: ChoiceMembers, node: int, hops: FloatArray) -> Explanation:
        hidden = choice.find_hidden(node)
        stored = choice.read_stored(node, held_out=len(hidden) > 0)
        target = int(stored.argmax())
        parts = []
        for position, member in enumerate(choice.members):
            try:
                part = choice.explain(position, node, hidden, target)
            except _WRONG as error:
                described = choice.describe(member)
                part = self._name_nearest(described, f"{_explain(error)}; {_INSTEAD}")
            parts.append(part)
        answers = [choice.calibrate(part) for part in parts]
        rebuilt = None
        if all(answer is not None for answer in answers):
            weighted = [part.weight * np.asarray(a) for part, a in zip(parts, answers, strict=True)]
            rebuilt = np.sum(weighted, axis=0)
        return Explanation(
            parts=tuple(parts),
            stored=stored,
            rebuilt=rebuilt,
            out_of_fold=len(hidden) > 0,
            hops=hops,
        )

    def _explain_direct(self, node: int, target: int) -> ExplainedPart:
        method = get_method(self._artifact.method)
        described = {"method": method.key, "title": method.description}
        explain = _DIRECT.get(method.key)
        if explain is None:
            note = f"{method.title} cannot be explained exactly; {_INSTEAD}"
            return self._name_nearest(described, note)
        try:
            return explain(self, node, target, described)
        except _WRONG as error:
            return self._name_nearest(described, f"{_explain(error)}; {_INSTEAD}")

    def _name_nearest(self, described: Mapping[str, Any], note: str) -> ExplainedPart:
        return ExplainedPart(
            kind="nearest_labels",
            **described,
            note=note[0].upper() + note[1:],
            values=np.zeros(len(self._known.nodes)),
            nodes=self._known.nodes,
            classes=self._known.classes,
        )

    def explain_closed_form(
        self, node: int, _target: int, described: Mapping[str, Any]
    ) -> ExplainedPart:
        """Return the contributions of labels that one of the six closed forms has spread."""
        settings = self._artifact.settings(ClosedFormSettings)
        form = closed_form(settings.name, settings.alpha, settings.gamma)
        if form.gamma < 1 and self._graph.node_count > MOST_FRACTIONAL_NODES:
            raise _too_large(MOST_FRACTIONAL_NODES)
        if self._rows is None:
            spreading = Spreading(alpha=form.alpha, gamma=form.gamma, sigma=form.sigma)
            self._rows = make_rows(self._graph.adjacency, self._known.nodes, spreading)
        return explain_spreading(self._rows, self._known, node, described, balanced=False)

    def explain_propagation(
        self, node: int, _target: int, described: Mapping[str, Any]
    ) -> ExplainedPart:
        """Return the contributions of labels in label propagation."""
        settings = self._artifact.settings(LabelPropagationSettings)
        if self._rows is None:
            ridge = RIDGE * sp.eye_array(self._graph.node_count)
            matrix = sp.csr_array(laplacian_of(self._graph.adjacency) + ridge)
            self._rows = ClampedRows(matrix, self._known.nodes)
        return explain_spreading(
            self._rows,
            self._known,
            node,
            described,
            balanced=settings.normalised,
            least=LEAST_REACHED,
        )

    def explain_forest(self, node: int, target: int, described: Mapping[str, Any]) -> ExplainedPart:
        """Return the contributions of features and degree in a random forest."""
        row = add_degree(pick_columns(self._artifact, self._graph), self._graph)[node]
        names = (*self._artifact.manifest["feature_names"], "degree")
        return explain_trees(self._artifact.tensors(), row, names, target, described)

    def explain_rule(self, node: int, target: int, described: Mapping[str, Any]) -> ExplainedPart:
        """Return the interval of the one column that decides."""
        column = self._artifact.manifest["config"]["column"]
        value = rule_column(self._graph, column)[node : node + 1]
        tensors = self._artifact.tensors()
        rounded = value.astype(np.float32).astype(np.float64)
        shares = tensors["shares"][np.searchsorted(tensors["cuts"], rounded, side="left")[0]]
        return ExplainedPart(
            kind="columns",
            **described,
            scores=shares,
            probabilities=shares,
            values=shares[target : target + 1],
            columns=(column,),
            inputs=value,
        )

    def explain_majority(
        self, _node: int, _target: int, described: Mapping[str, Any]
    ) -> ExplainedPart:
        """Return the class frequencies: no bus and no column has a part in them."""
        shares = self._artifact.tensors()["frequencies"]
        note = "The answer is the same for every bus."
        return ExplainedPart(
            kind="frequencies", **described, note=note, scores=shares, probabilities=shares
        )

    def explain_lfgcn(self, node: int, target: int, described: Mapping[str, Any]) -> ExplainedPart:
        """Return the contributions of all nodes through the filter of the last layer."""
        if self._graph.node_count > MOST_FILTERED_NODES:
            raise _too_large(MOST_FILTERED_NODES)
        if self._layer is None:
            config = self._artifact.settings(LfgcnSettings)
            signal = scale_columns(self._artifact, self._graph)
            tensors = self._artifact.tensors()
            self._layer = LastLayer.reach(self._graph.adjacency, signal, tensors, config)
        return self._layer.explain(node, target, described)


def count_hops(graph: Graph, node: int) -> FloatArray:
    """Return the number of edges between a node and every other, infinite if there is no path."""
    return np.asarray(dijkstra(graph.adjacency, indices=[node], unweighted=True)[0])


def find_nearest(known: IntArray, hops: FloatArray) -> IntArray:
    """Return the places of known nodes by their number of hops, nearest first."""
    return np.argsort(hops[known], kind="stable")


_INSTEAD = "the nearest known labels are listed instead."
_DIRECT: dict[str, Callable[[Explainer, int, int, Mapping[str, Any]], ExplainedPart]] = {
    "closed_form": Explainer.explain_closed_form,
    "label_propagation": Explainer.explain_propagation,
    "forest": Explainer.explain_forest,
    "one_rule": Explainer.explain_rule,
    "majority": Explainer.explain_majority,
    "lfgcn": Explainer.explain_lfgcn,
}


def _explain(error: Exception) -> str:
    if isinstance(error, InvalidInput):
        return "; ".join(fault.problem for fault in error.faults)
    return "the settings of this part do not fit the grid"


def _too_large(limit: int) -> InvalidInput:
    return InvalidInput([Fault("graph", f"grids above {limit} buses take too long to explain")])
