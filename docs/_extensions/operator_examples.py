"""Short programs that call an operator, for those that no ready process uses.

A program is a file in `docs/operator_examples/`, named by the operator's key. Without one it is
made from the declaration. Every program is run when the pages are built.
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

import fsops.operators
from fsops.core import Operator, Port
from fsops.data import Model
from fsops.testing.cases import subject_of

FOLDER = Path(__file__).resolve().parents[1] / "operator_examples"
MOST_LINES = 16

TABLES = {"binominal": "breast cancer", "numerical": "diabetes"}
"""A ready table by the kind of its label; `USUAL` has a label with three classes."""
USUAL, NOMINAL = "iris", "golf"
INPUTS = {
    "AttributeWeights": "weight_by_f_test(table)",
    "Model": "naive_bayes(table)",
    "PerformanceVector": "performance(apply_model(naive_bayes(table), table))",
    "Collection": "collect([table, table])",
    "Averageable": "[weight_by_f_test(table), weight_by_relieff(table)]",
    "FlowObject": "table",
}
"""How to make an input of each type."""
INNER = {
    "Model": "naive_bayes",
    "AttributeWeights": "weight_by_f_test",
    "PerformanceVector": "performance_cfs",
    "Averageable": "weight_by_f_test",
    "FlowObject": "weight_by_f_test",
}
"""A function for an inner process, by the type that it delivers."""
TESTING = "lambda model, rows: performance(apply_model(model, rows))"
"""A function for an inner process that gets a model."""


def python_example(spec: Operator) -> Iterator[str]:
    """Return a program that calls an operator, and what it prints, as Markdown."""
    program = program_of(spec)
    yield f"```python\n{program}\n```\n"
    printed = output_of(program)
    if printed:
        yield f"It prints\n\n```text\n{printed}\n```\n"


def program_of(spec: Operator) -> str:
    """Return a program that calls an operator."""
    file = FOLDER / f"{spec.key}.py"
    if file.exists():
        return file.read_text(encoding="utf-8").strip()
    call = f"{spec.key}({', '.join(_arguments(spec))})"
    lines = [f'table = retrieve(repository_entry="{_table_for(spec)}")'] if spec.inputs else []
    lines.append(f"print({call})")
    used = sorted(set(re.findall(r"\w+", "\n".join(lines))) & set(dir(fsops.operators)))
    return "\n".join([f"from fsops.operators import {', '.join(used)}", "", *lines])


def _table_for(spec: Operator) -> str:
    kind = subject_of(spec).kind
    if spec.subprocesses:
        return USUAL  # with four attributes, a search is fast
    return NOMINAL if kind.attributes == "nominal" else TABLES.get(kind.label or "", USUAL)


def _arguments(spec: Operator) -> Iterator[str]:
    for port in [port for port in spec.inputs if not port.optional] or spec.inputs[:1]:
        yield _input(port)
    for sub in spec.subprocesses:
        tests = any(issubclass(port.type, Model) for port in sub.sources)
        yield f"{sub.name}={TESTING if tests else INNER[sub.sinks[0].type.__name__]}"


def _input(port: Port) -> str:
    value = INPUTS.get(port.type.__name__, "table")
    return f"[{value}]" if port.many and not value.startswith("[") else value


def output_of(program: str) -> str:
    """Return the output of a program; it runs in a separate folder, because it may write files."""
    printed = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(action="ignore"),
    ):
        exec(compile(program, "example", "exec"), {"__name__": "__main__"})  # noqa: S102
    lines = printed.getvalue().rstrip().splitlines()
    return "\n".join(lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "…"])
