"""Explains the members of an automatic choice at one node."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from threading import Lock
from typing import Any

import numpy as np
from cachetools import LRUCache

from ml.arrays import FloatArray, IntArray
from ml.artifact.artifact import Artifact, Tensors
from ml.config.levy import LfgcnSettings
from ml.errors import Fault, InvalidInput
from ml.explain.feature_methods import (
    NodeColumns,
    explain_logistic,
    explain_nearest,
    explain_trees,
)
from ml.explain.levy_filter import LastLayer
from ml.explain.part import ExplainedPart
from ml.explain.spreading import GivenLabels, LabelRows, explain_spreading, make_rows
from ml.graph.scaling import fit_scaling
from ml.methods.auto import HELD_OUT, REFITTED
from ml.methods.registry import make_config
from ml.training.selection.candidates import MOST_SPREAD_NODES
from ml.training.selection.edges import list_weightings, weigh
from ml.training.selection.ensemble import sharpen
from ml.training.selection.folds import FoldPlan, assign_folds
from ml.training.selection.problem import LabelProblem
from ml.training.selection.propagation import Spreading

_ROWS_REMEMBERED = 4
"""Factorisations in memory: each holds some ten million numbers for the largest grids."""
MOST_FILTERED_NODES = 20_000
"""Above this the Lévy operator of a network takes longer than a request should."""


class ChoiceMembers:
    """The members of a stored automatic choice; what they need is rebuilt from the graph."""

    def __init__(self, artifact: Artifact, problem: LabelProblem) -> None:
        self.problem = problem
        self.known = GivenLabels(problem.known, problem.truth, problem.graph.class_count)
        self._tensors = artifact.tensors()
        self._selection: Mapping[str, Any] = artifact.manifest["selection"]
        self._rows: LRUCache[tuple[Any, ...], LabelRows] = LRUCache(_ROWS_REMEMBERED)
        self._networks: LRUCache[int, LastLayer] = LRUCache(1)
        self._lock = Lock()
        self._columns = NodeColumns(problem, self._spread_scores)

    @property
    def members(self) -> list[Mapping[str, Any]]:
        """The members as the manifest describes them."""
        return list(self._selection["members"])

    def find_hidden(self, node: int) -> IntArray:
        """Return the nodes whose labels were hidden when a known node was predicted.

        Empty if its label is not known, or if members are not all label propagation: other
        members of the folds are not stored.
        """
        spread = all(one["family"] == "propagation" for one in self.members)
        nodes = self.known.nodes
        if node not in nodes or not spread or len(nodes) < 2:
            return np.zeros(0, dtype=np.int64)
        if not self._selection["folds"]:
            return np.array([node])
        folds = self._folds
        together = folds == folds[np.searchsorted(nodes, node)]
        return np.asarray(nodes[together])

    @cached_property
    def _folds(self) -> IntArray:
        plan = FoldPlan(self._selection["folds"], self._selection["repeats"])
        return np.asarray(assign_folds(self.problem, plan)[0])

    def read_stored(self, node: int, *, held_out: bool) -> FloatArray:
        """Return the stored answer at a node: of the refitted model, or out of fold. (K,)."""
        if not held_out:
            return np.asarray(self._tensors[REFITTED][node])
        place = int(np.searchsorted(self.known.nodes, node))
        return np.asarray(self._tensors[HELD_OUT][place])

    def calibrate(self, part: ExplainedPart) -> FloatArray | None:
        """Return the answer of a member as it enters the ensemble, (K,)."""
        if part.probabilities is None or part.sharpness is None:
            return part.probabilities
        return sharpen(part.probabilities, part.sharpness, len(self.known.nodes))

    def explain(self, position: int, node: int, hidden: IntArray, target: int) -> ExplainedPart:
        """Explain one member. Raises: InvalidInput, or other errors of a wrong manifest."""
        member = self.members[position]
        described = self.describe(member)
        settings = member["settings"]
        if member["family"] == "propagation":
            spreading = Spreading.from_settings(settings)
            labels = self.known.hide(hidden)
            rows = self._spread(settings["edges"], spreading, labels.nodes)
            balanced = spreading.balanced
            return explain_spreading(rows, labels, node, described, balanced=balanced)
        if member["family"] == "network":
            return self._explain_network(position, node, target, described)
        prefix = f"members.{position}."
        arrays = {
            name.removeprefix(prefix): value
            for name, value in self._tensors.items()
            if name.startswith(prefix)
        }
        return self._explain_columns(arrays, settings, node, target, described)

    def describe(self, member: Mapping[str, Any]) -> dict[str, Any]:
        """Return name, title, weight and sharpness of a member."""
        sharpness = member["sharpness"] if self._selection["folds"] else None
        return {
            "method": member["method"],
            "title": member["title"],
            "weight": member["weight"],
            "sharpness": sharpness,
        }

    def _explain_columns(
        self,
        arrays: Tensors,
        settings: Mapping[str, Any],
        node: int,
        target: int,
        described: dict[str, Any],
    ) -> ExplainedPart:
        if "label" in arrays:
            only = np.eye(self.known.class_count)[int(arrays["label"][0])]
            note = "All known labels have this class."
            return ExplainedPart(
                kind="frequencies", **described, note=note, scores=only, probabilities=only
            )
        parts = tuple(settings["parts"])
        if described["method"] == "nearest":
            whole = np.concatenate([self._columns.make_whole(part) for part in parts], axis=1)
            count = int(settings["neighbours"])
            return explain_nearest(arrays, whole, node, count, self.known, described)
        row, names = self._columns.read(parts, node)
        explain = explain_logistic if described["method"] == "logistic" else explain_trees
        part = explain(arrays, row, names, target, described)
        return forget_smoothing(part) if settings.get("smooth") is not None else part

    def _explain_network(
        self, position: int, node: int, target: int, described: dict[str, Any]
    ) -> ExplainedPart:
        settings = self.members[position]["settings"]
        given = {name: value for name, value in settings.items() if name != "stops"}
        config = make_config(drop_edge="none", **given)
        if config.method != "lfgcn" or not isinstance(config, LfgcnSettings):
            raise _refuse("networks other than LFGCN cannot be explained exactly")
        if self.problem.graph.node_count > MOST_FILTERED_NODES:
            raise _refuse(f"grids above {MOST_FILTERED_NODES} buses take too long to filter")
        with self._lock:
            layer = self._networks.get(position)
        if layer is None:
            prefix = f"members.{position}."
            arrays = {k.removeprefix(prefix): v for k, v in self._tensors.items()}
            graph = self.problem.graph
            scaling = fit_scaling(graph.features, config.feature_scaling)
            signal = scaling.transform(graph.features)
            layer = LastLayer.reach(graph.adjacency, signal, arrays, config)
            with self._lock:
                self._networks[position] = layer
        return layer.explain(node, target, described)

    def _spread_scores(self, spreading: Spreading, nodes: IntArray) -> LabelRows:
        return self._spread(list_weightings(self.problem)[0], spreading, nodes)

    def _spread(self, edges: str, spreading: Spreading, nodes: IntArray) -> LabelRows:
        if spreading.gamma < 1 and self.problem.graph.node_count > MOST_SPREAD_NODES:
            raise _refuse(f"jumps on grids above {MOST_SPREAD_NODES} buses take too long")
        key = (edges, spreading, nodes.tobytes())
        with self._lock:
            rows = self._rows.get(key)
        if rows is None:
            rows = make_rows(weigh(self.problem, edges), nodes, spreading)
            with self._lock:
                self._rows[key] = rows
        return rows


def forget_smoothing(part: ExplainedPart) -> ExplainedPart:
    """Return the part of a method whose answer was smoothed afterwards: not the final one."""
    note = (
        "Contributions to the answer before it is corrected and smoothed over the grid; the "
        "smoothing cannot be computed again from what is stored."
    )
    return replace(part, probabilities=None, note=note)


def _refuse(problem: str) -> InvalidInput:
    return InvalidInput([Fault("method", problem)])
