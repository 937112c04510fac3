"""The automatic choice as a model: fitted, packed for storage, and made again from its manifest."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from ml.arrays import FloatArray
from ml.artifact.artifact import FORMAT_2, Artifact, Tensors, pack
from ml.artifact.manifest import describe_inputs
from ml.graph.graph import Graph
from ml.graph.split import Split
from ml.graph.surroundings import Surroundings
from ml.methods.auto import AutoSettings
from ml.training.device import describe_machine
from ml.training.selection.auto import OnStep, Selection, Stored, select
from ml.training.selection.problem import LabelProblem, make_problem
from ml.training.selection.schedule import Schedule, plan_schedule


@dataclass(frozen=True, eq=False)
class AutoResult:
    """A finished automatic choice.

    ``probabilities`` are out of fold where the label of the node was used, and those of the
    refitted model elsewhere; the artifact holds both arrays.

    Shapes: probabilities (N, K).
    """

    selection: Selection
    probabilities: FloatArray
    artifact: Artifact


def plan_auto(
    graph: Graph, split: Split, settings: AutoSettings, surroundings: Surroundings
) -> Schedule:
    """Turn the time budget into the steps of the search, before it starts."""
    problem = make_problem(graph, split, surroundings, settings.seed)
    return plan_schedule(problem, settings.budget_seconds)


def fit_auto(  # noqa: PLR0913 - one call for the service, its options by keyword
    graph: Graph,
    split: Split,
    settings: AutoSettings,
    surroundings: Surroundings,
    *,
    schedule: Schedule | None = None,
    on_step: OnStep | None = None,
    stored: Stored | None = None,
) -> AutoResult:
    """Choose a method by cross-validation on ``split.train`` and refit it on all these labels.

    Labels of other nodes are not looked at. A run with the ``schedule`` of an earlier one
    repeats it exactly; ``stored`` receives the arrays that an interrupted run continues from.
    """
    problem = make_problem(graph, split, surroundings, settings.seed)
    plan = plan_schedule(problem, settings.budget_seconds) if schedule is None else schedule
    selection = select(problem, plan, on_step, stored)
    probabilities = selection.probabilities.copy()
    probabilities[problem.known] = selection.held_out
    manifest = {
        "config": settings.as_dict(),
        "seed": settings.seed,
        "selection": describe_selection(selection, problem),
        **describe_inputs(graph, split),
        **describe_machine(torch.device("cpu")),
    }
    return AutoResult(selection, probabilities, pack(_list_tensors(selection), manifest, FORMAT_2))


def read_schedule(manifest: Mapping[str, Any]) -> Schedule:
    """Return the schedule that a stored model was made with."""
    return Schedule.from_dict(manifest["selection"]["schedule"])


def describe_selection(selection: Selection, problem: LabelProblem) -> dict[str, Any]:
    """Return the evidence for the choice as plain JSON values."""
    estimate = selection.estimate
    return {
        "reason": selection.reason,
        "labels": len(problem.known),
        "folds": selection.schedule.folds,
        "repeats": selection.schedule.repeats,
        "grouped": problem.known_groups is not None,
        "estimate": None if estimate is None else asdict(estimate),
        "members": [
            {
                "key": member.candidate.key,
                "title": member.candidate.title,
                "method": member.candidate.method,
                "family": member.candidate.family,
                "settings": {k: _plain(v) for k, v in member.candidate.settings.items()},
                "weight": member.weight,
                "sharpness": member.sharpness,
            }
            for member in selection.members
        ],
        "candidates": [{**asdict(row), "seconds": round(row.seconds, 3)} for row in selection.rows],
        "schedule": selection.schedule.as_dict(),
    }


def _list_tensors(selection: Selection) -> Tensors:
    tensors = {"refitted": selection.probabilities, "held_out": selection.held_out}
    for position, member in enumerate(selection.members):
        for name, value in member.refit.tensors.items():
            tensors[f"members.{position}.{name}"] = np.asarray(value)
    return tensors


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
