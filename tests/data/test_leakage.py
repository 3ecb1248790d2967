"""Attributes that tell the label alone."""

import numpy as np
import pandas as pd

from fsops import ExampleSet
from fsops.data.leakage import giveaways

ROWS = 30


def table(classes=("ill", "well"), rows=ROWS, **columns):
    label = np.array(classes, dtype=object)[np.arange(rows) % len(classes)]
    frame = pd.DataFrame({"label": label, **columns})
    return ExampleSet.from_pandas(frame, roles={"label": "label"})


def noise(rows=ROWS):
    return np.random.default_rng(0).normal(size=rows)


def test_numbers_that_do_not_overlap_and_categories_of_one_class_each_are_named():
    even = np.arange(ROWS) % 2
    stage = np.array(["0", "I", "0", "II"], dtype=object)[np.arange(ROWS) % 4]
    found = giveaways(
        table(gene=noise(), score=5.0 * even + noise() / 9, stage=stage, sex=stage[::-1].copy())
    )
    assert found == ["score", "stage", "sex"]
    mixed = np.where(np.arange(ROWS) < 3, "0", stage)
    assert giveaways(table(gene=noise(), stage=mixed)) == []


def test_gaps_do_not_hide_it_but_a_few_values_prove_nothing():
    score = 5.0 * (np.arange(ROWS) % 2) + noise() / 9
    score[:5] = np.nan
    assert giveaways(table(score=score)) == ["score"]
    score[:20] = np.nan
    assert giveaways(table(score=score)) == []


def test_three_classes_need_three_ranges():
    third = np.arange(ROWS) % 3
    names = ("high", "low", "middle")
    assert giveaways(table(names, grade=third + noise() / 99, two=third % 2 + noise() / 99)) == [
        "grade"
    ]


def test_nothing_is_said_of_ids_numeric_labels_and_of_few_rows_with_many_attributes():
    ids = np.array([f"p{i}" for i in range(ROWS)], dtype=object)
    assert giveaways(table(name=ids)) == []
    measured = pd.DataFrame({"label": noise(), "x": noise()})
    assert giveaways(ExampleSet.from_pandas(measured, roles={"label": "label"})) == []
    rng = np.random.default_rng(1)
    wide = {f"g{j}": rng.normal(size=8) for j in range(500)}
    assert giveaways(table(rows=8, **wide)) == []
