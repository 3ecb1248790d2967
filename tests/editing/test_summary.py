"""The settings of an operator in a few words."""

from typing import Annotated

from pydantic import Field

from fsops import ExampleSet, Process, operator
from fsops.editing.summary import parameter_summary
from fsops.operators import cross_validation, read_csv, select_top_k, weight_by_sam


def summary(declared, **parameters):
    return parameter_summary(Process().add(declared, **parameters))


def test_what_was_changed_comes_first():
    assert summary(weight_by_sam, permutations=200)[0] == "permutations = 200"
    assert summary(cross_validation) == ("number of folds = 10",)


def test_a_choice_that_decides_about_others_is_shown_with_them():
    assert summary(select_top_k)[:2] == ("top k", "k = 10")
    assert summary(select_top_k, k="25")[0] == "k = 25"


def test_of_a_file_only_its_name_is_shown():
    assert "patients.csv" in summary(read_csv, path="data/of/mine/patients.csv")


@operator(group="Mine")
def thing(
    examples: ExampleSet,
    *,
    quiet: Annotated[bool, Field(description="Say less.")] = False,
    fast: Annotated[bool, Field(description="Be fast.")] = True,
    words: Annotated[str, Field(description="Any text.")] = "",
    nothing: Annotated[int, Field(description="A number.")] = 0,
) -> ExampleSet:
    """Thing"""
    return examples


def test_switches_are_words_and_what_is_off_says_nothing():
    assert summary(thing) == ()
    assert summary(thing, quiet=True, fast=False) == ("quiet", "no fast")


def test_long_texts_are_cut():
    (text,) = summary(thing, words="x" * 200)
    assert len(text) == 28
    assert text.endswith("…")


def test_a_parameter_that_does_not_apply_is_left_out():
    assert "k = 10" not in summary(select_top_k, method="top p%")
