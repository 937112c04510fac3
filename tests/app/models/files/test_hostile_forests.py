"""Forests with invalid tree structures are rejected with their faults."""

from collections.abc import Callable

import numpy as np
import pytest
from starlette.testclient import TestClient

from tests.app.models.files.hostile_files import Envelope, Tensors, refuse, rewritten, setting

pytestmark = pytest.mark.long


def endless(tensors: Tensors, _: Envelope) -> None:
    inner = np.flatnonzero(tensors["left"] >= 0)
    tensors["left"][inner[0]] = inner[0]


def nowhere(tensors: Tensors, _: Envelope) -> None:
    tensors["right"][np.flatnonzero(tensors["left"] >= 0)[0]] = 10**6


def far_column(tensors: Tensors, _: Envelope) -> None:
    tensors["feature"][np.flatnonzero(tensors["left"] >= 0)[0]] = 50


def short(tensors: Tensors, _: Envelope) -> None:
    tensors["threshold"] = tensors["threshold"][:-1].copy()


def rootless(tensors: Tensors, _: Envelope) -> None:
    tensors["roots"][0] = -5


def half_a_leaf(tensors: Tensors, _: Envelope) -> None:
    tensors["right"][np.flatnonzero(tensors["left"] >= 0)[0]] = -1


def uneven(tensors: Tensors, _: Envelope) -> None:
    tensors["shares"][0] = 2


FORESTS = [
    (endless, "left", "behind its parent"),
    (nowhere, "right", "does not exist"),
    (far_column, "feature", "outside the 2"),
    (short, "threshold", "nodes"),
    (rootless, "roots", "does not exist"),
    (half_a_leaf, "right", "child"),
    (uneven, "shares", "not a distribution"),
    (setting("trees", 10**9), "manifest.config.trees", "is outside"),
    (setting("bark", 1), "manifest.config.bark", "is not a setting of forest"),
]


@pytest.mark.parametrize(
    ("change", "where", "words"), FORESTS, ids=[f"{where}: {words}" for _, where, words in FORESTS]
)
def test_an_invalid_forest_is_rejected(
    api: TestClient,
    forest: bytes,
    change: Callable[[Tensors, Envelope], None],
    where: str,
    words: str,
) -> None:
    assert words in refuse(api, rewritten(forest, change))[where]
