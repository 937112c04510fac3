"""docs/paper.md is complete and names only what exists."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from ml.config.settings import Rounding
from ml.drop_edge.dropper import EdgeDropper
from ml.methods.registry import make_config

ROOT = Path(__file__).parents[2]

LABELS = [
    "gssl_formula",
    "eq2",
    "eq_gssl",
    "prob_jump",
    "lemma_eq",
    "fractional_closed_form",
    "Taylor",
    "filter_expansion",
    "FGS_convolutional_layer",
    "lemma1_eq",
    "stability",
    "flowchart",
    "P-DropEdge_alg",
    "lemma1_proof",
    "lemma2_proof",
    "lemma3_proof",
]
"""Every \\label of the paper's source on an equation, lemma, proof, algorithm or architecture."""

NUMBERED = [
    *(f"Lemma {number}" for number in (1, 2, 3)),
    *(f"Eq. ({number})" for number in range(1, 8)),
    "Definition 1",
    "Algorithm 1",
    "Fig. 1",
]
"""What the printed paper numbers in its method."""

UNNUMBERED = [
    "symmetrised weights",
    "SL formulation",
    "NL formulation",
    "SL, NL, PR",
    "FSL, FNL, FPR",
    "FGS filter",
    "gated max-average pooling",
    "residual block",
    "censored operator",
]
"""What it displays without a number."""

CITATION = re.compile(
    rf"Equation: (proof of )?(Eq\. \(({'|'.join(LABELS)})\)|Lemma [123]|Definition 1|Algorithm 1)"
)
BEYOND = "not in the paper"


def rows_of(header: str) -> list[list[str]]:
    """The rows below a table header of docs/paper.md, cells stripped."""
    lines = (ROOT / "docs/paper.md").read_text().splitlines()
    first = lines.index(header) + 2
    rows = []
    for line in lines[first:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
    return rows


STATEMENTS = rows_of("| paper | statement | code | tests | deviation |")
READINGS = rows_of("| question | option | choices | default |")
RATES = rows_of(
    "| graph | \\|E\\| | p, tau | candidates `ceil(tau \\|E\\|)` | sample `p tau \\|E\\|` "
    "| `at_least_one` (default) | `floor` | `stochastic` |"
)


def quoted(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def named(column: int) -> list[str]:
    return sorted({name for row in STATEMENTS for name in quoted(row[column])})


@cache
def definitions_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / path).read_text())
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def citing_functions() -> Iterator[str]:
    """Public functions and classes of ml that say they implement a part of the paper."""
    for path in sorted([*(ROOT / "ml").rglob("*.py"), ROOT / "experiments" / "theory.py"]):
        module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        # Baselines cite the papers they come from.
        if module.startswith(("ml.methods", "ml.nn.networks", "ml.nn.parts")):
            continue
        for node in ast.parse(path.read_text()).body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef) or node.name.startswith("_"):
                continue
            description = ast.get_docstring(node) or ""
            if CITATION.search(description) and BEYOND not in description:
                yield f"{module}.{node.name}"


@pytest.mark.parametrize("name", [*LABELS, *NUMBERED, *UNNUMBERED])
def test_every_statement_of_the_paper_has_a_row(name: str) -> None:
    assert any(name in row[0] for row in STATEMENTS)


@pytest.mark.parametrize("row", STATEMENTS, ids=lambda row: row[0])
def test_a_row_is_filled_in(row: list[str]) -> None:
    assert len(row) == 5
    assert all(row)
    assert quoted(row[2])
    assert quoted(row[3])


@pytest.mark.parametrize("name", named(2))
def test_every_name_in_the_code_column_can_be_imported(name: str) -> None:
    parts = name.split(".")
    depth = max(
        count
        for count in range(1, len(parts))
        if (ROOT / "/".join(parts[:count])).with_suffix(".py").exists()
    )
    found: object = import_module(".".join(parts[:depth]))
    for part in parts[depth:]:
        found = getattr(found, part, None)
    assert found is not None


@pytest.mark.parametrize("name", named(3))
def test_every_test_in_the_test_column_exists(name: str) -> None:
    path, _, function = name.partition("::")
    assert function in definitions_in(path)


@pytest.mark.parametrize("name", sorted(citing_functions()))
def test_every_function_that_cites_the_paper_has_a_row(name: str) -> None:
    assert name in named(2)


@pytest.mark.parametrize("row", READINGS, ids=lambda row: row[1])
def test_the_default_of_a_reading_is_that_of_the_code(row: list[str]) -> None:
    [option], [default] = quoted(row[1]), quoted(row[3])
    assert str(getattr(make_config(), option)) == default


@pytest.mark.parametrize(("row", "nodes"), list(zip(RATES, (118, 500, 2000), strict=True)))
def test_the_examples_of_drop_rates_are_as_the_code_computes_them(
    row: list[str], nodes: int
) -> None:
    edges = int(row[1].replace(",", ""))
    rate, top = make_config().drop_rates(nodes)
    assert row[2] == f"{rate:.0%}, {top:.0%}".replace("%", " %")
    pairs, scores = np.zeros((edges, 2), dtype=np.int64), np.ones(edges)
    roundings: list[Rounding] = ["at_least_one", "floor"]
    literal, floored = (
        EdgeDropper(pairs, scores, rate, top, rounding, "preferential") for rounding in roundings
    )
    generator = np.random.default_rng(0)
    assert row[3] == str(len(literal.candidates))
    assert row[4] == f"{literal.expected_count:.2f}"
    assert row[5] == str(len(literal.draw(generator)))
    assert row[6] == str(len(floored.draw(generator)))
