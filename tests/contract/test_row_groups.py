"""Each operator that draws rows passes the groups of rows on, so that none is separated."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2] / "fsops"
DRAWING = {"bootstrap", "subsample", "holdouts", "partition", "blocks", "leave_one_part_out"}
WITHOUT = {
    "sample_bootstrapping": "draws rows of one table; the others are not used",
    "sample_stratified": "draws rows of one table; the others are not used",
}


def imported(tree):
    """Return the names by which a module calls the functions that draw rows."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "fsops.algorithms.base.resampling":
            names |= {alias.asname or alias.name for alias in node.names if alias.name in DRAWING}
    return names


def is_drawing(call, names):
    called = call.func
    if isinstance(called, ast.Name):
        return called.id in names
    return (
        isinstance(called, ast.Attribute)
        and isinstance(called.value, ast.Name)
        and called.value.id == "resampling"
        and called.attr in DRAWING
    )


def draws(text):
    """Return for each call that draws rows its function, and whether it passes groups."""
    tree = ast.parse(text)
    names = imported(tree)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [
        (function.name, any(keyword.arg == "groups" for keyword in call.keywords))
        for function in functions
        for call in ast.walk(function)
        if isinstance(call, ast.Call) and is_drawing(call, names)
    ]


@pytest.mark.parametrize("package", ["operators", "studies", "sklearn"])
def test_draws_of_rows_take_the_groups_of_rows(package):
    found = [
        (file.relative_to(ROOT).as_posix(), function)
        for file in sorted((ROOT / package).rglob("*.py"))
        for function, grouped in draws(file.read_text(encoding="utf-8"))
        if not grouped and function not in WITHOUT
    ]
    assert found == []


def test_a_draw_without_groups_is_found():
    text = (
        "from fsops.algorithms.base.resampling import partition as parts\n"
        "def one(): return parts(9, 3, rng)\n"
        "def two(): return resampling.bootstrap(9, 3, rng, groups=None)\n"
    )
    assert draws(text) == [("one", False), ("two", True)]
