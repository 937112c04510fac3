from app.grid.listing import Listing, join_first, make_listing


def test_a_listing_has_the_count_and_the_first_twenty() -> None:
    numbers = [str(number) for number in range(25)]
    assert make_listing(numbers) == Listing(25, numbers[:20])
    assert make_listing([]) == Listing(0, [])


def test_items_beyond_the_limit_are_counted() -> None:
    assert join_first([1, 2, 3]) == "1, 2, 3"
    assert join_first([1, 2, 3], most=2) == "1, 2 and 1 more"
