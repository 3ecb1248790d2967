"""A short program that calls an operator, the text it prints, and a figure of its result.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fsops.operators
from fsops.core import Operator, Port
from fsops.data import ExampleSet, FlowObject, Model
from fsops.errors import FsopsError
from fsops.plots import FigureMaker, figure_bytes, figures_for
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


@dataclass(frozen=True)
class Finished:
    """A program that has run."""

    printed: str
    values: tuple[Any, ...]
    """The values that it printed, and then its other results."""
    table: ExampleSet | None
    """Its variable `table`, if it has one."""

    def figure(self) -> tuple[str, bytes] | None:
        """Return the title and the SVG of the first figure that suits a result."""
        for value in _parts(self.values):
            if isinstance(value, Model) and self.table is not None:
                value = _predictions(value, self.table)  # noqa: PLW2901
            for maker in figures_for(value)[:1]:
                return _title(maker), figure_bytes(maker, value)
        return None


def _parts(values: Any) -> Iterator[Any]:
    """Return the results in a tuple or list of results, one after the other."""
    for value in values:
        if isinstance(value, tuple | list) and not isinstance(value, FlowObject):
            yield from _parts(value)
        else:
            yield value


def _predictions(model: Model, table: ExampleSet) -> Any:
    """Return the table with the predictions of a model, or the model if it cannot predict."""
    with warnings.catch_warnings(action="ignore"), contextlib.suppress(FsopsError, ValueError):
        return fsops.operators.apply_model(model, table)
    return model


def _title(maker: FigureMaker) -> str:
    predicted = maker.name in ("confusion", "roc")
    return f"{maker.title} ({'predictions for the training rows' if predicted else 'the result'})"


def python_example(program: str, finished: Finished) -> Iterator[str]:
    """Return a program and the text it prints, as Markdown."""
    yield f"```python\n{program}\n```\n"
    if finished.printed:
        yield f"It prints\n\n```text\n{finished.printed}\n```\n"


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


def run_program(program: str) -> Finished:
    """Run a program in a separate folder, because it may write files."""
    printed, values = io.StringIO(), []

    def record(*shown: Any) -> None:
        values.extend(shown)
        print(*shown)  # noqa: T201

    names: dict[str, Any] = {"__name__": "__main__", "print": record}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(action="ignore"),
    ):
        exec(compile(program, "example", "exec"), names)  # noqa: S102
    lines = printed.getvalue().rstrip().splitlines()
    text = "\n".join(lines if len(lines) <= MOST_LINES else [*lines[:MOST_LINES], "…"])
    table = names.pop("table", None)
    others = [value for value in names.values() if isinstance(value, FlowObject)]
    return Finished(text, (*values, *others), table if isinstance(table, ExampleSet) else None)
