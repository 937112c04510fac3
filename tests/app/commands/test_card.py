"""``levygrid card`` writes the card that the docs show."""

import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from app.commands.card import CardRequest, run_card
from app.commands.card_page import write_page
from app.errors import LevygridError
from tests.app.models.real_models import post_ring, put_trained
from tests.app.samples import compared, post_graph, put_model, report_on

PAGE = Path(__file__).parents[3] / "docs" / "cards" / "case118.md"
LINE = re.compile(r"^#.*|^\| (?:set|method|class|true class) .*", re.MULTILINE)


def structure_of(page: str) -> list[str]:
    """Headings and heads of tables, without the names of classes and of the grid."""
    lines = LINE.findall(page)
    return [re.sub(r"predicted .*|: .* on .*", "", line) for line in lines]


def test_the_card_in_the_docs_has_the_structure_that_is_written_now(api: TestClient) -> None:
    model_id = put_trained(api, post_ring(api))
    card = api.get(f"/models/{model_id}/card").json()
    with_baselines = card | {"baselines": compared(report_on("forest", 0.5))}
    page = write_page(with_baselines, "levygrid card case118")
    assert structure_of(page) == structure_of(PAGE.read_text())


def test_the_card_in_the_docs_begins_with_the_comparison_and_names_its_command() -> None:
    lines = PAGE.read_text().splitlines()
    assert lines[0] == "# Model card: role on case118"
    assert re.match(r"\*\*(A|No) baseline .* on validation", lines[2])
    assert "Written by `levygrid card case118 --output docs/cards/case118.md`" in lines[4]


def test_a_written_card_contains_no_model_id(api: TestClient) -> None:
    reports = compared(report_on("forest", 0.75))
    model_id = put_model(api, post_graph(api), baselines=reports)
    page = write_page(api.get(f"/models/{model_id}/card").json(), "x")
    assert model_id not in page
    assert "POST /models/{id}/baselines/forest/promote" in page


def test_skipped_baselines_and_missing_figures_are_shown(api: TestClient) -> None:
    reports = compared(report_on("gcn", 0.1, skipped="no time"))
    model_id = put_model(api, post_graph(api), baselines=reports)
    page = write_page(api.get(f"/models/{model_id}/card").json(), "x")
    assert "| Gcn | – | – | – | skipped: no time |" in page
    assert "Not measured for this model." in page


def test_a_missing_output_folder_is_reported_before_training(tmp_path: Path) -> None:
    with pytest.raises(LevygridError, match="The output folder"):
        run_card(CardRequest("case118", "role"), tmp_path / "none" / "card.md", None)


@pytest.mark.slow
def test_the_command_trains_replays_and_writes_the_card(tmp_path: Path) -> None:
    order = CardRequest("case14", "role", {"epochs": 3})
    run_card(order, tmp_path / "card.md", None)
    page = (tmp_path / "card.md").read_text()
    assert structure_of(page) == structure_of(PAGE.read_text())
    assert "logits are bit-equal" in page
