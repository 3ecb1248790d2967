"""Calls that can run code from data are only where they must be (catalog: H1)."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [*(ROOT / "fsops").rglob("*.py"), *(ROOT / "gui").rglob("*.py")]

# Why each file may: it unpickles what this program or its own workers have pickled before. The kit
# for authors changes the global random numbers to see whether an operator depends on them.
ALLOWED = {
    ("fsops/testing/rules/behaviour.py", "global random numbers"),
    ("fsops/testing/stand_ins.py", "global random numbers"),
    ("fsops/engine/packing.py", "pickle"),
    ("fsops/testing/rules/behaviour.py", "pickle"),
}
UNPICKLING = {"load", "loads", "Unpickler"}
GLOBAL_RANDOM = {"seed", "rand", "randn", "random", "choice", "shuffle", "permutation", "normal"}


def dotted(node):
    """Return a name with its dots, such as ``np.random.seed``; empty for other expressions."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def is_on(keyword):
    return not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)


def unsafe(tree):
    """Return the kinds of unsafe code in a module, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and node.type is None:
            yield "bare except", node.lineno
        if isinstance(node, ast.keyword) and node.arg in ("shell", "allow_pickle") and is_on(node):
            yield node.arg, node.value.lineno
        if not isinstance(node, ast.Call | ast.ClassDef):
            continue
        names = [dotted(node.func)] if isinstance(node, ast.Call) else map(dotted, node.bases)
        for name in names:
            module, _, function = name.rpartition(".")
            if name in ("eval", "exec", "compile", "__import__"):
                yield name, node.lineno
            if function in UNPICKLING and module in ("pickle", "cloudpickle", "joblib", "dill"):
                yield "pickle", node.lineno
            if name in ("yaml.load", "os.system", "os.popen"):
                yield name, node.lineno
            if module in ("np.random", "numpy.random") and function in GLOBAL_RANDOM:
                yield "global random numbers", node.lineno


def test_unsafe_calls_are_only_where_they_are_allowed():
    found = {}
    for file in SOURCES:
        name = str(file.relative_to(ROOT))
        for kind, line in unsafe(ast.parse(file.read_text(encoding="utf-8"))):
            found.setdefault((name, kind), []).append(line)
    assert len(SOURCES) > 500
    assert {place: lines for place, lines in found.items() if place not in ALLOWED} == {}
    assert found.keys() >= ALLOWED  # the list has nothing that is gone


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("eval(text)", "eval"),
        ("pickle.loads(data)", "pickle"),
        ("joblib.load(file)", "pickle"),
        ("class U(pickle.Unpickler): pass", "pickle"),
        ("np.load(file, allow_pickle=True)", "allow_pickle"),
        ("run(text, shell=True)", "shell"),
        ("np.random.seed(1)", "global random numbers"),
        ("try: pass\nexcept: pass", "bare except"),
    ],
)
def test_the_search_finds_them(code, kind):
    assert [found for found, _ in unsafe(ast.parse(code))] == [kind]
