"""A study of a user's table: attributes, methods, and whether the answer holds."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fsops.core import Process
from fsops.core.graph.process import Node, Note
from fsops.core.registry import Registry
from fsops.data import Attribute, ExampleSet, ExampleSetMetaData
from fsops.data.columns import is_missing
from fsops.data.leakage import giveaways
from fsops.errors import enumerate_names
from fsops.studies.design import DesignColumns, fold_settings
from fsops.studies.layout import read_table
from fsops.studies.methods import settings_of, usual_methods
from fsops.studies.own_table import NO_DESIGN, NO_SETTINGS, own_table, remarks

__all__ = ["MY_TABLE", "own_table", "preparation", "study_process"]

CHOSEN = 20
"""How many attributes the list at the end has; of few attributes the better half."""
SIZES = (1, 2, 5, 10, 20, 50)
"""Numbers of attributes that are compared."""
MY_TABLE = "My table"
"""Name of the operator that reads it."""
FEWEST = 3
"""Rows of a class that a study needs at least."""
STEP_X, STEP_Y = 134, 110
LETTER, BESIDE_NAME = 4, 66
"""Width of a letter in the name of an operator, and of all that is beside it."""
ABOUT = (
    "Result 1 is the answer: whether anything is beyond chance, measured by permuted labels, and "
    "how well new rows are predicted. Result 2 compares selections on the same splits: how well a "
    "learner does with the best 1, 2, 5, 10, … attributes of each, how stable the choice is, and "
    "how long it takes. Result 3 is a list of attributes: the fraction of 50 resamples of the rows "
    "in which each was among the best; where fractions are equal, rank gives the order. Result 4 "
    "describes these attributes: direction, effect size with interval, adjusted p-value, rank, and "
    "which of them carry the same information. "
    "The lowest error on a curve is optimistic; the answer has the honest one."
)


def study_process(
    name: str,
    table: Path,
    label: str | None,
    registry: Registry,
    folder: Path | None = None,
    *,
    design: DesignColumns = NO_DESIGN,
    settings: Mapping[str, Any] = NO_SETTINGS,
    methods: Sequence[str] = (),
) -> Process:
    """Return a process that compares selections, measures chance and lists stable attributes.

    ``folder`` is where the process will be: the table is named as seen from there. ``methods`` are
    the keys of the selections to compare; see `fsops.studies.methods`.
    """
    reader, known, reasons = own_table(table, label, registry, design, settings)
    operator, parameters = reader
    target = _target(known)
    process = Process(name)
    near = {k: _near(v, folder) if v == str(table) else v for k, v in parameters.items()}
    data = process.add(operator, name=MY_TABLE, **near)
    table_itself = read_table(reader)
    data.note = Note(
        f"{remarks(reader, known, reasons, table_itself)} {_warning(table_itself)}".rstrip()
    )
    chain = [data]
    if is_missing(table_itself.column(target.name)).any():
        filtered = {"condition_class": "no_missing_labels"}
        chain.append(process.add(registry["filter_examples"], data, **filtered))
        chain[-1].note = Note("Leaves out rows with an unknown label.")
    for key, remark in preparation(known):
        chain.append(process.add(registry[key], chain[-1]))
        chain[-1].note = Note(remark) if remark else None
    complete = chain[-1]
    classes = len(target.categories)
    width = len(known.schema.regular) if known.schema is not None else max(SIZES)
    methods = methods or usual_methods(classes)
    judged = _comparison(process, complete, registry, methods, classes=classes, width=width)
    judged.parameters.update(fold_settings(table_itself))
    listed = min(CHOSEN, (width + 1) // 2)
    steady = process.add(
        registry["ensemble_feature_selection"],
        complete,
        iterations=50,
        combination="frequency",
        list_length=listed,
        keep_best=listed,
    )
    filter_key = "weight_by_f_test" if classes else "weight_by_correlation"
    inner = steady.inner()
    inner.result(inner.add(registry[filter_key], inner.source("examples")), "weights")
    answer = process.add(registry["measure_chance"], complete, judged["curves"], chain[0])
    answer.parameters["list_length"] = listed
    process.result(answer["answer"])
    process.result(answer["curves"])
    process.result(steady["weights"])
    details = process.add(registry["describe_attributes"], complete, steady["weights"])
    process.result(details["descriptions"])
    process.description = Note(ABOUT)
    _place([*([node] for node in chain), [judged, steady], [answer, details]])
    return process


def _place(columns: Sequence[Sequence[Node]]) -> None:
    """Put operators in columns that are wide enough for their names."""
    x = 45
    for nodes in columns:
        for row, node in enumerate(nodes):
            node.position = {"x": x, "y": 85 + STEP_Y * row}
        x += max(STEP_X, *(BESIDE_NAME + LETTER * len(node.name) for node in nodes))


def _comparison(
    process: Process,
    data: Node,
    registry: Registry,
    methods: Sequence[str],
    *,
    classes: int,
    width: int,
) -> Node:
    """Add the comparison of selections with a learner that suits the label."""
    learner = "naive_bayes" if classes else "ridge_regression"
    sizes = [size for size in SIZES if size < width] or [width]
    node = process.add(registry["compare_feature_selections"], data, sizes=list(map(str, sizes)))
    learning = node.inner("learning")
    learning.result(learning.add(registry[learner], learning.source()), "model")
    for number, key in enumerate(methods):
        inner = node.subprocesses[1] if number == 0 else node.add_inner()
        settings = settings_of(key, sizes)
        inner.result(inner.add(registry[key], inner.source(), **settings)["weights"], "weights")
    return node


def preparation(known: ExampleSetMetaData) -> list[tuple[str, str]]:
    """Return the keys of the operators that most selections need before them, with a remark."""
    steps = []
    if known.missing:
        remark = "Uses all rows, including the test rows; this has little influence."
        steps.append(("replace_missing_values", remark))
    if known.schema is not None and len(known.schema.regular_nominal):
        steps.append(("nominal_to_numerical", ""))
    return steps


def _warning(table: ExampleSet) -> str:
    """Return which attributes may be the label in other words, as a sentence; nothing if none."""
    return " ".join([*_giveaway_warning(table), *_class_warning(table)])


def _giveaway_warning(table: ExampleSet) -> list[str]:
    found = giveaways(table)
    if not found:
        return []
    one = len(found) == 1
    verb, them = ("gives", "it") if one else ("give, each alone,", "them")
    options = " ".join(f"--skip {shlex.quote(name)}" for name in found[:3])
    made = "it was made from the label, or is" if one else "they were made from the label, or are"
    return [
        f"Careful: {enumerate_names(found)} {verb} the class of every row. Leave {them} out "
        f"({options}) if {made} known only with it."
    ]


def _class_warning(table: ExampleSet) -> list[str]:
    """Return which classes have too few rows for one in training and one in test sets."""
    label = table.schema.label
    if label is None or not label.value_type.is_nominal:
        return []
    codes = table.column(label.name)
    counts = [int((codes == code).sum()) for code in range(len(label.categories))]
    rare = [n for n, count in zip(label.categories, counts, strict=True) if count < FEWEST]
    if not rare:
        return []
    noun, verb, them = ("class", "has", "its") if len(rare) == 1 else ("classes", "have", "their")
    return [
        f"Careful: the {noun} {enumerate_names(rare)} {verb} fewer than {FEWEST} rows, too few to "
        f"learn and to test. Leave {them} rows out of the file, or join classes."
    ]


def _target(known: ExampleSetMetaData) -> Attribute:
    label = known.schema.label if known.schema is not None else None
    assert label is not None  # or there would have been an error
    return label


def _near(path: str, folder: Path | None) -> str:
    """Return a path as seen from a folder, so that both can be passed on together.

    Where they have nothing in common but the root or the drive, the whole path is returned.
    """
    whole = Path(os.path.abspath(path))
    if folder is None:
        return str(whole)
    start = Path(os.path.abspath(folder))
    if whole.anchor != start.anchor or whole.parts[1:2] != start.parts[1:2]:
        return str(whole)
    return Path(os.path.relpath(whole, start)).as_posix()
