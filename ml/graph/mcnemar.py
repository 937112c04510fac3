"""Two classifiers on the same nodes: where they differ, and whether that could be chance."""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from ml.arrays import BoolArray


@dataclass(frozen=True, slots=True)
class PairedCount:
    """How often both, one or neither of two classifiers is right on the same nodes."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def count(self) -> int:
        """How many nodes were looked at."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def p_value(self) -> float:
        """Probability of so uneven a count if both were equally good.

        Equation: McNemar (1947) in its exact form: nodes where one alone is right are tosses
            of a fair coin, ``min(1, 2 P(X <= min(b, c)))``, ``X ~ Binomial(b + c, 1/2)``.
        Deviation: as if the nodes were independent, which neighbours are not.
        """
        decided = self.only_first + self.only_second
        if decided == 0:
            return 1.0
        fewer = min(self.only_first, self.only_second)
        return min(1.0, 2.0 * float(bdtr(fewer, decided, 0.5)))


def count_pairs(first_right: BoolArray, second_right: BoolArray) -> PairedCount:
    """Count the four outcomes. Shapes: (n,), (n,)."""
    return PairedCount(
        both=int(np.count_nonzero(first_right & second_right)),
        only_first=int(np.count_nonzero(first_right & ~second_right)),
        only_second=int(np.count_nonzero(~first_right & second_right)),
        neither=int(np.count_nonzero(~first_right & ~second_right)),
    )
