"""Headings of details: each name has one, in plain words, and an operator that uses it."""

import re
from pathlib import Path

import pytest

import fsops
from fsops.data import AttributeWeights, Collection
from fsops.data.detail_headings import HEADINGS, detail_heading
from fsops.testing.trial import check_headings

SOURCES = [
    path.read_text(encoding="utf-8")
    for path in Path(fsops.__file__).parent.rglob("*.py")
    if path.name != "detail_headings.py"
]


@pytest.mark.parametrize("name", HEADINGS)
def test_a_heading_is_plain_and_has_an_explanation(name):
    heading, about = HEADINGS[name]
    assert "_" not in heading + about
    assert re.fullmatch(r"[a-zA-Z0-9(].*\.", about)


def test_headings_differ_from_each_other_and_from_the_columns_beside_them():
    taken = [heading for heading, _ in HEADINGS.values()] + ["attribute", "weight", "place"]
    assert len(set(taken)) == len(taken)


@pytest.mark.parametrize("name", HEADINGS)
def test_a_name_of_the_vocabulary_is_used(name):
    assert any(f'"{name}"' in source for source in SOURCES)


def test_details_of_plugins_and_classes_have_headings_too():
    assert detail_heading("my_own_score") == ("my own score", "")
    assert detail_heading("weight of not_ill") == (
        "weight of not_ill", "Weight for not_ill against all other classes.",
    )  # fmt: skip


def test_a_detail_without_a_heading_breaks_the_contract():
    weights = AttributeWeights(["a"], [1.0], details={"p_value": [0.1], "strange_value": [2.0]})
    with pytest.raises(AssertionError, match=r"k=1: no heading .* for strange_value$"):
        check_headings({"weights": [Collection([weights])]}, "k=1")
