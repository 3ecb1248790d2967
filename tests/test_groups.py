"""The group of an operator is its place in the palette, in lists and in help, and nothing else."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
ALLOWED = {
    "fsops/cli/commands/operators.py",  # the list of operators
    "fsops/cli/output/operator_page.py",  # the page of an operator
    "fsops/editing/suggestions.py",  # the order of the list of replacements
    "fsops/core/registry.py",  # the order of the list, and search by words
    "gui/fsops_gui/canvas/quick_add.py",  # the palette at the mouse
    "gui/fsops_gui/commands/catalogue.py",  # the command palette
    "gui/fsops_gui/panels/help.py",
    "gui/fsops_gui/panels/palette.py",
}


def reads_of_group(source: str) -> Iterator[int]:
    """Return the lines that read an attribute ``group``; calls, as of regular expressions, not."""
    tree = ast.parse(source)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and node.attr == "group"
            and id(node) not in called
            or isinstance(node, ast.Call)
            and _gets_group(node)
        ):
            yield node.lineno


def _gets_group(call: ast.Call) -> bool:
    by_name = isinstance(call.func, ast.Name) and call.func.id in ("getattr", "attrgetter")
    texts = [a.value for a in call.args if isinstance(a, ast.Constant)]
    return by_name and "group" in texts


def test_only_palette_lists_and_help_read_the_group():
    files = [*(ROOT / "fsops").rglob("*.py"), *(ROOT / "gui" / "fsops_gui").rglob("*.py")]
    assert len(files) > 400
    found = {
        file.relative_to(ROOT).as_posix(): [*reads_of_group(file.read_text(encoding="utf-8"))]
        for file in files
    }
    reading = {name for name, lines in found.items() if lines}
    hint = "The role carries the meaning: use spec.role."
    assert reading - ALLOWED == set(), hint
    assert ALLOWED - reading == set(), "These no longer read the group: take them off the list."


def test_a_reading_of_the_group_is_found_and_a_regular_expression_is_not_one():
    assert [*reads_of_group('if spec.group.startswith("Weighting"): pass')] == [1]
    assert [*reads_of_group('getattr(spec, "group")')] == [1]
    assert [*reads_of_group('text = re.match("a", "a").group(0)')] == []
