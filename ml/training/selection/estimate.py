"""Estimate how good a chosen model is without the optimism of having chosen it."""

from dataclasses import dataclass

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.graph.metrics import accuracy_interval
from ml.training.selection.ensemble import ChosenMembers, Pool, choose, combine

DRAWS = 300


@dataclass(frozen=True, slots=True)
class AccuracyEstimate:
    """Accuracy of the whole procedure on unseen nodes, with a 95 % interval.

    ``apparent`` is the out-of-fold accuracy of the chosen model itself, which is optimistic
    because the same folds chose it.
    """

    accuracy: float
    low: float
    high: float
    log_loss: float
    apparent: float
    nodes: int
    ungrouped: float | None = None
    """Out-of-fold accuracy of the chosen model when nodes of one group may be in different
    folds; None if no group has two known nodes."""
    method: str = "bootstrap bias-corrected cross-validation"


def estimate_accuracy(pool: Pool, groups: IntArray | None, seed: int) -> AccuracyEstimate:
    """Estimate the accuracy of choosing by out-of-fold scores.

    Equation: BBC-CV (Tsamardinos, Greasidou and Borboudakis 2018): draw the known nodes with
        replacement, choose on the drawn nodes, score the choice on the nodes not drawn, and
        average; the interval holds 95 % of the scores and the Wilson interval of the mean.
    Deviation: whole groups are drawn where nodes have groups. The interval is that of scores
        on about 37 % of the nodes, hence wide rather than narrow. The powers that calibrate
        the candidates are fitted once on all nodes. The models saw only part of the labels
        (four fifths with five folds), so the refitted model tends to be better.
    Shapes: groups (n,).
    """
    count = len(pool.truth)
    units = np.arange(count) if groups is None else np.unique(groups, return_inverse=True)[1]
    generator = np.random.default_rng([seed, 2])
    scores: list[float] = []
    losses: list[float] = []
    for _ in range(DRAWS):
        drawn = generator.integers(0, units.max() + 1, units.max() + 1)
        counts = np.bincount(drawn, minlength=units.max() + 1)[units].astype(np.float64)
        left = counts == 0
        if not left.any() or left.all():
            continue
        hits, loss = score_choice(pool, choose(pool, counts))
        scores.append(float(hits[left].mean()))
        losses.append(float(loss[left].mean()))
    right, lost = score_choice(pool, choose(pool, np.ones(count)))
    apparent = float(right.mean())
    if not scores:
        uncorrected = float(lost.mean())
        few = "too few nodes"
        return AccuracyEstimate(apparent, 0.0, 1.0, uncorrected, apparent, count, method=few)
    mean = float(np.mean(scores))
    low, high = np.quantile(scores, [0.025, 0.975])
    # Scores that are all one would give an interval without width.
    lower, upper = accuracy_interval(mean, int(units.max()) + 1)
    low, high = min(float(low), lower), max(float(high), upper)
    return AccuracyEstimate(mean, low, high, float(np.mean(losses)), apparent, count)


def score_choice(pool: Pool, choice: ChosenMembers) -> tuple[FloatArray, FloatArray]:
    """Return whether each known node was right out of fold, and its log loss, (n,) each."""
    if len(choice.members) == 1:
        return pool.hits[choice.members[0]], pool.losses[choice.members[0]]
    answer = combine(choice, [pool.answers[member] for member in choice.members])
    given = answer[np.arange(len(pool.truth)), pool.truth]
    return (answer.argmax(axis=1) == pool.truth).astype(np.float64), -np.log(given)
