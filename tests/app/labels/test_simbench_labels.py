"""The catalogue kinds ``feeder`` and ``subnet`` on a small SimBench grid, over HTTP."""

import re

import pytest
from starlette.testclient import TestClient

from tests.app.ingest.archives import SIMBENCH, make_zip


def _post_grid(api: TestClient, parts: dict[str, str]) -> str:
    answer = api.post("/graphs", files={"file": ("small.zip", make_zip(parts))})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        ("subnet", {"HV1": 1, "LV1.101": 1, "MV1.101": 3}),
        ("feeder", {"HV1": 1, "LV1.101": 1, "MV1.101": 1, "MV1.101_Feeder1": 2}),
    ],
)
def test_feeders_and_subnets_are_those_of_the_file(
    api: TestClient, kind: str, counts: dict[str, int]
) -> None:
    """The nodes "M" and "M a" of SIMBENCH are one bus."""
    path = f"/graphs/{_post_grid(api, dict(SIMBENCH))}/labels"
    made = api.post(path, json={"kind": kind}).json()
    assert made["class_counts"] == counts
    assert made["source"] == "catalogue"
    assert f"column '{kind}'" in made["definition"]
    assert kind in {one["name"] for one in api.get(path).json()["items"]}


def test_without_subnets_feeders_are_traced_from_the_source(api: TestClient) -> None:
    nodes = re.sub(r";(HV1|MV1\.101\w*|LV1\.101);", ";NULL;", SIMBENCH["Node.csv"])
    path = f"/graphs/{_post_grid(api, SIMBENCH | {'Node.csv': nodes})}/labels"
    traced = api.post(path, json={"kind": "feeder"}).json()
    assert traced["class_counts"] == {"N": 2, "N a": 1}
    assert traced["unknown"] == 2
    refused = api.post(path, json={"kind": "subnet"})
    assert refused.status_code == 422
    assert "needs one of the text columns subnet" in refused.text
