"""Training requests as they are stored with their jobs."""

import pytest

from app.models.schemas import SplitIn
from app.train.request import TrainingRequest
from ml import make_config

ALONE = TrainingRequest(
    graph_id="g",
    label="role",
    features=("Pd", "Qd"),
    split=SplitIn(kind="random", seed=3, fractions=[0.5, 0.25, 0.25]),
    config=make_config(gamma=0.5),
    baselines=False,
)
OF_SWEEP = TrainingRequest(
    graph_id="g",
    label="role",
    features=("Pd",),
    split=SplitIn(),
    config=make_config(gamma=0.5),
    baseline_config=make_config(),
    sweep_id="s",
)


@pytest.mark.parametrize("request_", [ALONE, OF_SWEEP])
def test_a_request_is_read_as_it_was_written(request_: TrainingRequest) -> None:
    assert TrainingRequest.from_payload(request_.as_payload()) == request_


def test_only_jobs_of_a_sweep_name_a_sweep() -> None:
    assert OF_SWEEP.as_payload()["sweep_id"] == "s"
    assert "sweep_id" not in ALONE.as_payload()
