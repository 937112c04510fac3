from app.bench.start import run


def test_the_start_up_time_is_compared_with_the_time_of_the_imports() -> None:
    figures = run(repeats=1)
    assert [row["what"] for row in figures["rows"]] == [
        "import the libraries",
        "start the service",
    ]
    assert figures["seconds"] > 0
    assert figures["ratio"] > 0
