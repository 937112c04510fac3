import dataclasses

import numpy as np
import pytest

from ml.artifact.artifact import Artifact, pack
from ml.artifact.manifest import describe_inputs
from ml.artifact.trees import apply_trees
from ml.explain.explainer import NETWORK_TOLERANCE, Explainer, count_hops
from ml.explain.levy_filter import LastLayer
from ml.graph.graph import Graph
from ml.graph.surroundings import Surroundings
from ml.levy.filter import filter_signal
from ml.methods.direct import fit_direct
from ml.methods.lfgcn import predict
from ml.methods.registry import METHODS, flatten_settings
from ml.training.fit import fit
from tests.ml.small_grids import quick_levy, ring_with_chords, split_of

GRAPH = ring_with_chords()
SPLIT = split_of(GRAPH)
DIRECT = ["closed_form", "label_propagation", "forest", "one_rule", "majority"]
FORMS = [
    {"name": name, "alpha": 0.9, "gamma": gamma}
    for name, gamma in (("SL", 1.0), ("NL", 1.0), ("PR", 1.0), ("FNL", 0.4))
]
LAYERS = [
    {},
    {"pooling": "max", "skip": "filtered"},
    {"pooling": "average", "skip": "none"},
    {"pooling": "mixed", "skip": "pooled", "filter_method": "exact"},
    {"gate": "channel", "layers": 3, "activation": "branch"},
    {"layers": 1, "alpha": 0.8, "gamma": 0.5},
]


def store_direct(key: str, **changes: object) -> tuple[Artifact, np.ndarray]:
    settings = METHODS[key].settings(**changes)  # type: ignore[arg-type]
    probabilities, tensors = fit_direct(METHODS[key], GRAPH, SPLIT, settings)
    manifest = {"config": flatten_settings(settings), **describe_inputs(GRAPH, SPLIT)}
    return pack(tensors, manifest), probabilities


def make_explainer(artifact: Artifact, graph: Graph = GRAPH) -> Explainer:
    return Explainer(artifact, graph, SPLIT, Surroundings())


@pytest.mark.parametrize(
    ("key", "changes"),
    [(key, {}) for key in DIRECT]
    + [("closed_form", form) for form in FORMS]
    + [("label_propagation", {"normalised": False})],
)
def test_a_direct_method_is_explained_exactly_at_every_node(
    key: str, changes: dict[str, object]
) -> None:
    artifact, stored = store_direct(key, **changes)
    explainer = make_explainer(artifact)
    for node in range(GRAPH.node_count):
        explanation = explainer.explain(node, stored[node])
        (part,) = explanation.parts
        assert part.scores is not None
        assert explanation.difference is not None
        assert explanation.difference < 1e-6
        if part.kind == "labels":
            assert part.classes is not None
            sums = np.bincount(part.classes, weights=part.values, minlength=3)
            np.testing.assert_allclose(sums, part.scores, atol=1e-6)
        elif part.kind == "columns":
            total = part.base + part.values.sum()
            assert total == pytest.approx(part.scores[stored[node].argmax()], abs=1e-6)


def test_paths_through_trees_end_where_the_forest_does() -> None:
    artifact, stored = store_direct("forest")
    tensors = artifact.tensors()
    (part,) = make_explainer(artifact).explain(4, stored[4]).parts
    assert part.inputs is not None
    np.testing.assert_allclose(
        np.asarray(part.scores), apply_trees(tensors, part.inputs[None])[0], atol=1e-12
    )
    assert part.columns == ("load", "generation", "degree")


@pytest.mark.parametrize("changes", LAYERS)
def test_nodes_sum_to_the_output_of_the_filter_and_to_the_logits(
    changes: dict[str, object],
) -> None:
    result = fit(GRAPH, SPLIT, quick_levy(**changes))
    explainer = make_explainer(result.artifact)
    answers = predict(result.artifact, GRAPH)
    for node in (0, 5, GRAPH.node_count - 1):
        explanation = explainer.explain(node, result.probabilities[node])
        (part,) = explanation.parts
        assert part.kind == "nodes"
        assert part.scores is not None
        target = int(result.probabilities[node].argmax())
        total = part.base + part.values.sum()
        assert total == pytest.approx(part.scores[target], abs=1e-6)
        np.testing.assert_allclose(np.asarray(part.probabilities), answers[node], atol=1e-6)
        assert explanation.difference is not None
        assert explanation.difference < NETWORK_TOLERANCE


def test_the_row_of_the_filter_reaches_beyond_neighbours_and_sums_to_its_output() -> None:
    config = quick_levy()
    artifact = fit(GRAPH, SPLIT, config).artifact
    layer = LastLayer.reach(GRAPH.adjacency, GRAPH.features, artifact.tensors(), config)
    filtered = filter_signal(
        layer.operator, layer.hidden, config.alpha, config.taylor_order, config.filter_method
    )
    row = layer.read_filter(3)
    np.testing.assert_allclose(row @ layer.hidden, filtered[3], atol=1e-6)
    assert (row[count_hops(GRAPH, 3) > 2] != 0).any()


def test_an_isolated_node_gets_the_frequencies_and_says_so() -> None:
    unknown = int(np.setdiff1d(np.arange(GRAPH.node_count), SPLIT.train)[-1])
    labels = GRAPH.labels.copy()
    edges = GRAPH.edges[~(GRAPH.edges == unknown).any(axis=1)]
    graph = dataclasses.replace(GRAPH, edges=edges, weights=np.ones(len(edges)), labels=labels)
    settings = METHODS["label_propagation"].settings()
    stored, tensors = fit_direct(METHODS["label_propagation"], graph, SPLIT, settings)
    manifest = {"config": flatten_settings(settings), **describe_inputs(graph, SPLIT)}
    explanation = make_explainer(pack(tensors, manifest), graph).explain(unknown, stored[unknown])
    assert explanation.difference == pytest.approx(0, abs=1e-12)
    assert "No known label" in str(explanation.parts[0].note)


def test_other_networks_name_the_nearest_labels() -> None:
    artifact, _ = store_direct("majority")
    artifact.manifest["config"]["method"] = "gcn"
    explanation = make_explainer(artifact).explain(0, np.array([0.2, 0.5, 0.3]))
    assert explanation.rebuilt is None
    assert "cannot be explained exactly" in str(explanation.parts[0].note)
    np.testing.assert_array_equal(explanation.parts[0].nodes, np.sort(SPLIT.train))
