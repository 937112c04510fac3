"""Stored reports read as types."""

from typing import Any

import pytest

from app.errors import StoredDataDamaged
from app.models.card.reports import BaselineReport, BaselineReports, FigureSummary, ModelFigures
from tests.app.samples import compared, report_on


def test_missing_and_null_fields_have_their_defaults() -> None:
    figures = ModelFigures.from_stored({"validation": {"count": 2, "accuracy": None}, "test": None})
    assert figures.validation == figures.on("validation")
    assert (figures.validation.count, figures.validation.accuracy) == (2, None)
    assert figures.test.per_class == ()
    assert FigureSummary.from_stored(None) == FigureSummary()


def test_a_report_of_the_wrong_type_is_damaged_data() -> None:
    with pytest.raises(StoredDataDamaged, match="accuracy"):
        FigureSummary.from_stored({"accuracy": "high"})


@pytest.mark.parametrize(
    ("extra", "path"),
    [
        ({}, "/models/m/baselines/forest/promote"),
        ({"owner_id": "o"}, "/models/o/baselines/forest/promote"),
        ({"model_id": "x"}, "/models/x/promote"),
        ({"promotable": False}, None),
    ],
)
def test_a_baseline_names_the_path_that_promotes_it(
    extra: dict[str, Any], path: str | None
) -> None:
    report = BaselineReport.from_stored(report_on("forest", 0.5, **extra))
    assert report.promote_path("m") == path


def test_all_baselines_of_a_model_are_read() -> None:
    skipped = {"key": "gcn", "title": "GCN", "seed": 0, "skipped": "no time", "seconds": 0}
    reports = BaselineReports.from_stored(compared(report_on("forest", 0.75), skipped))
    assert [report.skipped for report in reports.items] == [None, "no time"]
    assert reports.items[0].validation.accuracy == 0.75
    assert reports.items[1].test.accuracy is None
