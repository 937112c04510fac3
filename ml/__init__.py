"""The library: graph in, model out. Names load on first use, torch only where it is needed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml.artifact.artifact import FORMAT, FORMAT_2, Artifact, pack
    from ml.artifact.manifest import BaselineDocument, read_split, split_parts
    from ml.artifact.schema import ModelSizes, list_spec_faults
    from ml.compute.allocator import keep_freed_memory
    from ml.compute.child_process import die_with_parent
    from ml.compute.memory import read_peak_bytes
    from ml.config.field import Interval, field_types, list_fields, setting_of
    from ml.config.settings import MethodSettings, NetworkSettings
    from ml.explain.explainer import (
        NETWORK_TOLERANCE,
        REBUILT_TOLERANCE,
        Explainer,
        find_nearest,
    )
    from ml.explain.part import ExplainedPart, Explanation, PartKind
    from ml.graph.graph import UNLABELLED, Graph, islands_of
    from ml.graph.mcnemar import PairedCount, count_pairs
    from ml.graph.metrics import (
        FigureDocument,
        Metrics,
        MetricsDocument,
        accuracy_interval,
        evaluate,
    )
    from ml.graph.split import Split, check_fractions, random_split, stratified_split
    from ml.graph.surroundings import Surroundings
    from ml.levy.limits import DENSE_COPIES
    from ml.methods.auto import AutoSettings, read_answers
    from ml.methods.base import Method
    from ml.methods.direct import fit_direct
    from ml.methods.estimate import Estimate
    from ml.methods.registry import (
        BASELINES,
        METHODS,
        NETWORKS,
        change_settings,
        describe_unknown,
        estimate,
        find_field,
        flatten_settings,
        get_method,
        is_setting,
        list_ignored_settings,
        list_users,
        make_config,
        read_settings,
    )
    from ml.methods.stored import load_artifact, predict_probabilities
    from ml.methods.stored_choice import StoredMember, list_choice_faults
    from ml.training.baselines import BaselineTask, FittedMethod, fit_baseline
    from ml.training.fit import TrainingResult, fit
    from ml.training.history import EpochRecord
    from ml.training.measure import measure_baselines
    from ml.training.replay import (
        DECISIVE,
        TOLERANCE,
        Difference,
        largest_difference,
        list_differences,
        threads_of,
    )
    from ml.training.search import SearchResult, search_settings
    from ml.training.selection.model import AutoResult, fit_auto, plan_auto, read_schedule
    from ml.training.selection.schedule import Schedule
    from ml.trust.conformal import (
        DEFAULT_COVERAGE,
        HIGHEST_COVERAGE,
        LOWEST_COVERAGE,
        PredictionSets,
        calibrate,
        count_needed,
    )
    from ml.trust.label_sample import exceeds_range, is_random_sample, measure_distances

_DOOR: dict[str, tuple[str, ...]] = {
    "ml.artifact.artifact": ("Artifact", "FORMAT", "FORMAT_2", "pack"),
    "ml.artifact.manifest": ("BaselineDocument", "read_split", "split_parts"),
    "ml.artifact.schema": ("ModelSizes", "list_spec_faults"),
    "ml.compute.allocator": ("keep_freed_memory",),
    "ml.compute.child_process": ("die_with_parent",),
    "ml.compute.memory": ("read_peak_bytes",),
    "ml.config.field": ("Interval", "field_types", "list_fields", "setting_of"),
    "ml.config.settings": ("MethodSettings", "NetworkSettings"),
    "ml.explain.explainer": ("Explainer", "NETWORK_TOLERANCE", "REBUILT_TOLERANCE", "find_nearest"),
    "ml.explain.part": ("ExplainedPart", "Explanation", "PartKind"),
    "ml.graph.graph": ("Graph", "UNLABELLED", "islands_of"),
    "ml.graph.mcnemar": ("PairedCount", "count_pairs"),
    "ml.graph.metrics": (
        "FigureDocument",
        "Metrics",
        "MetricsDocument",
        "accuracy_interval",
        "evaluate",
    ),
    "ml.graph.split": (
        "Split",
        "check_fractions",
        "random_split",
        "stratified_split",
    ),
    "ml.graph.surroundings": ("Surroundings",),
    "ml.levy.limits": ("DENSE_COPIES",),
    "ml.methods.auto": ("AutoSettings", "read_answers"),
    "ml.methods.base": ("Method",),
    "ml.methods.direct": ("fit_direct",),
    "ml.methods.estimate": ("Estimate",),
    "ml.methods.registry": (
        "BASELINES",
        "METHODS",
        "NETWORKS",
        "change_settings",
        "describe_unknown",
        "estimate",
        "find_field",
        "flatten_settings",
        "get_method",
        "is_setting",
        "list_ignored_settings",
        "list_users",
        "make_config",
        "read_settings",
    ),
    "ml.methods.stored": ("load_artifact", "predict_probabilities"),
    "ml.methods.stored_choice": ("StoredMember", "list_choice_faults"),
    "ml.training.baselines": ("BaselineTask", "FittedMethod", "fit_baseline"),
    "ml.training.fit": ("TrainingResult", "fit"),
    "ml.training.history": ("EpochRecord",),
    "ml.training.measure": ("measure_baselines",),
    "ml.training.replay": (
        "DECISIVE",
        "Difference",
        "TOLERANCE",
        "largest_difference",
        "list_differences",
        "threads_of",
    ),
    "ml.training.search": ("SearchResult", "search_settings"),
    "ml.training.selection.model": ("AutoResult", "fit_auto", "plan_auto", "read_schedule"),
    "ml.training.selection.schedule": ("Schedule",),
    "ml.trust.conformal": (
        "DEFAULT_COVERAGE",
        "HIGHEST_COVERAGE",
        "LOWEST_COVERAGE",
        "PredictionSets",
        "calibrate",
        "count_needed",
    ),
    "ml.trust.label_sample": ("exceeds_range", "is_random_sample", "measure_distances"),
}
_HOME = {name: module for module, names in _DOOR.items() for name in names}

__all__ = [
    "BASELINES",
    "DECISIVE",
    "DEFAULT_COVERAGE",
    "DENSE_COPIES",
    "FORMAT",
    "FORMAT_2",
    "HIGHEST_COVERAGE",
    "LOWEST_COVERAGE",
    "METHODS",
    "NETWORKS",
    "NETWORK_TOLERANCE",
    "REBUILT_TOLERANCE",
    "TOLERANCE",
    "UNLABELLED",
    "Artifact",
    "AutoResult",
    "AutoSettings",
    "BaselineDocument",
    "BaselineTask",
    "Difference",
    "EpochRecord",
    "Estimate",
    "ExplainedPart",
    "Explainer",
    "Explanation",
    "FigureDocument",
    "FittedMethod",
    "Graph",
    "Interval",
    "Method",
    "MethodSettings",
    "Metrics",
    "MetricsDocument",
    "ModelSizes",
    "NetworkSettings",
    "PairedCount",
    "PartKind",
    "PredictionSets",
    "Schedule",
    "SearchResult",
    "Split",
    "StoredMember",
    "Surroundings",
    "TrainingResult",
    "accuracy_interval",
    "calibrate",
    "change_settings",
    "check_fractions",
    "count_needed",
    "count_pairs",
    "describe_unknown",
    "die_with_parent",
    "estimate",
    "evaluate",
    "exceeds_range",
    "field_types",
    "find_field",
    "find_nearest",
    "fit",
    "fit_auto",
    "fit_baseline",
    "fit_direct",
    "flatten_settings",
    "get_method",
    "is_random_sample",
    "is_setting",
    "islands_of",
    "keep_freed_memory",
    "largest_difference",
    "list_choice_faults",
    "list_differences",
    "list_fields",
    "list_ignored_settings",
    "list_spec_faults",
    "list_users",
    "load_artifact",
    "make_config",
    "measure_baselines",
    "measure_distances",
    "pack",
    "plan_auto",
    "predict_probabilities",
    "random_split",
    "read_answers",
    "read_peak_bytes",
    "read_schedule",
    "read_settings",
    "read_split",
    "search_settings",
    "setting_of",
    "split_parts",
    "stratified_split",
    "threads_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ml' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
