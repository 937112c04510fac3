"""Example requests of POST /train in the API documentation."""

from typing import Any

_GRAPH = "0f6f6a1a6a0b4d0f8b5d8a4f8a3f1c2e"


def _example(summary: str, **body: Any) -> Any:
    return {"summary": summary, "value": {"graph_id": _GRAPH, "label": "role", **body}}


TRAIN_EXAMPLES = {
    "default": _example("The best method, chosen by cross-validation over all known labels"),
    "one": _example("One LFGCN", config={"gamma": 0.1, "seed": 1}),
    "grid": _example(
        "A sweep over all combinations, three seeds each",
        sweep={"grid": {"alpha": [0.1, 0.3], "gamma": [0.1, 1.0]}, "seeds": [0, 1, 2]},
    ),
    "search": _example(
        "A sweep over twenty random combinations",
        config={"epochs": 200},
        sweep={
            "search": {
                "budget": 20,
                "space": {
                    "alpha": {"low": 0.05, "high": 0.9},
                    "gamma": {"low": 0.001, "high": 1, "log": True},
                    "width": [16, 32, 64],
                },
            }
        },
    ),
}
