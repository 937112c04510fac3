"""Whether the arrays and settings of a model file are exactly those of a model of ours."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from app.models.files.model_file import ManifestIn, ScalingIn
from ml import TrainingConfig
from ml.artifact.array_rules import list_array_faults
from ml.artifact.artifact import SHALLOW
from ml.artifact.tensor_shapes import Sizes, Specs, expected_network, expected_shallow
from ml.errors import Fault, InvalidHyperparameter
from ml.levy.closed_forms import SIGMAS
from ml.methods.baseline_inference import DEGREE, NOT_ZERO

_SUM_TOLERANCE = 1e-3
_MOST_TREES = 10_000
_SETTINGS: dict[str, set[str]] = {
    "majority": set(),
    "label_propagation": set(),
    "one_rule": {"column", "leaves"},
    "closed_form": {"name", "alpha", "gamma"},
    "forest": {"trees", "depth", "leaf"},
}
Tensors = Mapping[str, npt.NDArray[Any]]


def list_content_faults(manifest: ManifestIn, tensors: Tensors, sizes: Sizes) -> list[Fault]:
    """Return everything that is wrong with the settings and arrays of a model, by themselves."""
    method = manifest.config.get("method")
    if method in SHALLOW:
        faults = list(_shallow_config_faults(str(method), manifest, tensors))
        return [*faults, *_shallow_array_faults(str(method), tensors, sizes)]
    try:
        config = TrainingConfig(**manifest.config)  # type: ignore[arg-type]  # it checks itself
    except InvalidHyperparameter as error:
        return [Fault(f"manifest.config.{each.where}", each.problem) for each in error.faults]
    except TypeError as error:
        return [Fault("manifest.config", str(error).partition(") ")[2] or "has unknown settings")]
    specs = expected_network(config, sizes)
    if specs is None:
        problem = f"models of {config.method!r} cannot be imported; train it here instead"
        return [Fault("manifest.config.method", problem)]
    return [*_spec_faults(tensors, specs), *_scaling_faults(manifest.scaling, sizes.features)]


def list_prediction_faults(predictions: npt.NDArray[Any], sizes: Sizes) -> Iterator[Fault]:
    """Yield what is wrong with the probabilities of every class at every bus."""
    wanted = (sizes.nodes, sizes.classes)
    if predictions.dtype != np.float32 or predictions.shape != wanted:
        found = f"{predictions.dtype} {predictions.shape}"
        yield Fault("predictions", f"are {found}, expected float32 {wanted}")
    elif (predictions < 0).any() or (np.abs(predictions.sum(axis=1) - 1) > _SUM_TOLERANCE).any():
        yield Fault("predictions", "have a row that is not a distribution over the classes")


def _spec_faults(tensors: Tensors, specs: Specs) -> Iterator[Fault]:
    for name in sorted(set(specs) - set(tensors)):
        yield Fault(name, "is missing")
    for name in sorted(set(tensors) - set(specs)):
        yield Fault(name[:100], "is no array of such a model")
    for name in sorted(set(tensors) & set(specs)):
        kind, shape = specs[name]
        found = tensors[name]
        if str(found.dtype) != kind:
            yield Fault(name, f"is {found.dtype}, expected {kind}")
        if len(found.shape) != len(shape) or any(
            wanted not in (None, length) for wanted, length in zip(shape, found.shape, strict=True)
        ):
            yield Fault(name, f"has shape {found.shape}, expected {shape}")


def _shallow_array_faults(method: str, tensors: Tensors, sizes: Sizes) -> list[Fault]:
    faults = list(_spec_faults(tensors, expected_shallow(method, sizes)))
    # A forest sees the degree beside the features.
    return faults or list_array_faults(method, tensors, sizes.features + 1)


def _shallow_config_faults(method: str, manifest: ManifestIn, tensors: Tensors) -> Iterator[Fault]:
    config = manifest.config
    wanted = _SETTINGS[method] | {"method", "seed"}
    for name in sorted(wanted ^ set(config)):
        problem = "is missing" if name in wanted else f"is no setting of {method}"
        yield Fault(f"manifest.config.{name[:40]}", problem)
    if not _is_whole(config.get("seed"), 0, 2**32 - 1):
        yield Fault("manifest.config.seed", "must be a whole number from 0")
    checks = {"one_rule": _is_rule, "closed_form": _is_form, "forest": _is_forest}
    if method in checks and not checks[method](manifest, tensors):
        yield Fault("manifest.config", f"has values that no {method} has")


def _is_rule(manifest: ManifestIn, _tensors: Tensors) -> bool:
    column = str(manifest.config.get("column"))
    names = manifest.feature_names
    known = column == DEGREE or column in names or column.removesuffix(NOT_ZERO) in names
    return known and _is_whole(manifest.config.get("leaves"), 2, 10_000)


def _is_form(manifest: ManifestIn, _tensors: Tensors) -> bool:
    alpha, gamma = manifest.config.get("alpha"), manifest.config.get("gamma")
    numbers = isinstance(alpha, int | float) and isinstance(gamma, int | float)
    return numbers and manifest.config.get("name") in SIGMAS and 0 < alpha < 1 and 0 < gamma <= 1  # type: ignore[operator]  # numbers


def _is_forest(manifest: ManifestIn, tensors: Tensors) -> bool:
    trees, depth = manifest.config.get("trees"), manifest.config.get("depth")
    return (
        _is_whole(trees, 1, _MOST_TREES)
        and ("roots" not in tensors or tensors["roots"].shape == (trees,))
        and (depth is None or _is_whole(depth, 1, 10_000))
        and _is_whole(manifest.config.get("leaf"), 1, 10**6)
    )


def _is_whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _scaling_faults(scaling: ScalingIn | None, features: int) -> Iterator[Fault]:
    if scaling is None:
        yield Fault("manifest.scaling", "is missing")
        return
    if len(scaling.offset) != features or len(scaling.scale) != features:
        yield Fault("manifest.scaling", f"is not of {features} columns")
    if 0 in scaling.scale:
        yield Fault("manifest.scaling.scale", "has a zero")
    if len(scaling.curves) not in {0, features}:
        yield Fault("manifest.scaling.curves", f"are {len(scaling.curves)}, not 0 or {features}")
    for position, (values, ranks) in enumerate(scaling.curves):
        if not values or len(values) != len(ranks) or (np.diff(values) <= 0).any():
            yield Fault(f"manifest.scaling.curves[{position}]", "is not a curve that ascends")
