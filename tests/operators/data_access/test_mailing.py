"""Generated data of a direct mailing follows its rule."""

import numpy as np
import pytest

import fsops
from fsops.operators import generate_direct_mailing_data


def test_rows_respond_as_often_as_the_rule_says():
    with fsops.running(seed=1):
        table = generate_direct_mailing_data(number_of_rows=20_000)
    frame = table.to_pandas()
    assert [*frame] == ["name", "age", "lifestyle", "zip code", "family status", "car", "sports",
                        "earnings", "label"]  # fmt: skip
    responds = frame["label"] == "response"
    age, near = frame["age"], frame["zip code"] < 15_000
    others = (age <= 55) & ~near
    assert (responds[others] == (frame["earnings"][others] > 140_000)).all()
    for rows, rate in (
        (age > 65, 0.95),
        ((age > 60) & (age <= 65), 0.9),
        ((age > 55) & (age <= 60), 0.8),
        ((age <= 55) & near, 0.9),
    ):
        spread = np.sqrt(rate * (1 - rate) / rows.sum())
        assert responds[rows].mean() == pytest.approx(rate, abs=4 * spread)
    assert frame["name"].str.len().eq(8).all()
