"""LFGCN and P-DropEdge: the front door. Names load on first use, torch only where needed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml.artifact.artifact import Artifact, load_artifact
    from ml.config.config import TrainingConfig
    from ml.graph.graph import Graph
    from ml.graph.metrics import Metrics, evaluate
    from ml.graph.split import Split, random_split, stratified_split
    from ml.methods.inference import predict_probabilities
    from ml.training.fit import TrainingResult, fit
    from ml.training.history import EpochRecord
    from ml.training.search import SearchResult, search_settings

_HOME = {
    "Artifact": "ml.artifact.artifact",
    "EpochRecord": "ml.training.history",
    "Graph": "ml.graph.graph",
    "Metrics": "ml.graph.metrics",
    "SearchResult": "ml.training.search",
    "Split": "ml.graph.split",
    "TrainingConfig": "ml.config.config",
    "TrainingResult": "ml.training.fit",
    "evaluate": "ml.graph.metrics",
    "fit": "ml.training.fit",
    "load_artifact": "ml.artifact.artifact",
    "predict_probabilities": "ml.methods.inference",
    "random_split": "ml.graph.split",
    "search_settings": "ml.training.search",
    "stratified_split": "ml.graph.split",
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
