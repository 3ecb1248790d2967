"""The tables for tests are what their names say."""

import itertools

import numpy as np
import pytest

from fsops.data import ExampleSet, ValueType
from fsops.testing import (
    ODD_NAMES,
    degenerate_tables,
    make_examples,
    odd_weights,
    with_odd_names,
    with_prediction,
)
from fsops.testing.data import degenerate_names

LABELS = ["binominal", "polynominal", "numerical", None]
KINDS = list(itertools.product(LABELS, ["any", "numerical", "nominal"]))


def test_size_and_types():
    table = make_examples(7, 3, 2, label="polynominal")
    assert table.names == ("num1", "num2", "num3", "nom1", "nom2", "label")
    assert table.numeric().shape == (7, 3)
    assert table.nominal().shape == (7, 2)
    assert len(table.classes) == 3


@pytest.mark.parametrize("label", LABELS)
def test_label(label):
    found = make_examples(label=label).schema.label
    wanted = {"numerical": ValueType.REAL, None: None}.get(label, label)
    assert (None if found is None else found.value_type) == wanted


def test_same_seed_same_values():
    assert make_examples(seed=3).equals(make_examples(seed=3))
    assert not make_examples(seed=3).equals(make_examples(seed=4))


def test_first_attributes_tell_about_the_label():
    table = make_examples(400, 3, 1)
    yes = table.binary_label() == 1
    difference = table.numeric()[yes].mean(axis=0) - table.numeric()[~yes].mean(axis=0)
    assert difference[0] > 1 > difference[2]


def test_share_of_missing_values():
    table = make_examples(200, 5, 5, missing=0.25)
    missing = sum(table.missing_by_attribute.values())
    assert 0.2 < missing / (200 * 10) < 0.3
    table.label_values()
    make_examples(200).require_complete()


@pytest.mark.parametrize(("label", "attributes"), KINDS)
def test_degenerate_tables_of_every_kind_are_tables(label, attributes):
    tables = degenerate_tables(label, attributes, width=20)
    assert set(tables) <= set(degenerate_names())
    for table in tables.values():
        assert isinstance(table, ExampleSet)
        assert len(table.fingerprint()) == 64


def test_degenerate_tables_are_degenerate():
    tables = degenerate_tables("binominal", "any")
    assert tuple(tables) == degenerate_names()
    assert len(tables["no rows"]) == 0
    assert len(tables["single row"]) == 1
    assert len(tables["two rows"].class_codes()[1]) == 2
    assert len(tables["no attributes"].schema.regular) == 0
    assert len(tables["one attribute"].schema.regular) == 1
    assert tables["wide"].schema.regular.shape == (2000,)
    assert np.ptp(tables["constant column"].column("num1")) == 0
    assert np.isnan(tables["all missing column"].column("num1")).all()
    assert len(tables["all missing"].missing_by_attribute) == 12
    assert tables["infinite values"].extreme_attributes == ("num1",)
    assert np.abs(tables["huge values"].column("num1")).max() == 1e308
    assert np.abs(tables["tiny values"].column("num1")).max() == 5e-324
    assert len(np.unique(tables["duplicates"].numeric(), axis=0)) == 4
    assert tables["no label"].schema.label is None
    assert len(tables["one class"].class_codes()[1]) == 1
    assert (tables["missing label"].column("label") == -1).all()
    assert "never seen" in tables["unused class"].classes


def test_odd_names_keep_their_order():
    table = make_examples(5, 9, 9)
    odd = with_odd_names(table)
    assert set(odd.schema.regular_names) == set(ODD_NAMES)
    plain = dict(zip(table.schema.regular_names, odd.schema.regular_names, strict=True))
    in_order = [plain[name] for name in sorted(plain)]
    assert in_order == sorted(in_order)
    assert np.array_equal(odd.numeric(), table.numeric())


def test_more_attributes_than_odd_names():
    assert "num19" not in with_odd_names(make_examples(3, 18, 0)).names
    assert len(with_odd_names(make_examples(3, 30, 0)).schema.regular) == 30


def test_prediction():
    table = with_prediction(make_examples())
    assert table.schema.special("prediction").categories == table.label.categories
    assert with_prediction(make_examples(label=None)).schema.special("prediction") is None


def test_odd_weights():
    weights = odd_weights(["a", "b", "c"])
    assert np.isnan(weights["all unknown"].values).all()
    assert weights["of other attributes"].names == ("not a", "not b", "not c")
    assert len(weights["of nothing"]) == 0
