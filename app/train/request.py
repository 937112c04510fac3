"""A training request with every default filled in, as the row of its job stores it."""

from dataclasses import dataclass
from typing import Self

from app.models.schemas import SplitIn
from app.storage.documents import Config, JobPayload
from ml import AutoSettings, Graph, NetworkSettings, Split, flatten_settings, make_config


@dataclass(frozen=True)
class TrainingRequest:
    """Everything that decides the outcome of a training job.

    ``split`` is None if all labels are used and the figures come from cross-validation.
    The jobs of a sweep share their baselines, which use ``baseline_config``.
    """

    graph_id: str
    label: str
    features: tuple[str, ...]
    split: SplitIn | None
    config: NetworkSettings | AutoSettings
    baselines: bool = True
    baseline_config: NetworkSettings | None = None
    sweep_id: str | None = None

    def as_payload(self) -> JobPayload:
        """Return JSON values for the row of the job."""
        payload: JobPayload = {
            "graph_id": self.graph_id,
            "label": self.label,
            "features": list(self.features),
            "split": None if self.split is None else self.split.as_payload(),
            "config": flatten_settings(self.config),
            "baselines": self.baselines,
        }
        if self.baseline_config is not None:
            payload["baseline_config"] = flatten_settings(self.baseline_config)
        if self.sweep_id is not None:
            payload["sweep_id"] = self.sweep_id
        return payload

    @classmethod
    def from_payload(cls, payload: JobPayload) -> Self:
        """Read what ``as_payload`` wrote."""
        baseline_config, split = payload.get("baseline_config"), payload["split"]
        return cls(
            graph_id=payload["graph_id"],
            label=payload["label"],
            features=tuple(payload["features"]),
            split=None if split is None else SplitIn.model_validate(split),
            config=_read_config(payload["config"]),
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


def _read_config(stored: Config) -> NetworkSettings | AutoSettings:
    if stored.get("method") != AutoSettings.method:
        return make_config(**stored)
    return AutoSettings.from_stored(stored)
