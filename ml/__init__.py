"""LFGCN and P-DropEdge: the front door. Names load on first use, torch only where needed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml.artifact import Artifact, load_artifact
    from ml.config import TrainingConfig
    from ml.graph import Graph
    from ml.history import EpochRecord
    from ml.inference import predict_probabilities
    from ml.metrics import Metrics, evaluate
    from ml.search import SearchResult, search_settings
    from ml.split import Split, random_split, stratified_split
    from ml.training import TrainingResult, fit

_HOME = {
    "Artifact": "ml.artifact",
    "EpochRecord": "ml.history",
    "Graph": "ml.graph",
    "Metrics": "ml.metrics",
    "SearchResult": "ml.search",
    "Split": "ml.split",
    "TrainingConfig": "ml.config",
    "TrainingResult": "ml.training",
    "evaluate": "ml.metrics",
    "fit": "ml.training",
    "load_artifact": "ml.artifact",
    "predict_probabilities": "ml.inference",
    "random_split": "ml.split",
    "search_settings": "ml.search",
    "stratified_split": "ml.split",
}

__all__ = [
    "Artifact",
    "EpochRecord",
    "Graph",
    "Metrics",
    "SearchResult",
    "Split",
    "TrainingConfig",
    "TrainingResult",
    "evaluate",
    "fit",
    "load_artifact",
    "predict_probabilities",
    "random_split",
    "search_settings",
    "stratified_split",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ml' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
