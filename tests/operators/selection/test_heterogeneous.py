"""HFS as an operator."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from fsops import Context, ExampleSet
from fsops.data import Attribute, ValueType
from fsops.errors import DataError
from fsops.operators import select_by_hfs
from fsops.testing import make_examples

CLASSIFIERS = ["naive_bayes", "k_nn"]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_a_ranking_keeps_the_order_of_both_tests(classifier):
    table = make_examples(80, 5, 4, missing=0.1)
    weights = select_by_hfs(table, classifier=classifier, k=1, output="ranking")
    assert sorted(weights.values) == list(range(1, 10))
    p = dict(zip(weights.names, weights.details["p_value"], strict=True))
    for kind in ("num", "nom"):
        ranked = [p[name] for name in weights.top(9) if name.startswith(kind)]
        assert ranked == sorted(ranked)


def test_p_values_are_those_of_the_tests(golf):
    weights = select_by_hfs(golf, k=2)
    play = golf.label_values() == 1
    for name in ("Temperature", "Humidity"):
        x = golf.column(name)
        expected = stats.ttest_ind(x[play], x[~play], equal_var=False).pvalue
        assert weights.details["p_value"][weights.names.index(name)] == pytest.approx(expected)
    wind = stats.contingency.crosstab(golf.column("Wind"), play).count
    assert weights.details["p_value"][3] == pytest.approx(stats.fisher_exact(wind).pvalue)


@pytest.mark.parametrize("label", ["binominal", "polynominal"])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_the_telling_attributes_are_selected(classifier, label):
    table = make_examples(90, 6, 6, label=label)
    chosen = select_by_hfs(table, classifier=classifier, k=2).selected()
    assert set(chosen) <= {"num1", "num2", "nom1", "nom2"}


def test_folds_come_from_the_seed():
    table = make_examples(40, 6, 6, seed=3)
    values = [
        select_by_hfs(table, classifier="k_nn", k=3, ctx=Context(seed)).values for seed in (1, 1)
    ]
    assert (values[0] == values[1]).all()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_copies_of_a_row_by_its_weight_are_in_one_fold(classifier):
    table = make_examples(40, 4, 4, seed=8)
    times = np.resize([3, 1, 2, 0], 40)
    rows = np.repeat(np.arange(40), times)

    def marked(role, values):
        return table.with_columns([(Attribute("w", ValueType.REAL, role), values.astype(float))])

    def ranking(examples, seed):
        found = select_by_hfs(
            examples,
            classifier=classifier,
            number_of_neighbors=1,
            k=1,
            output="ranking",
            ctx=Context(seed),
        )
        return found.values.tolist()

    grouped = marked("group", np.arange(40)).take(rows)
    weighted = marked("weight", times)
    for seed in range(10):
        assert ranking(weighted, seed) == ranking(grouped, seed)
    separated = [ranking(table.take(rows), seed) for seed in range(10)]
    assert separated != [ranking(weighted, seed) for seed in range(10)]


def test_row_weights_that_are_not_whole_numbers_are_refused():
    table = make_examples(8, 2, 2)
    weights = (Attribute("w", ValueType.REAL, "weight"), np.full(8, 1.5))
    with pytest.raises(DataError, match=r"Merged Rankings \(HFS\) takes whole numbers"):
        select_by_hfs(table.with_columns([weights]), k=1)


def test_more_folds_or_neighbours_than_rows_are_as_many_as_there_are():
    table = make_examples(8, 2, 2)
    weights = select_by_hfs(
        table, classifier="k_nn", k=1, number_of_folds=50, number_of_neighbors=50
    )
    assert weights.values.sum() == 1


def test_one_class_is_refused(refused):
    table = make_examples(20, 2, 1)
    with refused("two classes"):
        select_by_hfs(table.take(np.arange(0, 20, 2)), k=1)


def test_categories_beyond_the_exact_test_are_named(listening):
    rng = np.random.default_rng(0)
    many = rng.integers(0, 9, 900).astype(str)
    frame = pd.DataFrame({"many": many, "few": rng.integers(0, 2, 900).astype(str)})
    frame["y"] = rng.choice(["a", "b"], 900)
    heard = listening()
    select_by_hfs(ExampleSet.from_pandas(frame, roles={"y": "label"}), k=1, ctx=heard)
    assert heard.warnings == [
        '"many": too many categories and rows for Fisher\'s exact test, so chi squared is used.'
    ]
