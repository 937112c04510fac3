import math
from typing import Any

import pytest

from app.sweeps.plan import count_trials, plan_trials
from app.sweeps.schemas import SweepIn


def plan(**sweep: Any) -> list[tuple[dict[str, Any], int]]:
    trials = plan_trials(SweepIn.model_validate(sweep), default_seed=7)
    return [(trial.parameters, trial.seed) for trial in trials]


def draw(budget: int, seed: int = 0, **space: Any) -> list[dict[str, Any]]:
    search = {"budget": budget, "seed": seed, "space": space}
    return [parameters for parameters, _ in plan(search=search)]


def test_a_grid_plans_every_combination_with_every_seed() -> None:
    assert plan(grid={"alpha": [0.1, 0.2], "pooling": ["max"]}, seeds=[3, 4]) == [
        ({"alpha": 0.1, "pooling": "max"}, 3),
        ({"alpha": 0.1, "pooling": "max"}, 4),
        ({"alpha": 0.2, "pooling": "max"}, 3),
        ({"alpha": 0.2, "pooling": "max"}, 4),
    ]


def test_without_seeds_the_seed_of_the_config_is_used() -> None:
    assert plan(grid={"alpha": [0.1]}) == [({"alpha": 0.1}, 7)]


@pytest.mark.parametrize(
    "sweep",
    [
        {"grid": {"alpha": [0.1, 0.2, 0.3], "gamma": [0.1, 1.0]}, "seeds": [0, 1]},
        {"search": {"budget": 9, "space": {"alpha": {"low": 0.1, "high": 0.9}}}, "seeds": [0, 1]},
    ],
)
def test_trials_are_counted_without_planning_them(sweep: dict[str, Any]) -> None:
    assert count_trials(SweepIn.model_validate(sweep)) == len(plan(**sweep))


def test_a_huge_grid_is_counted_without_planning_it() -> None:
    grid = {f"setting{number}": list(range(1000)) for number in range(20)}
    assert count_trials(SweepIn(grid=grid)) == 1000**20


def test_a_search_draws_one_value_per_interval_of_a_range() -> None:
    alphas = [one["alpha"] for one in draw(10, alpha={"low": 0.2, "high": 0.7})]
    assert sorted(int((alpha - 0.2) / 0.05) for alpha in alphas) == list(range(10))


def test_a_logarithmic_range_is_sampled_evenly_per_order_of_magnitude() -> None:
    gammas = [one["gamma"] for one in draw(30, gamma={"low": 0.001, "high": 1, "log": True})]
    orders = [math.floor(math.log10(gamma)) for gamma in gammas]
    assert [orders.count(order) for order in (-3, -2, -1)] == [10, 10, 10]


def test_integer_settings_get_integers_within_their_bounds() -> None:
    widths = [one["width"] for one in draw(50, width={"low": 2, "high": 6})]
    assert set(widths) == {2, 3, 4, 5, 6}
    layers = [one["layers"] for one in draw(50, layers={"low": 1, "high": 16, "log": True})]
    assert all(isinstance(layer, int) and 1 <= layer <= 16 for layer in layers)
    assert {1, 16} <= set(layers)


def test_a_search_samples_lists_and_keeps_equal_combinations_once() -> None:
    drawn = draw(40, pooling=["max", "average"], alpha=[0.1, 0.2])
    assert len(drawn) == 4
    assert {(one["pooling"], one["alpha"]) for one in drawn} == {
        ("max", 0.1),
        ("max", 0.2),
        ("average", 0.1),
        ("average", 0.2),
    }


def test_the_seed_of_a_search_determines_the_sample() -> None:
    space: dict[str, Any] = {"alpha": {"low": 0.1, "high": 0.9}, "gamma": {"low": 0.1, "high": 1}}
    assert draw(5, **space) == draw(5, **space)
    assert draw(5, **space) != draw(5, seed=1, **space)
