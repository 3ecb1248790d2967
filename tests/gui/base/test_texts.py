"""Every text a person reads passes through ``tr``."""

import ast
import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "gui" / "fsops_gui"
SHOWING = {
    "setText", "setToolTip", "setStatusTip", "setWindowTitle", "setPlaceholderText", "setTitle",
    "setAccessibleName", "setAccessibleDescription", "setSuffix", "setPrefix", "setLabelText",
    "setSpecialValueText", "setInformativeText", "setTabText", "setHeaderLabels", "addMenu",
    "setHorizontalHeaderLabels", "showMessage", "addRow", "addTab", "QLabel", "QPushButton",
    "QCheckBox", "QRadioButton", "QGroupBox", "QToolButton", "QAction", "QMenu", "QDockWidget",
    "QMessageBox", "say",
}  # fmt: skip
"""What shows the texts it is given."""
KEYS = re.compile(r"\((Shift\+|Ctrl\+|Alt\+)*F\d+\)")
"""Names of keys, which are the same in every language."""


def name_of(function):
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def bare_texts(node):
    """Return texts with words in an argument that no ``tr`` is around."""
    if isinstance(node, ast.Call):
        return []  # tr itself, or a function that is looked at on its own
    if isinstance(node, ast.Constant):
        words = isinstance(node.value, str) and any(c.isalpha() for c in node.value)
        return [node.value] if words else []
    if isinstance(node, ast.JoinedStr):
        fixed = "".join(v.value for v in node.values if isinstance(v, ast.Constant))
        fixed = KEYS.sub("", fixed)
        without_tags = fixed.partition("<")[0] + fixed.rpartition(">")[2] if "<" in fixed else fixed
        return [fixed] if any(c.isalpha() for c in without_tags) else []
    if isinstance(node, ast.List | ast.Tuple):
        return [text for item in node.elts for text in bare_texts(item)]
    if isinstance(node, ast.BinOp):
        return [*bare_texts(node.left), *bare_texts(node.right)]
    if isinstance(node, ast.IfExp):
        return [*bare_texts(node.body), *bare_texts(node.orelse)]
    return []


@pytest.mark.parametrize(
    "file", sorted(SOURCE.rglob("*.py")), ids=lambda f: f.relative_to(SOURCE).as_posix()
)
def test_no_visible_text_goes_past_the_translation(file):
    found = [
        f"line {node.lineno}: {text!r}"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and name_of(node.func) in SHOWING
        for argument in node.args
        for text in bare_texts(argument)
    ]
    assert found == []


def test_the_scan_would_find_one():
    call = ast.parse('label.setText("Hello " + name)').body[0].value
    assert bare_texts(call.args[0]) == ["Hello "]
    assert bare_texts(ast.parse('tr("Hello")').body[0].value) == []
    assert bare_texts(ast.parse('f"{zoom:.0%}"').body[0].value) == []
