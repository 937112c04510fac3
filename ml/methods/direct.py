"""Fitting a method that the training loop does not train."""

from importlib import import_module
from typing import cast

from ml.arrays import FloatArray
from ml.artifact.artifact import Tensors
from ml.config.settings import MethodSettings
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.methods.base import Method


def fit_direct(
    method: Method, graph: Graph, split: Split, settings: MethodSettings
) -> tuple[FloatArray, Tensors]:
    """Return probabilities (N, K) and the arrays to store.

    Raises: TypeError if the training loop trains the method.
    """
    if method.classifier is not None:
        module = import_module(method.classifier)
        return cast("FloatArray", module.classify(graph, split, settings)), {}
    if method.fit is None:
        raise TypeError(f"{method.key} is trained by the training loop")
    return method.fit(graph, split, settings)
