from app.bench.start import run


def test_the_time_to_the_first_answer_is_measured_beside_bare_imports() -> None:
    figures = run(repeats=1)
    assert [row["what"] for row in figures["rows"]] == [
        "import the libraries",
        "migrate and answer",
    ]
    assert figures["seconds"] > 0
    assert figures["ratio"] > 0
