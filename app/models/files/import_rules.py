"""Checks that the settings and arrays of a model file are exactly those of its method."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

import ml
from app.models.files.model_file import ManifestIn, ScalingIn
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
