"""The views of a graph that LFGCN is trained through: its filter, whole and censored."""

from dataclasses import replace
from operator import attrgetter
from threading import Lock

import numpy as np
import torch
from cachetools import LRUCache, cachedmethod

from ml.arrays import IntArray
from ml.config.levy import LfgcnSettings
from ml.graph.graph import Graph
from ml.levy.build import LevyFamily
from ml.levy.limits import KEPT_FILTER_BYTES
from ml.nn.filters.base import FilterSettings, LevyFilter
from ml.nn.filters.registry import filter_for


def _pairs_key(_views: object, pairs: IntArray) -> bytes:
    return np.unique(pairs, axis=0).tobytes()


class LevyViews:
    """The filter of the whole graph and of censored graphs, the latter cached.

    Cost: P-DropEdge on a small grid draws few distinct sets of edges, so most epochs find their
        filter in the cache.
    """

    def __init__(self, graph: Graph, config: LfgcnSettings, device: torch.device) -> None:
        self._settings = FilterSettings(
            config.alpha, config.taylor_order, config.filter_method, device
        )
        self._family = LevyFamily(graph.adjacency, config.gamma, config.sigma, config.operator)
        capacity = max(1, KEPT_FILTER_BYTES // (4 * graph.node_count**2))
        self._cache: LRUCache[bytes, LevyFilter] = LRUCache(capacity)
        self._lock = Lock()
        self._whole = filter_for(self._family.whole(), replace(self._settings, lasting=True))

    def whole(self) -> LevyFilter:
        """Return the filter of the whole graph."""
        return self._whole

    def expect(self, pairs: IntArray) -> None:
        """Prepare for the censoring of some of ``pairs``, (m, 2), in every epoch."""
        self._family.expect(pairs)

    @cachedmethod(attrgetter("_cache"), key=_pairs_key, lock=attrgetter("_lock"))
    def censored(self, pairs: IntArray) -> LevyFilter:
        """Return the filter of the graph without ``pairs``, (k, 2)."""
        return filter_for(self._family.censored(pairs), self._settings)
