from app.http.csv_text import neutralise, write_csv


def test_formulas_are_neutralised_and_numbers_stay() -> None:
    assert neutralise("=cmd|' /C calc'!A0") == "'=cmd|' /C calc'!A0"
    assert neutralise("@x") == "'@x"
    assert neutralise(-3.5) == -3.5
    assert write_csv({"=a": ["+1", "b"]}) == "'=a\n'+1\nb\n"
