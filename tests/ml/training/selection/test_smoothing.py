"""Correct and Smooth on a path of nodes whose classes are its two halves."""

import dataclasses

import numpy as np
import scipy.sparse as sp

from ml.arrays import SparseMatrix
from ml.training.selection.candidates import list_candidates
from ml.training.selection.evaluation import Evaluator
from ml.training.selection.propagation import Precision
from ml.training.selection.smoothing import correct_and_smooth
from tests.ml.training.selection.problems import make_communities

ALPHA = 0.9
TRAIN = np.array([0, 9])
LABELS = np.eye(2)


def make_path(count: int = 10) -> SparseMatrix:
    first = np.arange(count - 1)
    one_way = sp.coo_array((np.ones(count - 1), (first, first + 1)), shape=(count, count)).tocsr()
    return sp.csr_array(one_way + one_way.T)


def test_answers_without_an_opinion_follow_the_nearest_label() -> None:
    flat = np.full((10, 2), 0.5)
    smooth = correct_and_smooth(Precision(make_path(), ALPHA), ALPHA, TRAIN, LABELS, flat, None)
    np.testing.assert_allclose(smooth.sum(axis=1), 1)
    assert (smooth.argmax(axis=1) == np.repeat([0, 1], 5)).all()
    assert (np.diff(smooth[:, 0]) < 0).all()


def test_errors_at_known_nodes_correct_their_neighbours() -> None:
    wrong = np.tile([0.4, 0.6], (10, 1))
    precision = Precision(make_path(), ALPHA)
    unseen = wrong[TRAIN]
    corrected = correct_and_smooth(precision, ALPHA, TRAIN, LABELS, wrong, unseen)
    smoothed = correct_and_smooth(precision, ALPHA, TRAIN, LABELS, wrong, None)
    assert (corrected[:5, 0] > smoothed[:5, 0]).all()


def test_a_smoothed_forest_hides_the_labels_of_its_fold() -> None:
    problem, _ = make_communities(size=30, known=10)
    (candidate,) = (one for one in list_candidates(problem) if one.key == "forest_smoothed")
    folds = np.arange(len(problem.known))[None] % 5
    before = Evaluator(problem, folds).hold_out(candidate, 0)
    flipped = problem.graph.labels.copy()
    hidden = problem.known[folds[0] == 0]
    flipped[hidden] = 1 - flipped[hidden]
    other = dataclasses.replace(problem, graph=dataclasses.replace(problem.graph, labels=flipped))
    after = Evaluator(other, folds).hold_out(candidate, 0)
    np.testing.assert_array_equal(before[folds[0] == 0], after[folds[0] == 0])
    np.testing.assert_allclose(before.sum(axis=1), 1)
