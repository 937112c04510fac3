"""Calibrate out-of-fold probabilities, choose the best candidate, combine candidates."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ml.arrays import FloatArray, IntArray
from ml.training.selection.candidates import Family

SHARPNESS = tuple(float(value) for value in np.geomspace(0.25, 16, 13))
MOST_MEMBERS = 6
DOUBT = 2.0
"""Standard errors by which an ensemble must beat its best member: greedy selection flatters."""
MOST_JUDGED = 25
"""Candidates that may enter an ensemble: the best ones by penalised log-likelihood."""


def sharpen(probabilities: FloatArray, sharpness: float, labels: int) -> FloatArray:
    """Raise probabilities to a power, scale rows to sum to one and keep them off zero.

    Equation: ``(1 - e) p^t / sum p^t + e / K`` with ``e = 1 / (n + 2)`` for n known labels.
    Shapes: (..., K) -> (..., K).
    """
    logs = sharpness * np.log(np.maximum(probabilities, 1e-12))
    powers = np.exp(logs - logs.max(axis=-1, keepdims=True))
    powers /= powers.sum(axis=-1, keepdims=True)
    floor = 1 / (labels + 2)
    return np.asarray((1 - floor) * powers + floor / probabilities.shape[-1])


def fit_sharpness(held_out: FloatArray, truth: IntArray) -> float:
    """Return the power that gives out-of-fold probabilities the least log loss.

    Shapes: held_out (R, n, K), truth (n,).
    """
    losses = [loss_per_node(held_out, truth, power).mean() for power in SHARPNESS]
    return SHARPNESS[int(np.argmin(losses))]


def loss_per_node(held_out: FloatArray, truth: IntArray, sharpness: float) -> FloatArray:
    """Return the log loss of each known node, the mean over repetitions, (n,)."""
    sharp = sharpen(held_out, sharpness, len(truth))
    return np.asarray(-np.log(sharp[:, np.arange(len(truth)), truth]).mean(axis=0))


@dataclass(frozen=True, eq=False)
class Pool:
    """Evaluated candidates.

    Shapes: costs (C,), losses (C, n) and hits (C, n) means over the repetitions, answers
        (C, n, K) calibrated probabilities of the first repetition, truth (n,).
    """

    keys: tuple[str, ...]
    families: tuple[Family, ...]
    costs: FloatArray
    sharpness: FloatArray
    losses: FloatArray
    hits: FloatArray
    answers: FloatArray
    truth: IntArray


@dataclass(frozen=True, slots=True)
class ChosenMembers:
    """Chosen candidates by their positions in the pool, and their weights, which sum to one."""

    members: tuple[int, ...]
    weights: tuple[float, ...]


def make_pool(
    keys: Sequence[str],
    families: Sequence[Family],
    costs: Sequence[float],
    held_out: Sequence[FloatArray],
    truth: IntArray,
) -> Pool:
    """Calibrate the out-of-fold probabilities of each candidate, each (R, n, K)."""
    powers = [fit_sharpness(one, truth) for one in held_out]
    pairs = list(zip(held_out, powers, strict=True))
    return Pool(
        keys=tuple(keys),
        families=tuple(families),
        costs=np.array(costs, dtype=np.float64),
        sharpness=np.array(powers),
        losses=np.array([loss_per_node(one, truth, power) for one, power in pairs]),
        hits=np.array([(one.argmax(axis=2) == truth).mean(axis=0) for one in held_out]),
        answers=np.array([sharpen(one[0], power, len(truth)) for one, power in pairs]),
        truth=truth,
    )


def choose_single(pool: Pool, counts: FloatArray) -> int:
    """Return the position of the candidate with the least penalised log loss.

    Of many settings of one method the best is partly lucky; the penalties, in log-likelihood of
    all known nodes, keep luck from deciding where labels are few.

    Shapes: counts (n,), how often each known node counts.
    """
    if not pool.keys:
        raise ValueError("no candidate was evaluated")
    return int(np.argmin(pool.losses @ counts + pool.costs))


def choose(pool: Pool, counts: FloatArray) -> ChosenMembers:
    """Return an ensemble if it is better than the best single candidate beyond doubt.

    Equation: greedy selection with replacement (Caruana et al. 2004) on the log loss of the
        averaged probabilities; accepted if the mean gain per node exceeds ``DOUBT`` of its
        standard errors.
    Shapes: counts (n,), how often each known node counts.
    """
    single = choose_single(pool, counts)
    totals = pool.losses @ counts + pool.costs
    judged = np.unique(np.append(np.argsort(totals, kind="stable")[:MOST_JUDGED], single))
    given = pool.answers[judged][:, np.arange(len(pool.truth)), pool.truth]
    members = [int(np.flatnonzero(judged == single)[0])]
    total = given[members[0]].copy()
    alone = -np.log(total)
    for size in range(2, MOST_MEMBERS + 1):
        losses = -np.log((total + given) / size) @ counts
        best = int(np.argmin(losses))
        if losses[best] >= -np.log(total / (size - 1)) @ counts:
            break
        members.append(best)
        total = total + given[best]
    gain = alone + np.log(total / len(members))
    if not _is_clear(gain, counts):
        return ChosenMembers((single,), (1.0,))
    places, copies = np.unique(judged[members], return_counts=True)
    shares = copies / copies.sum()
    return ChosenMembers(tuple(int(one) for one in places), tuple(float(share) for share in shares))


def _is_clear(gain: FloatArray, counts: FloatArray) -> bool:
    """Tell whether a mean gain per node exceeds ``DOUBT`` standard errors."""
    size = counts.sum()
    mean = gain @ counts / size
    spread = np.sqrt(np.square(gain - mean) @ counts / max(size - 1, 1))
    return bool(mean > DOUBT * spread / np.sqrt(size))


def combine(choice: ChosenMembers, answers: Sequence[FloatArray]) -> FloatArray:
    """Return the weighted mean of the members' probabilities. Shapes: (..., K) each."""
    pairs = zip(choice.weights, answers, strict=True)
    return np.asarray(sum(weight * answer for weight, answer in pairs), dtype=np.float64)
