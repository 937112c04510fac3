from pathlib import Path

import numpy as np
import pytest

from ml.errors import InvalidHyperparameter
from ml.graph.graph import UNLABELLED
from ml.methods.registry import flatten_settings
from ml.training.search import Attempt, Options, Range, SearchResult, Space, search_settings
from tests.ml.small_grids import quick, ring_with_chords, split_of

SPACE: Space = {"alpha": Range(0.1, 0.8), "width": Options((4, 8))}


def run(**options: object) -> SearchResult:
    graph = ring_with_chords()
    settings: dict[str, object] = {"trials": 4, "space": SPACE, **options}
    return search_settings(graph, split_of(graph), quick(epochs=5), **settings)  # type: ignore[arg-type]


def test_the_best_attempt_is_returned() -> None:
    result = run()
    scores = [attempt.score for attempt in result.attempts if attempt.score is not None]
    best = result.attempts[int(np.argmax(scores))]
    assert flatten_settings(result.config)["alpha"] == best.settings["alpha"]
    assert result.config.width == best.settings["width"]
    assert result.validation_accuracy == best.validation_accuracy


def test_equal_searches_give_equal_results() -> None:
    assert run() == run()


def test_test_labels_do_not_change_the_result() -> None:
    graph = ring_with_chords()
    split = split_of(graph)
    base = quick(epochs=5)
    expected = search_settings(graph, split, base, trials=3, space=SPACE)
    garbage = graph.labels.copy()
    garbage[split.test] = (garbage[split.test] + 1) % 3
    unknown = graph.labels.copy()
    unknown[split.test] = UNLABELLED
    for labels in (garbage, unknown):
        other = ring_with_chords(labels=labels)
        assert search_settings(other, split, base, trials=3, space=SPACE) == expected


def test_an_interrupted_search_goes_on_where_it_stopped(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'search.db'}"
    seen: list[tuple[int, Attempt]] = []
    first = run(trials=2, storage=storage)
    whole = run(trials=5, storage=storage, on_attempt=lambda *found: seen.append(found))
    assert [number for number, _ in seen] == [3, 4, 5]
    assert whole.attempts[:2] == first.attempts
    assert len(whole.attempts) == 5


def test_searches_of_different_problems_share_a_storage(tmp_path: Path) -> None:
    storage = f"sqlite:///{tmp_path / 'search.db'}"
    run(trials=2, storage=storage)
    graph = ring_with_chords(seed=4)
    other = search_settings(
        graph, split_of(graph), quick(epochs=5), trials=2, space=SPACE, storage=storage
    )
    assert len(other.attempts) == 2


def test_an_attempt_that_diverges_is_passed_over() -> None:
    graph = ring_with_chords(features=ring_with_chords().features * 1e38)
    scalings = ("none", "standard")
    result = search_settings(
        graph,
        split_of(graph),
        quick(epochs=3),
        trials=6,
        space={"feature_scaling": Options(scalings)},
    )
    assert {attempt.settings["feature_scaling"] for attempt in result.attempts} == set(scalings)
    for attempt in result.attempts:
        assert (attempt.score is None) == (attempt.settings["feature_scaling"] == "none")
    assert result.config.feature_scaling == "standard"


def test_a_search_in_which_everything_diverges_is_named() -> None:
    graph = ring_with_chords(features=ring_with_chords().features * 1e38)
    with pytest.raises(InvalidHyperparameter, match="diverged"):
        search_settings(
            graph,
            split_of(graph),
            quick(epochs=3),
            trials=2,
            space={"feature_scaling": Options(("none",))},
        )


def test_several_seeds_are_averaged() -> None:
    alone = [run(trials=1, seeds=(seed,)).validation_loss for seed in (0, 1)]
    together = run(trials=1, seeds=(0, 1)).validation_loss
    assert together == pytest.approx(np.mean(alone))


def test_a_space_of_unknown_settings_is_refused() -> None:
    with pytest.raises(InvalidHyperparameter, match="wings"):
        run(space={"wings": Options((1,))})
    with pytest.raises(InvalidHyperparameter, match="trials"):
        run(trials=0)
