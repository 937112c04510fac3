"""Comparison of two classifiers on the same nodes by McNemar's test."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from ml.arrays import BoolArray


@dataclass(frozen=True, slots=True)
class PairedCount:
    """Numbers of nodes on which both, one or neither of two classifiers is right."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def count(self) -> int:
        """Number of nodes compared."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def p_value(self) -> float:
        """Probability of at least this imbalance if both classifiers were equally good.

        Equation: McNemar (1947) in its exact form: nodes where only one is right are tosses
            of a fair coin, ``min(1, 2 P(X <= min(b, c)))``, ``X ~ Binomial(b + c, 1/2)``.
        Deviation: nodes are taken as independent, which neighbours are not. Equal to
            ``scipy.stats.binomtest`` within 1e-12; importing that package takes seconds.
        """
        decided = self.only_first + self.only_second
        if decided == 0:
            return 1.0
        fewer = min(self.only_first, self.only_second)
        return min(1.0, 2.0 * float(bdtr(fewer, decided, 0.5)))


def count_pairs(first_right: BoolArray, second_right: BoolArray) -> PairedCount:
    """Count the four outcomes per node. Shapes: (n,), (n,)."""
    return PairedCount(
        both=int(np.count_nonzero(first_right & second_right)),
        only_first=int(np.count_nonzero(first_right & ~second_right)),
        only_second=int(np.count_nonzero(~first_right & second_right)),
        neither=int(np.count_nonzero(~first_right & ~second_right)),
    )
