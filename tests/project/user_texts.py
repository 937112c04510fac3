"""Collects the strings that users read: descriptions, messages, help texts, pages."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
_KEYWORDS = frozenset({"description", "summary", "help", "detail", "title", "advice", "definition"})
_CALLS = frozenset({"Fault", "ProblemKind", "setting"})
_MODELS = frozenset({"BaseModel", "BodyIn"})
_ROUTES = frozenset({"get", "post", "put", "patch", "delete", "command", "callback"})
_SCRIPT_TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_MARKUP = re.compile(r"<script.*?</script>|<style.*?</style>|<[^>]*>|\{[{%#].*?[%}#]\}", re.DOTALL)


class Text(NamedTuple):
    """One string that users read, and its place."""

    file: str
    line: int
    text: str


def collect_texts() -> Iterator[Text]:
    """Yield every user-facing string of ``app`` and ``ml``."""
    errors = _list_error_classes()
    for package in ("app", "ml"):
        for path in sorted((ROOT / package).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            for line, text in find_python_texts(path.read_text(), errors):
                yield Text(name, line, text)
    for path in sorted((ROOT / "app" / "web").rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".html":
            yield Text(name, 1, _MARKUP.sub(" ", path.read_text()))
        elif path.suffix == ".js":
            yield from (
                Text(name, line, text) for line, text in find_script_texts(path.read_text())
            )


def find_python_texts(source: str, errors: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Yield texts of Python code: descriptions, messages of errors, published docstrings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            called = _last_name(node.func)
            arguments = list(node.args) if called in _CALLS | errors else []
            arguments += [one.value for one in node.keywords if one.arg in _KEYWORDS]
            yield from ((one.lineno, text) for one in arguments for text in _strings(one))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            docstring = ast.get_docstring(node)
            if docstring and _is_published(node):
                yield node.lineno, docstring


def find_script_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield string literals of JavaScript that contain several words."""
    for match in _SCRIPT_TEXT.finditer(source):
        text = match[1] or match[2] or ""
        if " " in text.strip():
            yield source.count("\n", 0, match.start()) + 1, text


def _strings(node: ast.expr) -> Iterator[str]:
    """Yield the text of every literal; an expression inside an f-string becomes ``{}``."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(
            str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
        )
    elif isinstance(node, ast.BinOp | ast.IfExp):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                yield from _strings(child)


def _is_published(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Return whether OpenAPI or the command line shows the docstring."""
    if isinstance(node, ast.ClassDef):
        return node.name.endswith(("In", "Out", "Page")) or any(
            _last_name(base) in _MODELS for base in node.bases
        )
    return any(
        isinstance(one, ast.Call) and _last_name(one.func) in _ROUTES for one in node.decorator_list
    )


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _list_error_classes() -> frozenset[str]:
    return frozenset(
        node.name
        for package in ("app", "ml")
        for node in ast.walk(ast.parse((ROOT / package / "errors.py").read_text()))
        if isinstance(node, ast.ClassDef)
    )
