import dataclasses
from typing import Any

import numpy as np
import pytest

from ml.arrays import FloatArray
from ml.artifact.artifact import FORMAT_2, Artifact, pack
from ml.explain.explainer import NETWORK_TOLERANCE, Explainer
from ml.explain.part import Explanation
from ml.graph.split import Split
from ml.graph.surroundings import Surroundings
from ml.training.selection.candidates import Candidate, list_candidates
from ml.training.selection.columns import FeatureParts
from ml.training.selection.ensemble import sharpen
from ml.training.selection.evaluation import Evaluator
from ml.training.selection.folds import FoldPlan, assign_folds
from ml.training.selection.problem import LabelProblem
from tests.ml.training.selection.problems import make_communities

NOBODY = np.zeros(0, dtype=np.int64)
PLAN = FoldPlan(3, 2)
SHARPNESS = 1.5


def make_problem() -> LabelProblem:
    """Two communities with places, and columns of branches, so that every candidate fits."""
    problem, _ = make_communities()
    generator = np.random.default_rng(1)
    count = problem.graph.node_count
    return dataclasses.replace(
        problem,
        coordinates=generator.uniform(40, 50, (count, 2)),
        branches=generator.normal(size=(count, 18)),
    )


PROBLEM = make_problem()
CANDIDATES = {one.key: one for one in list_candidates(PROBLEM)}
QUICK = [key for key, one in CANDIDATES.items() if one.family != "network"]


def store(problem: LabelProblem, candidates: list[Candidate]) -> Artifact:
    """Refit candidates and store them as the members of a choice, with equal weights."""
    evaluator = Evaluator(problem, assign_folds(problem, PLAN))
    refits = [evaluator.refit(one) for one in candidates]
    weight = 1 / len(candidates)

    def join(answers: list[FloatArray]) -> FloatArray:
        sharp = [sharpen(one, SHARPNESS, len(problem.known)) for one in answers]
        return np.asarray(sum(weight * one for one in sharp))

    held_out: FloatArray = np.asarray(problem.indicator)
    if all(one.family != "network" for one in candidates):
        held_out = join([evaluator.hold_out(one, 0) for one in candidates])
    tensors: dict[str, Any] = {
        "refitted": join([one.probabilities for one in refits]),
        "held_out": held_out,
    }
    for position, refit in enumerate(refits):
        tensors |= {f"members.{position}.{k}": np.asarray(v) for k, v in refit.tensors.items()}
    members = [
        {
            "key": one.key,
            "title": one.title,
            "method": one.method,
            "family": one.family,
            "settings": one.settings,
            "weight": weight,
            "sharpness": SHARPNESS,
        }
        for one in candidates
    ]
    selection = {"folds": PLAN.folds, "repeats": PLAN.repeats, "members": members}
    manifest = {"config": {"method": "auto", "seed": problem.seed}, "selection": selection}
    return pack(tensors, manifest, FORMAT_2)


def explain(artifact: Artifact, node: int, problem: LabelProblem = PROBLEM) -> Explanation:
    surroundings = Surroundings(problem.groups, problem.coordinates, problem.branches)
    split = Split(problem.known, NOBODY, NOBODY)
    explainer = Explainer(artifact, problem.graph, split, surroundings)
    return explainer.explain(node, np.ones(problem.graph.class_count))


def find_nodes(problem: LabelProblem = PROBLEM) -> tuple[int, int]:
    """Return a node with a known label and one without."""
    unknown = np.setdiff1d(np.arange(problem.graph.node_count), problem.known)
    return int(problem.known[2]), int(unknown[3])


@pytest.mark.parametrize("key", QUICK)
def test_contributions_sum_to_the_scores_and_the_answer_is_the_stored_one(key: str) -> None:
    candidate = CANDIDATES[key]
    artifact = store(PROBLEM, [candidate])
    for node in find_nodes():
        explanation = explain(artifact, node)
        (part,) = explanation.parts
        assert part.scores is not None
        target = int(explanation.stored.argmax())
        if part.classes is None:
            total = part.base + part.values.sum()
            assert total == pytest.approx(part.scores[target], abs=1e-6)
        else:
            sums = np.bincount(part.classes, weights=part.values, minlength=2)
            np.testing.assert_allclose(sums, part.scores, atol=1e-6)
        if "smooth" in candidate.settings:
            assert not part.is_exact
            assert "smoothed" in str(part.note)
        else:
            assert explanation.difference is not None
            assert explanation.difference < 1e-6


@pytest.mark.parametrize("key", [key for key in QUICK if CANDIDATES[key].family == "propagation"])
def test_a_known_bus_is_explained_by_labels_outside_its_fold(key: str) -> None:
    node, _ = find_nodes()
    explanation = explain(store(PROBLEM, [CANDIDATES[key]]), node)
    folds = assign_folds(PROBLEM, PLAN)[0]
    shown = PROBLEM.known[folds != folds[PROBLEM.known == node]]
    assert explanation.out_of_fold
    np.testing.assert_array_equal(explanation.parts[0].nodes, shown)


def test_an_ensemble_is_explained_by_its_parts_and_their_weights() -> None:
    names = [QUICK[0], "forest", "nearest_5"]
    artifact = store(PROBLEM, [CANDIDATES[name] for name in names])
    for node in find_nodes():
        explanation = explain(artifact, node)
        assert [part.kind for part in explanation.parts] == ["labels", "columns", "neighbours"]
        assert [part.weight for part in explanation.parts] == pytest.approx([1 / 3] * 3)
        assert explanation.difference is not None
        assert explanation.difference < 1e-6
        assert not explanation.out_of_fold


def test_a_network_is_explained_by_all_nodes_if_it_is_an_lfgcn() -> None:
    short = {"stops": (3,)}
    lfgcn, gcn = (
        dataclasses.replace(CANDIDATES[key], settings=CANDIDATES[key].settings | short)
        for key in ("lfgcn", "gcn")
    )
    _, node = find_nodes()
    explanation = explain(store(PROBLEM, [lfgcn]), node)
    assert explanation.parts[0].kind == "nodes"
    assert explanation.difference is not None
    assert explanation.difference < NETWORK_TOLERANCE
    explanation = explain(store(PROBLEM, [gcn]), node)
    assert explanation.rebuilt is None
    assert explanation.parts[0].kind == "nearest_labels"
    assert "other than LFGCN" in str(explanation.parts[0].note)


def test_columns_of_one_node_are_those_that_the_method_was_trained_on() -> None:
    trees = CANDIDATES["trees_scores"]
    parts = (*trees.settings["parts"], "near", "far", "places", "branches", "other_branches")
    candidate = dataclasses.replace(trees, settings=trees.settings | {"parts": parts})
    artifact = store(PROBLEM, [candidate])
    whole = FeatureParts(PROBLEM).make(parts, PROBLEM.known)
    for node in find_nodes():
        (part,) = explain(artifact, node).parts
        assert part.inputs is not None
        np.testing.assert_allclose(part.inputs, whole[node], atol=1e-9)
        assert len(part.columns) == len(part.inputs)
        assert len(set(part.columns)) == len(part.columns)


def test_settings_that_fit_no_graph_are_answered_by_the_nearest_labels() -> None:
    candidate = CANDIDATES[QUICK[0]]
    artifact = store(PROBLEM, [candidate])
    artifact.manifest["selection"]["members"][0]["settings"] = {"edges": "moon", "alpha": 0.5}
    explanation = explain(artifact, find_nodes()[1])
    assert explanation.rebuilt is None
    assert explanation.parts[0].kind == "nearest_labels"
    np.testing.assert_array_equal(explanation.parts[0].nodes, PROBLEM.known)


def test_a_changed_graph_is_noticed_by_the_difference() -> None:
    artifact = store(PROBLEM, [CANDIDATES[QUICK[0]]])
    graph = PROBLEM.graph
    changed = dataclasses.replace(
        PROBLEM, graph=dataclasses.replace(graph, edges=graph.edges[3:], weights=graph.weights[3:])
    )
    differences = [explain(artifact, node, changed).difference for node in range(40)]
    assert max(one for one in differences if one is not None) > 1e-3
