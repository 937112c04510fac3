"""A training request with every default filled in, as the row of its job stores it."""

from dataclasses import dataclass
from typing import Any, Self

from app.models.schemas import SplitIn
from ml import (
    Graph,
    NetworkSettings,
    Split,
    flatten_settings,
    make_config,
    random_split,
    stratified_split,
)
from ml.arrays import IntArray


@dataclass(frozen=True)
class TrainingRequest:
    """Everything that decides the outcome of a training job.

    The jobs of a sweep share their baselines, which use ``baseline_config``.
    """

    graph_id: str
    label: str
    features: tuple[str, ...]
    split: SplitIn
    config: NetworkSettings
    baselines: bool = True
    baseline_config: NetworkSettings | None = None
    sweep_id: str | None = None

    def as_payload(self) -> dict[str, Any]:
        """Return JSON values for the row of the job."""
        payload = {
            "graph_id": self.graph_id,
            "label": self.label,
            "features": list(self.features),
            "split": self.split.model_dump(),
            "config": flatten_settings(self.config),
            "baselines": self.baselines,
        }
        if self.baseline_config is not None:
            payload["baseline_config"] = flatten_settings(self.baseline_config)
        if self.sweep_id is not None:
            payload["sweep_id"] = self.sweep_id
        return payload

    @classmethod
    def from_payload(cls, payload: dict[str, Any]) -> Self:
        """Read what ``as_payload`` wrote."""
        baseline_config = payload.get("baseline_config")
        return cls(
            graph_id=payload["graph_id"],
            label=payload["label"],
            features=tuple(payload["features"]),
            split=SplitIn.model_validate(payload["split"]),
            config=make_config(**payload["config"]),
            baselines=payload.get("baselines", True),
            baseline_config=None if baseline_config is None else make_config(**baseline_config),
            sweep_id=payload.get("sweep_id"),
        )


@dataclass(frozen=True, eq=False)
class TrainingSubject:
    """The inputs of a training run: graph, split and settings."""

    graph: Graph
    split: Split
    config: NetworkSettings


def draw_split(labels: IntArray, split: SplitIn) -> Split:
    """Divide the labelled buses as requested. Raises: InvalidSplit."""
    draw = stratified_split if split.kind == "stratified" else random_split
    first, second, third = split.fractions
    return draw(labels, split.seed, (first, second, third))
