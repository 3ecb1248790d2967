"""Operators ask a table for statistics, never whether it is in memory or in a file."""

import ast
from pathlib import Path

import pytest

import fsops.operators
from fsops import ExampleSet
from fsops.data.streamed import StreamedExampleSet

MODULES = sorted(Path(fsops.operators.__file__).parent.rglob("*.py"))
HIDDEN = ("fsops.data.streamed", "fsops.data.blocks", "fsops.data.passes")
# What only a table in a file has, and what differs between the two.
ONLY_IN_FILES = set(dir(StreamedExampleSet)) - set(dir(ExampleSet))
TELLTALE = {name for name in ONLY_IN_FILES if not name.startswith("_")} | {"values_known"}


def questions(source):
    """Return the places in a module that ask how a table is stored."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.Attribute) and node.attr in TELLTALE:
            yield node.lineno, f".{node.attr}"
            continue
        elif isinstance(node, ast.Compare) and _compares_its_type(node):
            yield node.lineno, "type(...) is ExampleSet"
            continue
        else:
            continue
        for name in names:
            if name.startswith(HIDDEN):
                yield node.lineno, name


def _compares_its_type(node):
    words = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    return {"type", "ExampleSet"} <= words


def test_no_operator_asks_how_a_table_is_stored():
    assert len(MODULES) > 50
    found = {
        f"{path.name}:{line}: {what}"
        for path in MODULES
        for line, what in questions(path.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    [
        "from fsops.data.streamed import StreamedExampleSet",
        "from fsops.data import streamed",
        "import fsops.data.passes",
        "def weigh(examples):\n    return None if examples.is_loaded else 1",
        "if not examples.values_known: pass",
        "for block in examples.row_blocks(): pass",
        "plain = type(examples) is ExampleSet",
    ],
)
def test_such_a_question_is_noticed(source):
    assert list(questions(source))


def test_questions_about_the_data_are_allowed():
    source = "from fsops.data import ExampleSet\nif isinstance(x, ExampleSet): x.moments(ctx=ctx)"
    assert list(questions(source)) == []
