"""A study of somebody's own table: which attributes, which method, and will the answer hold."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

from fsops.core import Context, Process
from fsops.core.process import Node, Note
from fsops.core.registry import Registry
from fsops.data import Attribute, ExampleSetMetaData, metadata_of
from fsops.errors import OperatorWarning, UsageError, did_you_mean, enumerate_names
from fsops.storage.readers import Reader, inspect, reader_of, readers, with_label

CHOSEN = 20
"""How many attributes the list at the end has."""
SIZES = (1, 2, 5, 10, 20, 50)
"""Numbers of attributes that are compared."""
OWN_NAME = 0.9
"""Of an id more than this share of the rows has a value of its own."""
MY_TABLE = "My table"
"""Name of the operator that reads it."""
STEP_X, STEP_Y = 134, 110
ABOUT = (
    "Result 1 compares selections on the same splits: how well a learner does with the best 1, 2, "
    "5, 10, … attributes of each, how steady the choice is, and how long it takes. Result 2 is a "
    "list of attributes: the share of 50 resamples of the rows in which each was among the best. "
    "The smallest error on a curve is too good to be true: see the help of Compare Feature "
    "Selections."
)


def study_process(
    name: str, table: Path, label: str | None, registry: Registry, folder: Path | None = None
) -> Process:
    """Return a process that compares selections on a table and lists the steadiest attributes.

    ``folder`` is where the process will be: a table below it is named as seen from there.
    """
    reader, known = own_table(table, label, registry)
    operator, parameters = reader
    target = _target(known)
    process = Process(name)
    near = {k: _near(v, folder) if v == str(table) else v for k, v in parameters.items()}
    data = process.add(operator, name=MY_TABLE, **near)
    chain = [data]
    for key, remark in preparation(known):
        chain.append(process.add(registry[key], chain[-1]))
        chain[-1].note = Note(remark) if remark else None
    complete = chain[-1]
    nominal = target.value_type.is_nominal
    width = len(known.schema.regular) if known.schema is not None else max(SIZES)
    judged = _comparison(process, complete, registry, nominal=nominal, width=width)
    steady = process.add(
        registry["ensemble_feature_selection"],
        complete,
        iterations=50,
        combination="frequency",
        list_length=min(CHOSEN, width),
        keep_best=min(CHOSEN, width),
    )
    filter_key = "weight_by_f_test" if nominal else "weight_by_correlation"
    inner = steady.inner()
    inner.result(inner.add(registry[filter_key], inner.source("examples")), "weights")
    process.result(judged["curves"])
    process.result(steady["weights"])
    process.description = Note(ABOUT)
    for column, nodes in enumerate([*([node] for node in chain), [judged, steady]]):
        for row, node in enumerate(nodes):
            node.position = {"x": 45 + STEP_X * column, "y": 85 + STEP_Y * row}
    return process


def _comparison(
    process: Process, data: Node, registry: Registry, *, nominal: bool, width: int
) -> Node:
    """Add the comparison of three selections with a learner that suits the label."""
    learner = "naive_bayes" if nominal else "ridge_regression"
    filters = ("weight_by_f_test", "weight_by_relief") if nominal else ("weight_by_correlation",)
    sizes = [size for size in SIZES if size < width] or [width]
    node = process.add(registry["compare_feature_selections"], data, sizes=list(map(str, sizes)))
    learning = node.inner("learning")
    learning.result(learning.add(registry[learner], learning.source()), "model")
    for number, key in enumerate((*filters, "select_by_mrmr_cfs")):
        inner = node.subprocesses[1] if number == 0 else node.add_inner()
        settings: dict[str, Any] = {}
        if key == "select_by_mrmr_cfs":
            settings = {"k": sizes[-1], "output": "ranking"}
        inner.result(inner.add(registry[key], inner.source(), **settings)["weights"], "weights")
    return node


def own_table(
    table: Path, label: str | None, registry: Registry
) -> tuple[Reader, ExampleSetMetaData]:
    """Return the operator that reads a table, set as the table needs it, and what is known of it.

    Without a label the name of a column must tell it. Few numbers become classes, a column of names
    the id.
    """
    found = reader_of(table, registry)
    if found is None:
        suffixes = enumerate_names(sorted(readers(registry)), 20)
        raise UsageError(f'Nothing reads "{table}".', hint=f"It may end in {suffixes}.")
    if not table.is_file():
        raise UsageError(f'"{table}" is not there.', hint="Check its path.")
    known = _looked_at(found)
    if known is None or known.schema is None:
        raise UsageError(f'"{table}" holds no table.', hint="Give a table: CSV, Excel, Parquet.")
    if label is None:
        reader = with_label(found, known)
    elif label in known.schema:
        operator, parameters = found
        reader = operator, {**parameters, "label": label}
    else:
        columns = known.schema.names
        hint = did_you_mean(label, columns) or f"There are {enumerate_names(columns)}."
        raise UsageError(f'"{table}" has no column "{label}".', hint=hint)
    return _without_names(*_with_classes(reader, _looked_at(reader) or known, table))


def _looked_at(reader: Reader) -> ExampleSetMetaData | None:
    """Return what is known of a table; one too large to be described in passing is read."""
    known = inspect(reader)
    if known is None or known.schema is not None:
        return known
    operator, parameters = reader
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperatorWarning)  # the run will tell them
        results = operator.run({}, parameters, Context())
    told = metadata_of(next(iter(results.values())))
    return told if isinstance(told, ExampleSetMetaData) else None


def preparation(known: ExampleSetMetaData) -> list[tuple[str, str]]:
    """Return the keys of the operators that most selections need before them, with a remark."""
    steps = []
    if known.missing:
        remark = "Uses all rows, also those to be tested; that matters little."
        steps.append(("replace_missing_values", remark))
    if known.schema is not None and len(known.schema.regular_nominal):
        steps.append(("nominal_to_numerical", ""))
    return steps


def _with_classes(
    reader: Reader, known: ExampleSetMetaData, table: Path
) -> tuple[Reader, ExampleSetMetaData]:
    """Read a label of few numbers, such as 0 and 1, as classes."""
    label = known.schema.label if known.schema is not None else None
    if label is None:
        names = known.schema.names if known.schema is not None else ()
        raise UsageError(
            f'It is not said which column of "{table}" is to be predicted.',
            hint=f"Give it with --label; there are {enumerate_names(names)}.",
        )
    if not known.label_numbers:
        return reader, known
    kind = "binominal" if len(known.label_numbers) == 2 else "polynominal"
    operator, parameters = reader
    reader = operator, {**parameters, "types": {label.name: kind}}
    return reader, _looked_at(reader) or known


def _without_names(reader: Reader, known: ExampleSetMetaData) -> tuple[Reader, ExampleSetMetaData]:
    """Take a column of which nearly every row has a value of its own as the id; leave out dates."""
    operator, parameters = reader
    schema, rows = known.schema, known.rows or 0
    if schema is None or "skip" not in {parameter.name for parameter in operator.parameters}:
        return reader, known
    nominal = map(schema.attribute, schema.names_at(schema.regular_nominal))
    names = [each.name for each in nominal if len(each.categories) > OWN_NAME * rows]
    others = list(schema.names_at(schema.regular_other))
    chosen: dict[str, Any] = {"id": names[0]} if names else {}
    if names[1:] or others:
        chosen["skip"] = [*names[1:], *others]
    if not chosen:
        return reader, known
    reader = operator, {**parameters, **chosen}
    return reader, _looked_at(reader) or known


def _target(known: ExampleSetMetaData) -> Attribute:
    label = known.schema.label if known.schema is not None else None
    assert label is not None  # or there would have been an error
    return label


def _near(path: str, folder: Path | None) -> str:
    """Return a path as seen from a folder, if it is below it."""
    whole = Path(os.path.abspath(path))
    if folder is None:
        return str(whole)
    below = Path(os.path.abspath(folder))
    return str(whole.relative_to(below)) if whole.is_relative_to(below) else str(whole)
