"""How sweeps look on the wire: what is asked for."""

from typing import Any

from pydantic import Field

from app.http.json_body import BodyIn


class RangeIn(BodyIn):
    """All numbers between two bounds, evenly or by order of magnitude."""

    low: int | float
    high: int | float
    log: bool = Field(False, description="Draw evenly by order of magnitude.")


class SearchIn(BodyIn):
    """Settings drawn at random, so spread that each range is covered evenly."""

    budget: int = Field(description="How many combinations of settings to try.", examples=[20])
    seed: int = Field(0, ge=0, lt=2**32, description="The same seed draws the same settings.")
    space: dict[str, list[Any] | RangeIn] = Field(
        description="For each setting a list of values or a range."
    )


class SweepIn(BodyIn):
    """Which settings to vary: `grid` tries every combination, `search` draws some.

    Either has at most 1,000 values, all settings together.
    """

    grid: dict[str, list[Any]] | None = Field(
        None,
        description="For each setting of `config` a list of values.",
        examples=[{"alpha": [0.1, 0.3], "gamma": [0.1, 1.0]}],
    )
    search: SearchIn | None = Field(
        None,
        examples=[
            {
                "budget": 20,
                "space": {
                    "alpha": {"low": 0.05, "high": 0.9},
                    "gamma": {"low": 0.001, "high": 1, "log": True},
                    "width": [16, 32, 64],
                },
            }
        ],
    )
    seeds: list[int] | None = Field(
        None,
        max_length=1000,
        description="Each combination is trained once a seed, on the same split. "
        "Default: the seed of `config` alone.",
        examples=[[0, 1, 2]],
    )

    @property
    def domains(self) -> dict[str, list[Any] | RangeIn]:
        """What is varied, whichever way."""
        if self.search is not None:
            return self.search.space
        return dict(self.grid or {})
