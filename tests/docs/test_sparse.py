"""docs/sparse.md: its code runs, and the operators of its list accept sparse tables."""

import re
from pathlib import Path

from fsops.plugins import plugins

PAGE = Path(__file__).resolve().parents[2] / "docs" / "sparse.md"


def test_the_code_runs():
    code = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    exec(compile(code[1], "docs/sparse.md", "exec"), {})  # noqa: S102 - it is our own text


def test_the_operators_of_the_list_accept_sparse_tables():
    sparse = {
        spec.title
        for spec in plugins().registry
        if any(accepts.sparse for accepts in spec.accepts.values())
    }
    lines = re.findall(r"^\| [A-Z][^|]+ \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    listed = {title for line in lines for title in line.split(", ")}
    assert len(listed) > 50
    assert listed <= sparse
