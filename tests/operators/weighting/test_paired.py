"""Weights of matched rows: roles, messages, and the selector of scikit-learn."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    weight_by_brunner_munzel,
    weight_by_paired_t,
    weight_by_signed_rank,
)
from fsops.sklearn import selector

TESTS = [weight_by_paired_t, weight_by_signed_rank]
RNG = np.random.default_rng(2)
BEFORE = RNG.normal(size=(9, 4)) * [1, 5, 1, 1] + [0, 0, 3, 0]
AFTER = BEFORE + RNG.normal([0.8, 0.8, 0, 0], 0.4, size=BEFORE.shape)


def table(role="pair", pair=None, **columns):
    frame = pd.DataFrame(np.concatenate([AFTER, BEFORE]), columns=list("abcd"))
    frame["visit"] = np.repeat(["2 after", "1 before"], 9)
    frame["patient"] = [*range(9), *range(9)] if pair is None else pair
    for name, values in columns.items():
        frame[name] = values
    roles = {"visit": "label", "patient": role}
    return ExampleSet.from_pandas(frame, roles=roles | ({"w": "weight"} if "w" in columns else {}))


@pytest.mark.parametrize("role", ["pair", "group"])
def test_the_role_names_the_pairs(role):
    found = weight_by_paired_t(table(role))
    expected = stats.ttest_rel(AFTER, BEFORE)
    np.testing.assert_allclose(found.values, np.abs(expected.statistic))
    np.testing.assert_allclose(found.details["p_value"], expected.pvalue)
    np.testing.assert_allclose(found.details["difference"], (AFTER - BEFORE).mean(axis=0))
    found = weight_by_signed_rank(table(role))
    expected = stats.wilcoxon(AFTER, BEFORE, axis=0)
    np.testing.assert_allclose(found.values, 1 - expected.pvalue)


@pytest.mark.parametrize("test", TESTS)
def test_without_a_role_rows_are_paired_in_their_order_with_a_warning(test):
    with pytest.warns(UserWarning, match="No attribute has the role pair"):
        found = test(table("id"))
    assert found.equals(test(table()))


@pytest.mark.parametrize("test", TESTS)
def test_rows_without_a_partner_are_left_out_with_a_warning(test):
    with pytest.warns(UserWarning, match="2 rows have no partner"):
        found = test(table(pair=[*range(9), 50, *range(1, 9)]))
    assert found.equals(test(table().take(np.r_[1:9, 10:18])))
    with pytest.raises(DataError, match="No pair has rows of both classes"):
        test(table(pair=range(18)))


@pytest.mark.parametrize("test", TESTS)
def test_a_missing_pair_is_named(test):
    with pytest.raises(DataError, match='pair attribute "patient" is missing in row 1'):
        test(table(pair=[None, *map(str, range(17))]))


def test_row_weights_count_replicates():
    w = np.r_[2, np.ones(17)]
    assert weight_by_paired_t(table(w=w)).values == pytest.approx(
        weight_by_paired_t(table()).values
    )
    w[0] = 0
    with pytest.warns(UserWarning, match="1 rows have no partner"):
        found = weight_by_paired_t(table(w=w))
    expected = weight_by_paired_t(table().take(np.r_[1:9, 10:18]))
    assert found.values == pytest.approx(expected.values)


def test_selectors_take_the_pairs_as_groups():
    found = selector("weight_by_paired_t", k=2).fit(
        np.concatenate([AFTER, BEFORE]), np.repeat([1, 0], 9), groups=[*range(9), *range(9)]
    )
    np.testing.assert_allclose(found.pvalues_, stats.ttest_rel(AFTER, BEFORE).pvalue)
    assert found.get_support().tolist() == [True, True, False, False]


def test_brunner_munzel_takes_missing_values_and_adjusts():
    values = np.concatenate([AFTER, BEFORE])
    values[4, 0] = np.nan
    frame = pd.DataFrame(values, columns=list("abcd")).assign(label=np.repeat(["x", "w"], 9))
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    with pytest.raises(DataError, match="missing"):
        weight_by_brunner_munzel(examples)
    found = weight_by_brunner_munzel(examples, missing="pairwise", adjustment="bonferroni")
    known = np.delete(values[:9], 4, axis=0)
    p = [stats.brunnermunzel(values[9:, 0], known[:, 0]).pvalue]
    p += stats.brunnermunzel(values[9:, 1:], values[:9, 1:], axis=0).pvalue.tolist()
    np.testing.assert_allclose(found.details["p_value"], p)
    np.testing.assert_allclose(found.values, 1 - np.minimum(4 * np.array(p), 1))


def test_equal_differences_give_a_warning_with_the_name_of_the_attribute(listening):
    before = np.array([[1.0, 1], [4, 2], [2, 5]])
    X = np.vstack([before, before + [[2.0, 1], [2, 0], [2, 3]]])
    heard = listening()
    found = weight_by_paired_t(ExampleSet.from_numpy(X, list("aaabbb")), ctx=heard)
    assert found.details["p_value"][0] == 0
    assert [text for text in heard.warnings if "infinite" in text] == [
        '"att1": differences do not vary between the pairs, so the statistic is infinite and the '
        "p-value 0. With few rows or rounded values this happens by chance: use the p-values of "
        "Permutation Test of Weights."
    ]
