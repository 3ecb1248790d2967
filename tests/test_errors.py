"""Errors that say where, what, and what to do."""

import pytest
from hypothesis import given, settings, strategies as st

from fsops import errors
from fsops.errors import (
    DataError,
    FsopsError,
    ProcessFileError,
    closest,
    did_you_mean,
    enumerate_names,
    in_rows,
)

CLASSES = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, FsopsError)
]


def test_an_error_says_where_what_and_what_to_do():
    error = DataError("The data has no label.", hint="Give one.", path=["Validation", "SAM"])
    assert str(error) == "Validation › SAM: The data has no label. Give one."
    assert (error.message, error.hint, error.path) == (
        "The data has no label.",
        "Give one.",
        ("Validation", "SAM"),
    )


def test_an_error_without_a_place_or_hint_is_its_message():
    assert str(DataError("Too few rows.")) == "Too few rows."


def test_the_innermost_place_is_kept():
    error = DataError("Wrong.")
    assert error.at(["Outer", "Inner"]) is error
    error.at(["Outer"])
    assert str(error) == "Outer › Inner: Wrong."


def test_an_error_in_a_file_has_its_line():
    error = ProcessFileError("The tag is not closed.", line=3, column=7, hint="Close it.")
    assert str(error) == "line 3, column 7: The tag is not closed. Close it."
    assert (error.line, error.column) == (3, 7)
    assert str(ProcessFileError("Empty.")) == "Empty."


@pytest.mark.parametrize("kind", CLASSES)
def test_every_error_is_documented_and_has_an_exit_code(kind):
    assert kind.__doc__
    assert kind.exit_code in (1, 2, 124, 130)


def test_a_close_word_is_suggested_whatever_its_case():
    known = ["Height", "width", "depth"]
    assert closest("heigth", known) == ["Height"]
    assert did_you_mean("WIDHT", known) == 'Did you mean "width"?'
    assert did_you_mean("xyzzy", known) == ""
    assert did_you_mean("a", []) == ""


def test_several_close_words_are_offered_the_closest_first():
    assert did_you_mean("att12", ["att1", "att123", "other"]) == (
        'Did you mean "att123" or "att1"?'
    )


@given(st.lists(st.text(max_size=5), max_size=12), st.integers(1, 6))
@settings(deadline=None, max_examples=50)
def test_long_lists_are_cut_and_counted(names, limit):
    shown = enumerate_names(names, limit)
    assert shown.startswith(", ".join(f'"{name}"' for name in names[:limit]))
    rest = len(names) - limit
    assert shown.endswith(f" and {rest} more") if rest > 0 else "more" not in shown[-5:]


def test_a_list_of_names_reads_as_a_sentence():
    assert enumerate_names(list("abcdefg")) == '"a", "b", "c", "d", "e" and 2 more'
    assert enumerate_names(["a"]) == '"a"'


def test_rows_are_counted_and_the_first_one_named():
    assert in_rows([1]) == "in row 2"
    assert in_rows([4, 7, 9]) == "in 3 rows, first in row 5"
