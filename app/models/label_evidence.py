"""What the known labels say about a model: buses that calibrate it, and buses it may not know.

A bus calibrates if its label is known and the model that predicted it had not seen the label:
out-of-fold buses of the automatic choice, validation and test buses of a split.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.grid.grid import UNKNOWN_CLASS, Grid
from app.models.predictions import PART_NAMES, Predictions
from ml import exceeds_range, is_random_sample, measure_distances
from ml.arrays import BoolArray, FloatArray, IntArray

_TRAIN, _TEST = PART_NAMES.index("train"), PART_NAMES.index("test")
_ENOUGH_TEST_BUSES = 100
"""Test buses from which they calibrate alone: they had no part in training or choosing."""


@dataclass(frozen=True, eq=False)
class LabelEvidence:
    """Calibration buses of a model and what sets other buses apart from them.

    ``is_untouched``: the calibration buses had no part in training or choosing the model.
    ``is_refitted``: the model was trained again on all labels after they were hidden in turn.
    ``is_random``: the labelled buses are spread over the grid as random buses would be.

    Shapes: given (n,) probabilities of the true classes, truth (n,), groups (n,) substations,
        None where buses count singly; no_label, outside and far (N,).
    """

    given: FloatArray
    truth: IntArray
    groups: IntArray | None
    is_untouched: bool
    is_refitted: bool
    is_random: bool
    no_label: BoolArray
    outside: BoolArray
    far: BoolArray


def gather_evidence(predictions: Predictions, grid: Grid, truth: IntArray) -> LabelEvidence:
    """Collect the evidence for a model from its predictions and the known classes, (N,)."""
    parts, groups = predictions.parts, _find_groups(predictions, grid)
    learnt = np.flatnonzero(parts == _TRAIN)
    distances = measure_distances(
        grid.bus_count, grid.ends, learnt, None if groups is None else groups[learnt]
    )
    held_out = (parts > _TRAIN) & (truth != UNKNOWN_CLASS)
    seen = distances.nearest[held_out]
    if predictions.is_out_of_fold:
        seen = np.concatenate([seen, distances.apart])
    buses = _choose_calibration(predictions, truth)
    untouched = bool(len(buses)) and bool((parts[buses] == _TEST).all())
    no_label = np.isinf(distances.nearest)
    farthest = seen[np.isfinite(seen)].max(initial=0)
    return LabelEvidence(
        given=predictions.probabilities[buses, truth[buses]].astype(np.float64),
        truth=truth[buses],
        groups=None if groups is None or untouched else groups[buses],
        is_untouched=untouched,
        is_refitted=predictions.is_out_of_fold,
        is_random=is_random_sample(grid.bus_count, grid.ends, np.flatnonzero(parts), groups),
        no_label=no_label,
        outside=_find_outside(predictions, grid, learnt),
        far=(distances.nearest > farthest) & ~no_label & bool(len(seen)),
    )


def _find_groups(predictions: Predictions, grid: Grid) -> IntArray | None:
    if not predictions.is_grouped or grid.substations is None:
        return None
    return grid.substations.groups


def _choose_calibration(predictions: Predictions, truth: IntArray) -> IntArray:
    parts: npt.NDArray[np.uint8] = np.where(truth == UNKNOWN_CLASS, 0, predictions.parts)
    tested = np.flatnonzero(parts == _TEST)
    if len(tested) >= _ENOUGH_TEST_BUSES:
        return tested
    return np.flatnonzero(parts >= (_TRAIN if predictions.is_out_of_fold else _TRAIN + 1))


def _find_outside(predictions: Predictions, grid: Grid, learnt: IntArray) -> BoolArray:
    columns = [grid.find_column(name) for name in predictions.feature_names]
    found = [column for column in columns if column is not None]
    features = np.column_stack(found) if found else np.zeros((grid.bus_count, 0))
    return exceeds_range(features, learnt)
