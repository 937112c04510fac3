import numpy as np

from ml.config.settings import NetworkSettings
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.one_rule import OneRuleSettings, describe_rule, fit, list_rules


def line(values: list[float], labels: list[int]) -> Graph:
    count = len(values)
    edges = np.stack([np.arange(count - 1), np.arange(1, count)], axis=1)
    return Graph(
        node_count=count,
        edges=edges,
        weights=np.ones(count - 1),
        features=np.array(values)[:, np.newaxis],
        feature_names=("Pd",),
        labels=np.array(labels),
        class_names=("neither", "load"),
    )


def known(graph: Graph, train: list[int]) -> Split:
    rest = np.setdiff1d(np.arange(graph.node_count), train)
    return Split(np.array(train), rest[:1], rest[1:])


def test_a_column_that_decides_the_class_is_a_perfect_rule() -> None:
    graph = line([0, 5, 0, 7, 0, 6], [0, 1, 0, 1, 0, 1])
    found, _ = fit(graph, known(graph, [0, 1]), OneRuleSettings(column="Pd"))
    np.testing.assert_array_equal(found.argmax(axis=1), graph.labels)
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_whether_a_value_is_zero_is_a_rule_of_its_own() -> None:
    # A cut halfway between the 0 and the 9 of the training nodes would call 2 a zero.
    graph = line([0, 9, 0, 2, 0, 6], [0, 1, 0, 1, 0, 1])
    split = known(graph, [0, 1])
    cut, zero = (
        fit(graph, split, OneRuleSettings(column=column))[0].argmax(axis=1)
        for column in ("Pd", "Pd is not zero")
    )
    assert cut[3] == 0
    np.testing.assert_array_equal(zero, graph.labels)


def test_a_rule_is_written_in_words() -> None:
    graph = line([0, 9, 0, 2, 0, 6], [0, 1, 0, 1, 0, 1])
    split = known(graph, [0, 1])
    words = [
        describe_rule(graph, split, OneRuleSettings(column=name))
        for name in ("Pd", "Pd is not zero")
    ]
    assert words == ["Pd up to 4.5: neither; above: load", "Pd zero: neither; not zero: load"]


def test_a_rule_without_a_cut_has_one_class() -> None:
    graph = line([0, 9, 0, 2], [1, 1, 0, 1])
    rule = OneRuleSettings(column="degree")
    assert describe_rule(graph, known(graph, [0, 1]), rule) == "degree any: load"


def test_every_column_its_zeros_and_the_degree_are_rules() -> None:
    graph = line([0, 9, 0, 2], [0, 1, 0, 1])
    columns = [rule["column"] for rule in list_rules(graph, NetworkSettings())]
    assert columns == ["Pd", "degree", "Pd is not zero"]
