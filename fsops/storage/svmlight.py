"""Files of SVMlight and LIBSVM: a label and pairs ``index:value`` in each line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from fsops.data import ExampleSet
from fsops.data.model import require_finite
from fsops.errors import DataError, in_rows
from fsops.storage.files import replacing
from fsops.storage.sparse_table import MOST_ATTRIBUTES, check_shape, label_attribute
from fsops.storage.text_files import existing_file

LABEL = "class"
"""Name of the label, which the files do not have."""
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?(nan|inf)", re.IGNORECASE)


def read_svmlight_table(
    file: str, *, first_index: str, label_type: str, attributes: int | None
) -> ExampleSet:
    """Return the table in a file; indices may start at 0 or at 1."""
    from sklearn.datasets import load_svmlight_file

    path = existing_file(Path(file))
    zero_based = {"0": True, "1": False}.get(first_index, "auto")
    try:
        matrix, labels = load_svmlight_file(str(path), zero_based=zero_based)
    except (ValueError, OverflowError) as error:
        _refuse(path, first_index, str(error))
    found = matrix.shape[1]
    if attributes is not None and found > attributes:
        raise DataError(
            f'"{path.name}" has an attribute number {found:,}, but number_of_attributes is '
            f"{attributes:,}.",
            hint=f"Set number_of_attributes to {found:,} or more.",
        )
    width = attributes or found
    check_shape(path, matrix.shape[0], width)
    if width > found:
        matrix.resize(matrix.shape[0], width)
    examples = ExampleSet.from_sparse(matrix)
    return examples.with_columns([label_attribute(labels, LABEL, label_type)])


def _refuse(path: Path, first_index: str, reason: str) -> NoReturn:
    """Say which line cannot be read, and why."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, start=1):
            fault = _fault(line.partition("#")[0].split(), 1 if first_index == "1" else 0)
            if fault:
                raise DataError(
                    f'Line {number} of "{path.name}": {fault}.',
                    hint="A line is a label and pairs index:value with rising indices: 1 3:0.5 8:2",
                )
    raise DataError(f'"{path.name}" cannot be read as an SVMlight file: {reason}')


def _fault(words: list[str], least: int) -> str:
    """Return the error in the words of a line; empty if there is none."""
    if words and not NUMBER.fullmatch(words[0]):
        return f'the label "{words[0][:40]}" is not a number'
    last = least - 1
    for word in words[1:]:
        index, _, value = word.partition(":")
        if index == "qid":
            continue
        fault = _pair_fault(word, index, value)
        if not fault and int(index) < least:
            fault = f"the index {index} is below {least}"
        if not fault and int(index) <= last:
            fault = f"the index {index} follows {last}, but indices must rise"
        if fault:
            return fault
        last = int(index)
    return ""


def _pair_fault(word: str, index: str, value: str) -> str:
    if ":" not in word or not re.fullmatch(r"[-+]?\d{1,18}", index):
        return f'"{word[:40]}" is not a pair index:value'
    if not NUMBER.fullmatch(value):
        return f'the value "{value[:40]}" is not a number'
    beyond = int(index) > MOST_ATTRIBUTES
    return f"the index {index} is beyond {MOST_ATTRIBUTES:,}" if beyond else ""


def write_svmlight_table(examples: ExampleSet, file: str, first_index: int) -> None:
    """Write the numerical attributes and the label; classes are numbered, two of them -1 and 1."""
    from scipy.sparse import csr_array
    from sklearn.datasets import dump_svmlight_file

    require_finite(examples)
    if not len(examples.schema.regular_numerical) or not len(examples):
        raise DataError(
            "An SVMlight file needs numerical attributes and rows; this table has none."
        )
    labels = _labels(examples)  # before a file is opened
    with replacing(Path(file)) as stream:
        dump_svmlight_file(
            csr_array(examples.matrix()), labels, stream, zero_based=first_index == 0
        )


def _labels(examples: ExampleSet) -> Any:
    label = examples.schema.label
    if label is None:
        return np.zeros(len(examples))
    if not label.value_type.is_nominal:
        values = examples.label_values()
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            raise DataError(
                f'The label "{label.name}" is not a finite number {in_rows(wrong.tolist())}: an '
                "SVMlight file cannot have it.",
                hint="Correct these labels, or leave these rows out (Filter Examples).",
            )
        return values
    codes, classes = examples.class_codes()
    try:
        numbers = np.array([float(name) for name in classes])
    except ValueError:
        numbers = np.array([np.nan])
    if not np.isfinite(numbers).all():  # a class may be called "inf", too
        numbers = np.array([-1.0, 1.0]) if len(classes) == 2 else np.arange(1.0, len(classes) + 1)
    return numbers[codes]
