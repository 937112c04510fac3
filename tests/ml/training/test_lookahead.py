"""Views made ready for the next epoch."""

import threading

import numpy as np
import pytest

from ml.arrays import IntArray
from ml.drop_edge.dropper import EdgeDropper
from ml.graph.scaling import fit_scaling
from ml.training.lookahead import Lookahead
from ml.training.setup import prepare
from tests.ml.grids import path
from tests.ml.small_grids import quick, ring_with_chords, split_of


def make_dropper() -> EdgeDropper:
    pairs = path(40).pairs
    return EdgeDropper(pairs, np.arange(39.0), 0.5, 0.5, "at_least_one", "preferential")


def test_the_expected_view_is_made_by_another_thread_and_used_once_drawn() -> None:
    dropper = make_dropper()
    makers: list[tuple[int, bytes]] = []

    def make_view(pairs: IntArray) -> bytes:
        makers.append((threading.get_ident(), pairs.tobytes()))
        return pairs.tobytes()

    lookahead = Lookahead(dropper, make_view)
    generator = np.random.default_rng(0)
    lookahead.expect_next(generator)
    positions = dropper.draw(generator)
    assert lookahead.view_of(positions) == dropper.pairs[positions].tobytes()
    assert len(makers) == 1
    assert makers[0][0] != threading.get_ident()


def test_a_view_that_nobody_expected_is_made_at_once() -> None:
    dropper = make_dropper()
    lookahead = Lookahead(dropper, lambda pairs: pairs.tobytes())
    lookahead.expect_next(np.random.default_rng(0))
    positions = np.array([3, 5])
    assert lookahead.view_of(positions) == dropper.pairs[positions].tobytes()


def test_looking_ahead_leaves_the_generator_as_it_was() -> None:
    generator = np.random.default_rng(0)
    Lookahead(make_dropper(), lambda _: None).expect_next(generator)
    assert generator.random() == np.random.default_rng(0).random()


def test_an_error_while_looking_ahead_reaches_the_epoch_that_needs_the_view() -> None:
    def fail(_: IntArray) -> None:
        raise ZeroDivisionError

    dropper = make_dropper()
    lookahead = Lookahead(dropper, fail)
    lookahead.expect_next(np.random.default_rng(0))
    with pytest.raises(ZeroDivisionError):
        lookahead.view_of(dropper.draw(np.random.default_rng(0)))


def test_looking_ahead_changes_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    graph = ring_with_chords(60)
    config = quick(drop_edge="uniform", drop_rate=0.1)
    losses = []
    for threshold in (1, 1000):
        monkeypatch.setattr("ml.training.loop.LOOKAHEAD_NODES", threshold)
        torch.manual_seed(0)
        scaling = fit_scaling(graph.features, config.feature_scaling)
        run = prepare(graph, split_of(graph), config, scaling, torch.device("cpu"))
        losses.append([run.run_epoch().train_loss for _ in range(6)])
    assert losses[0] == losses[1]
