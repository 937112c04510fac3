from app.storage.cache import BoundedCache


def test_a_value_is_loaded_once() -> None:
    cache: BoundedCache[int] = BoundedCache(2)
    loaded: list[str] = []

    def load() -> int:
        loaded.append("a")
        return len(loaded)

    assert [cache.get_or_load("a", load) for _ in range(3)] == [1, 1, 1]


def test_the_least_recently_used_value_is_evicted_first() -> None:
    cache: BoundedCache[str] = BoundedCache(2)
    cache.get_or_load("a", lambda: "a")
    cache.get_or_load("b", lambda: "b")
    cache.find("a")
    cache.get_or_load("c", lambda: "c")
    assert [cache.find(key) for key in ("a", "b", "c")] == ["a", None, "c"]


def test_a_failed_load_is_not_cached() -> None:
    cache: BoundedCache[float] = BoundedCache(2)
    try:
        cache.get_or_load("a", lambda: 1 / 0)
    except ZeroDivisionError:
        assert cache.find("a") is None
    else:
        raise AssertionError
