"""The page of costs, written from stored figures."""

from pathlib import Path
from typing import Any

import pytest

from experiments.paths import DOCS, RESULTS
from experiments.report.performance import describe, growth, store_figures, write_document

FIGURES: dict[str, dict[str, Any]] = {
    "levy_setup": {
        "rows": [
            {"buses": 2000, "seconds": 0.01, "seconds_cold": 0.1, "speedup": 90.0, "poles": 12},
            {"buses": 82_000, "seconds": 0.5, "seconds_cold": 0.8, "speedup": None, "poles": 16},
        ],
        "compile_seconds": 4.5,
    },
    "epoch": {
        "rows": [
            {"buses": buses, "method": method, "ms": buses / 100, "threads": 1}
            for buses in (2000, 82_000)
            for method in ("GCN", "LFGCN", "LFGCN + P-DropEdge", "APPNP")
        ],
        "ratios": [{"buses": 2000, "lfgcn_to_gcn": 1.5}],
        "width": 64,
        "branches": 4,
        "taylor_order": 1,
    },
    "training": {
        "rows": [
            {"graph": "pubmed", "operator": "sparse", "reason": "a core", "setup_seconds": 3.0},
        ]
    },
    "betweenness": {"rows": [{"buses": 2000, "seconds": 0.1, "speedup": 300.0}]},
    "predict": {
        "rows": [{"buses": 2000, "requests_per_second": 9000, "ratio": 1.5, "p99_ms": 2.0}],
        "bulk": [{"form": "rows", "seconds": 0.5, "added_mb": 20.0, "body_mb": 15.0}],
        "client": "wrk",
        "ratio": 1.5,
        "p99_ms": 2.0,
        "bulk_seconds": 0.5,
        "bulk_added_mb": 220.0,
    },
}


def test_cost_that_doubles_with_the_buses_grows_linearly() -> None:
    assert growth([(118, 9.0), (2000, 1.0), (4000, 2.0), (8000, 4.0)]) == pytest.approx(1)
    assert growth([(118, 1.0), (2000, 1.0)]) is None


def test_the_page_shows_a_dash_where_there_is_no_figure() -> None:
    page = describe(FIGURES)
    assert "| 2,000 | 0.01 | 0.1 | - | 90 |" in page
    assert "| 82,000 | 0.5 | 0.8 | - | - |" in page
    assert "epoch of LFGCN as buses^1.00" in page
    assert "compiles for 4.5 seconds more" in page
    assert "- pubmed: sparse, because a core" in page
    assert "- epoch of LFGCN / GCN at 2,000 buses: 1.5, aim at most 2: met." in page


def test_the_page_shows_how_predictions_are_served() -> None:
    page = describe(FIGURES)
    assert "## Predictions over HTTP" in page
    assert "client: wrk" in page
    assert "| 2,000 | 9,000 | - | 1.5 | - | - | - | 2 |" in page
    assert "| rows | 0.5 | 20 | 15 |" in page
    assert "requests per second: 1.5, aim at least 1: met." in page
    assert "MB added by GET /predict for all buses: 220, aim at most 200: missed." in page


def test_without_its_figures_the_page_has_no_section_on_predictions() -> None:
    without = {name: figures for name, figures in FIGURES.items() if name != "predict"}
    assert "## Predictions over HTTP" not in describe(without)


def test_page_and_picture_are_written_from_the_stored_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name, figures in FIGURES.items():
        store_figures(tmp_path, name, figures)
    page, picture = write_document(tmp_path, tmp_path / "docs")
    assert page.read_text().startswith("# Performance")
    assert "<svg" in picture.read_text()


def test_the_committed_page_is_that_of_the_committed_figures(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    page, _ = write_document(RESULTS, tmp_path)
    assert page.read_text(encoding="utf-8") == (DOCS / page.name).read_text(encoding="utf-8")
