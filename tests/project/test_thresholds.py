"""No two thresholds of the same name have different values."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def constants_of(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Module-level names in capitals whose value is a whole number or a product of some."""
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if not isinstance(target, ast.Name) or not target.id.isupper():
            continue
        expression = getattr(node, "value", None)
        if isinstance(expression, ast.Constant | ast.BinOp | ast.UnaryOp):
            value = evaluate(expression)
            if value is not None:
                yield target.id, value


def evaluate(expression: ast.expr) -> int | None:
    if any(not isinstance(part, _ARITHMETIC) for part in ast.walk(expression)):
        return None
    value = eval(compile(ast.Expression(expression), "threshold", "eval"))  # noqa: S307  # numbers only
    return value if type(value) is int else None


_ARITHMETIC = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


def values_by_name(*, packages: tuple[str, ...], private: bool) -> dict[str, dict[int, list[str]]]:
    """Name without its underscore -> value -> the modules that say so."""
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for package in packages:
        for path in sorted((ROOT / package).rglob("*.py")):
            for name, value in constants_of(ast.parse(path.read_text())):
                if private or not name.startswith("_"):
                    found[name.lstrip("_")][value].append(str(path.relative_to(ROOT)))
    return found


@pytest.mark.parametrize(
    ("packages", "private"),
    [
        pytest.param(("ml",), True, id="all of ml"),
        pytest.param(("ml", "app"), False, id="public names of ml and app"),
    ],
)
def test_a_threshold_has_one_value(packages: tuple[str, ...], private: bool) -> None:
    names = values_by_name(packages=packages, private=private)
    assert {name: dict(values) for name, values in names.items() if len(values) > 1} == {}


def test_thresholds_are_recognised() -> None:
    tree = ast.parse("A = 3\n_B: int = 4 * 2**3\nC = 0.5\nD = -1\nlow = 7\nE = len('x')\nF = True")
    assert dict(constants_of(tree)) == {"A": 3, "_B": 32, "D": -1}
