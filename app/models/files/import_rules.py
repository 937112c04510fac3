"""Checks that the settings and arrays of a model file are exactly those of its method."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import ml
from app.models.files.model_file import ManifestIn, ScalingIn
from app.models.files.selection_in import SelectionIn
from ml.errors import Fault, InvalidHyperparameter

_SUM_TOLERANCE = 1e-3
Tensors = Mapping[str, npt.NDArray[Any]]


def list_content_faults(
    manifest: ManifestIn, tensors: Tensors, sizes: ml.ModelSizes
) -> list[Fault]:
    """Return everything that is wrong with the settings and arrays of a model."""
    try:
        settings = ml.read_settings(manifest.config)
    except InvalidHyperparameter as error:
        return [Fault(f"manifest.config.{one.where[:40]}", one.problem) for one in error.faults]
    if isinstance(settings, ml.AutoSettings):
        return list(_list_choice_faults(manifest, tensors, sizes))
    if manifest.selection is not None or manifest.format != ml.FORMAT:
        problem = f"only models of the automatic choice have the format {ml.FORMAT_2!r}"
        return [Fault("manifest.format", problem)]
    method = ml.get_method(settings.method)
    if method.list_arrays is None:
        problem = f"models of {method.key!r} cannot be imported; train it here instead"
        return [Fault("manifest.config.method", problem)]
    faults = [
        Fault(f"manifest.config.{one.where}", one.problem)
        for one in method.list_setting_faults(settings, manifest.feature_names)
    ]
    array_faults = list(ml.list_spec_faults(tensors, method.list_arrays(settings, sizes)))
    faults += array_faults or method.list_array_faults(settings, tensors, sizes)
    if method.is_network:
        faults += _list_scaling_faults(manifest.scaling, sizes.features)
    return faults


def list_prediction_faults(predictions: npt.NDArray[Any], sizes: ml.ModelSizes) -> Iterator[Fault]:
    """Yield what is wrong with the probabilities of every class at every bus."""
    wanted = (sizes.nodes, sizes.classes)
    if predictions.dtype != np.float32 or predictions.shape != wanted:
        shape = f"{predictions.dtype} {predictions.shape}"
        yield Fault("predictions", f"are {shape}, expected float32 {wanted}")
    elif (predictions < 0).any() or (np.abs(predictions.sum(axis=1) - 1) > _SUM_TOLERANCE).any():
        yield Fault("predictions", "have a row that is not a distribution over the classes")


def _list_choice_faults(
    manifest: ManifestIn, tensors: Tensors, sizes: ml.ModelSizes
) -> Iterator[Fault]:
    if manifest.format != ml.FORMAT_2:
        yield Fault("manifest.format", f"the automatic choice has the format {ml.FORMAT_2!r}")
    if manifest.split.validation:
        yield Fault("manifest.split", "an automatic choice has no validation bus")
    if manifest.selection is None:
        yield Fault("manifest.selection", "is missing")
        return
    labels = len(manifest.split.train)
    yield from _list_selection_faults(manifest.selection, labels)
    members = [
        ml.StoredMember(member.family, member.method, member.settings)
        for member in manifest.selection.members
    ]
    yield from ml.list_choice_faults(members, tensors, sizes, labels)


def _list_selection_faults(selection: SelectionIn, labels: int) -> Iterator[Fault]:
    """Yield where the parts of the evidence contradict each other or the split."""
    place = "manifest.selection"
    if selection.labels != labels:
        yield Fault(f"{place}.labels", f"is {selection.labels}, but the split has {labels}")
    if abs(sum(member.weight for member in selection.members) - 1) > _SUM_TOLERANCE:
        yield Fault(f"{place}.members", "the weights do not sum to one")
    chosen = {one.key for one in selection.candidates if one.status == "chosen"}
    if chosen != {member.key for member in selection.members}:
        yield Fault(f"{place}.candidates", "those that are chosen are not the members")
    schedule, estimate = selection.schedule, selection.estimate
    if (schedule.folds, schedule.repeats) != (selection.folds, selection.repeats):
        yield Fault(f"{place}.schedule", "its folds and repeats are not those of the selection")
    if selection.folds > labels or any(
        step.repeats > schedule.repeats for step in (*schedule.steps, *schedule.networks)
    ):
        yield Fault(f"{place}.schedule", "has more folds than labels, or a step of more repeats")
    if (estimate is None) != (selection.folds == 0):
        yield Fault(f"{place}.estimate", "belongs to a choice with folds, and only to such a one")
    elif estimate is not None and not estimate.low <= estimate.accuracy <= estimate.high:
        yield Fault(f"{place}.estimate", "the accuracy lies outside its interval")


def _list_scaling_faults(scaling: ScalingIn | None, features: int) -> Iterator[Fault]:
    if scaling is None:
        yield Fault("manifest.scaling", "is missing")
        return
    if len(scaling.offset) != features or len(scaling.scale) != features:
        yield Fault("manifest.scaling", f"does not have {features} columns")
    if 0 in scaling.scale:
        yield Fault("manifest.scaling.scale", "has a zero")
    if len(scaling.curves) not in {0, features}:
        yield Fault(
            "manifest.scaling.curves", f"has {len(scaling.curves)} curves, not 0 or {features}"
        )
    for position, (values, ranks) in enumerate(scaling.curves):
        if not values or len(values) != len(ranks) or (np.diff(values) <= 0).any():
            yield Fault(f"manifest.scaling.curves[{position}]", "is not an ascending curve")
