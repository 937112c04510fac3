"""LFGCN and P-DropEdge: the front door. Names load on first use, torch only where needed."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ml.config import TrainingConfig
    from ml.graph import Graph
    from ml.split import Split, random_split, stratified_split

_HOME = {
    "Graph": "ml.graph",
    "Split": "ml.split",
    "TrainingConfig": "ml.config",
    "random_split": "ml.split",
    "stratified_split": "ml.split",
}

__all__ = ["Graph", "Split", "TrainingConfig", "random_split", "stratified_split"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ml' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
