"""The torch filter that belongs to each Lévy operator."""

from functools import singledispatch

import numpy as np

from ml.levy.corrected import CorrectedLevyOperator
from ml.levy.dense import DenseLevyOperator
from ml.levy.filter import filter_matrix, filter_signal
from ml.levy.interface import LevyOperator
from ml.levy.limits import STORED_FILTER_NODES, STORED_WALK_NODES
from ml.levy.ordinary import OrdinaryWalkOperator
from ml.levy.sparse import SparseLevyOperator
from ml.nn.filters.base import FilterSettings, LevyFilter
from ml.nn.filters.corrected import CorrectedFilter, stored_walk_of
from ml.nn.filters.dense import DenseFilter
from ml.nn.filters.operator_filter import OperatorFilter
from ml.nn.filters.walk import WalkFilter
from ml.nn.sparse import multiplies_sparse


@singledispatch
def filter_for(operator: LevyOperator, settings: FilterSettings) -> LevyFilter:
    """Return the torch filter of an operator, chosen by the operator's class.

    An operator of a class without an entry below is applied by numpy.
    """
    return OperatorFilter(operator, settings)


@filter_for.register
def _(operator: DenseLevyOperator, settings: FilterSettings) -> LevyFilter:
    matrix = filter_matrix(operator.matrix, settings.alpha, settings.order, settings.method)
    return DenseFilter(matrix, settings.device)


@filter_for.register
def _(operator: OrdinaryWalkOperator, settings: FilterSettings) -> LevyFilter:
    if settings.lasting and operator.node_count <= STORED_WALK_NODES:
        return _store(operator, settings)
    if settings.method == "taylor" and multiplies_sparse(settings.device):
        return WalkFilter(operator, settings.alpha, settings.order, settings.device)
    return OperatorFilter(operator, settings)


@filter_for.register
def _(operator: CorrectedLevyOperator, settings: FilterSettings) -> LevyFilter:
    if settings.method == "taylor" and operator.whole is not None:
        walk = stored_walk_of(operator.whole, settings.device)
        return CorrectedFilter(operator, walk, settings.alpha, settings.order)
    return OperatorFilter(operator, settings)


@filter_for.register
def _(operator: SparseLevyOperator, settings: FilterSettings) -> LevyFilter:
    if settings.lasting and operator.node_count <= STORED_FILTER_NODES:
        return _store(operator, settings)
    return OperatorFilter(operator, settings, keeps_constants=settings.lasting)


def _store(operator: LevyOperator, settings: FilterSettings) -> LevyFilter:
    """Filter every unit signal, which gives the filter as a matrix."""
    identity = np.eye(operator.node_count)
    matrix = filter_signal(operator, identity, settings.alpha, settings.order, settings.method)
    return DenseFilter(matrix, settings.device)
