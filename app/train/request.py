"""A training request with every default filled in, as the row of its job stores it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

from app.grid.grid import Grid, LabelSet
from app.labels.hidden_columns import list_hidden_columns
from app.models.schemas import SplitIn
from app.storage.documents import Config, JobPayload, ManifestDocument
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


def describe_label(grid: Grid, label_set: LabelSet, features: Collection[str]) -> ManifestDocument:
    """Return what a manifest says of a label: its definition, and the columns that reveal it."""
    hidden = list_hidden_columns(grid, label_set)
    manifest: ManifestDocument = {"label_definition": label_set.definition}
    if hidden:
        manifest["hidden_columns"] = {
            name: why for name, why in hidden.items() if name not in features
        }
        manifest["revealed_columns"] = {
            name: why for name, why in hidden.items() if name in features
        }
    return manifest


def _read_config(stored: Config) -> NetworkSettings | AutoSettings:
    if stored.get("method") != AutoSettings.method:
        return make_config(**stored)
    return AutoSettings.from_stored(stored)
