"""The rules of the house that no linter knows: rooms, sizes, names and where SQL may stand."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("app", "experiments", "ml")
MOST_MODULES = 15
OF_ONE_KIND = {"ml/methods", "ml/nn/networks"}
"""Folders that may be larger: one file per method, one file per network."""
ROOTS = {
    "app": {
        *("bench", "cases", "commands", "export", "graphs", "grid", "health", "http", "ingest"),
        *("jobs", "labels", "models", "power", "predict", "replays", "storage", "sweeps", "train"),
        *("web", "worker", "checks"),
        *("cli.py", "errors.py", "logs.py", "main.py", "server.py", "settings.py"),
        "temporary_service.py",
    },
    "ml": {
        *("artifact", "compute", "config", "drop_edge", "explain", "graph", "levy", "methods"),
        *("nn", "training", "trust", "arrays.py", "errors.py", "py.typed"),
    },
}
LONGEST_FILE = 300
LONGEST_FUNCTION = 40
SQL_NAMES = {"select", "insert", "update", "delete", "func", "exists", "text", "and_", "or_"}
SMALL_BY_NATURE = {"__init__.py", "__main__.py", "repository.py"}
SESSION_CALLS = {"execute", "scalars", "scalar", "query", "merge"}


def modules() -> list[Path]:
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def folders_with_modules() -> Iterator[tuple[str, list[Path]]]:
    folders: dict[str, list[Path]] = defaultdict(list)
    for path in modules():
        if path.name != "__init__.py":
            folders[name_of(path.parent)].append(path)
    yield from sorted(folders.items())


def test_no_folder_is_crowded() -> None:
    crowded = {
        folder: len(paths)
        for folder, paths in folders_with_modules()
        if len(paths) > MOST_MODULES and folder not in OF_ONE_KIND
    }
    assert not crowded


@pytest.mark.parametrize("package", ROOTS)
def test_the_root_of_a_package_lists_its_rooms_and_nothing_else(package: str) -> None:
    entries = {path.name for path in (ROOT / package).iterdir()}
    assert entries - {"__init__.py", "__pycache__"} == ROOTS[package]


def test_every_source_folder_has_its_test_folder() -> None:
    missing = [
        folder for folder, _ in folders_with_modules() if not any_test_in(ROOT / "tests" / folder)
    ]
    assert not missing


def any_test_in(folder: Path) -> bool:
    return folder.is_dir() and any(folder.glob("test_*.py"))


def test_no_public_class_name_is_used_twice() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in modules():
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(name_of(path))
    assert not {name: places for name, places in homes.items() if len(places) > 1}


def test_files_and_functions_are_short() -> None:
    long_files = {
        name_of(path): lines
        for path in modules()
        if (lines := len(path.read_text().splitlines())) > LONGEST_FILE
    }
    assert not long_files
    long_functions = {
        f"{name_of(path)}: {node.name}": length
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := length_without_docstring(node)) > LONGEST_FUNCTION
    }
    assert not long_functions


def length_without_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    total = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node) is None:
        return total
    docstring = node.body[0]
    return total - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def is_home_of_sql(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    is_repository = path.stem == "repository" or path.stem.endswith("_repository")
    return is_repository or "repository" in parts or parts[:2] == ("app", "storage")


def sql_in(source: str) -> list[str]:
    """Return the SQL constructs that a module uses."""
    tree = ast.parse(source)
    found = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy")
        for alias in node.names
        if alias.name in SQL_NAMES
    ]
    found += [
        f"session.{node.func.attr}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "session"
        and node.func.attr in SESSION_CALLS
    ]
    return found


def test_sql_is_written_in_repositories_and_storage_only() -> None:
    elsewhere = {
        name_of(path): found
        for path in sorted((ROOT / "app").rglob("*.py"))
        if not is_home_of_sql(path) and (found := sql_in(path.read_text()))
    }
    assert not elsewhere


def test_the_check_for_sql_sees_sql() -> None:
    assert sql_in("from sqlalchemy import select\nsession.scalars(select(1))") == [
        "select",
        "session.scalars",
    ]


def test_no_small_module_serves_a_single_reader() -> None:
    """A new file needs a second reader or a kind of its own."""
    texts = {path: path.read_text() for path in modules()}
    readers: Counter[str] = Counter()
    small = [
        path
        for path, text in texts.items()
        if len(text.splitlines()) < 25
        and path.name not in {"__init__.py", "__main__.py", "repository.py"}
    ]
    for path in small:
        dotted = name_of(path).removesuffix(".py").replace("/", ".")
        package, _, leaf = dotted.rpartition(".")
        for other, text in texts.items():
            imports_it = f"from {dotted} import" in text or f'"{dotted}"' in text
            if other != path and (imports_it or names_module(text, package, leaf)):
                readers[name_of(path)] += 1
    kinds = (
        *("ml/methods/", "ml/nn/networks/", "experiments/tables/", "app/bench/"),
        "app/ingest/formats/",
    )
    lonely = [
        name_of(path)
        for path in small
        if readers[name_of(path)] == 1 and not name_of(path).startswith(kinds)
    ]
    assert not lonely


def names_module(text: str, package: str, leaf: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == package
        and any(alias.name == leaf for alias in node.names)
        for node in ast.walk(ast.parse(text))
    )
