"""Whether probabilities mean what they say: reliability, its error, temperature scaling."""

from dataclasses import dataclass

import numpy as np

from ml.arrays import FloatArray, IntArray

BINS = 10
TEMPERATURES = tuple(float(value) for value in np.geomspace(0.1, 10, 101))


@dataclass(frozen=True, eq=False)
class Reliability:
    """Nodes by the probability of their predicted class, in ranges of equal width.

    Shapes: counts, confidence (mean probability) and accuracy are (B,), nan where no node is.
    """

    counts: IntArray
    confidence: FloatArray
    accuracy: FloatArray

    @property
    def error(self) -> float:
        """Expected calibration error: the mean gap between confidence and accuracy."""
        used = self.counts > 0
        gaps = abs(self.confidence[used] - self.accuracy[used])
        return float((gaps * self.counts[used]).sum() / max(1, self.counts.sum()))


def measure_reliability(
    probabilities: FloatArray, truth: IntArray, bins: int = BINS
) -> Reliability:
    """Compare the probability of the predicted class with how often it is right.

    Shapes: probabilities (n, K), truth (n,).
    """
    best = probabilities.argmax(axis=1)
    share = probabilities[np.arange(len(best)), best]
    place = np.minimum((share * bins).astype(np.int64), bins - 1)
    counts = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):
        confidence = np.bincount(place, share, minlength=bins) / counts
        accuracy = np.bincount(place, best == truth, minlength=bins) / counts
    return Reliability(counts.astype(np.int64), confidence, accuracy)


def scale_temperature(probabilities: FloatArray, temperature: float) -> FloatArray:
    """Divide the logarithms of probabilities by a temperature. Shapes: (n, K) -> (n, K)."""
    logs = np.log(np.maximum(probabilities, 1e-12)) / temperature
    powers = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def fit_temperature(probabilities: FloatArray, truth: IntArray) -> float:
    """Return the temperature with the least log loss (Guo et al. 2017); one without nodes."""
    if not len(truth):
        return 1.0
    rows = np.arange(len(truth))
    losses = [
        -np.log(np.maximum(scale_temperature(probabilities, one)[rows, truth], 1e-12)).mean()
        for one in TEMPERATURES
    ]
    return TEMPERATURES[int(np.argmin(losses))]
