"""Prior knowledge, and the selections that take it."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet, Process, validate
from fsops.errors import DataError, OperatorWarning
from fsops.operators import (
    prior_knowledge,
    retrieve,
    select_by_mrmr_cfs,
    select_by_pk_mrmr,
    select_by_pk_rfe,
    select_by_svm_rfe,
    weight_by_pk_relief,
    weight_by_relief,
    weight_by_relieff,
)


@pytest.fixture
def genes():
    """Return 40 rows × 30 genes of which g0 to g3 tell the classes apart."""
    rng = np.random.default_rng(3)
    y = np.arange(40) % 2
    X = rng.normal(size=(40, 30))
    X[:, :4] += 1.2 * y[:, None]
    return ExampleSet.from_numpy(X, np.array(["a", "b"])[y], names=[f"g{j}" for j in range(30)])


@pytest.fixture
def even(genes):
    """Return a prior that knows nothing."""
    return AttributeWeights(genes.schema.regular_names, np.ones(30))


# --- the prior ------------------------------------------------------------------------------------


def test_named_attributes_get_ten_and_all_others_one(genes):
    prior = prior_knowledge(genes, attributes=["g7", "g2"])
    assert prior.names == genes.schema.regular_names
    assert {name for name, value in prior if value == 10} == {"g2", "g7"}
    assert sorted(set(prior.values)) == [1, 10]


@pytest.mark.parametrize("select", [select_by_pk_mrmr, select_by_pk_rfe, weight_by_pk_relief])
def test_a_ranking_as_a_prior_is_refused(genes, select):
    ranking = AttributeWeights(genes.schema.regular_names, np.arange(1, 31), best="smallest")
    with pytest.raises(DataError, match="The prior is a ranking: the worst attribute would be"):
        select(genes, ranking)
    prior = prior_knowledge(genes, ranking, conversion="scaled")
    assert prior["g0"] == 10 > prior["g1"] > prior["g29"]


def test_weights_that_are_not_zero_mark_attributes(genes):
    told = AttributeWeights(["g1", "g5", "g9", "elsewhere"], [1, 0, -0.2, 3])
    prior = prior_knowledge(genes, told, attributes=["g3"], prior_weight=4)
    assert {name for name, value in prior if value == 4} == {"g1", "g3", "g9"}


def test_scaled_weights_share_the_prior_weight_in_proportion(genes):
    told = AttributeWeights(["g1", "g5", "g9", "g8"], [2, -4, np.nan, 0])
    prior = prior_knowledge(genes, told, conversion="scaled")
    assert [prior[name] for name in ("g1", "g5", "g9", "g8", "g0")] == [5.5, 10, 1, 1, 1]


def test_infinite_weights_leave_nothing_to_the_others(genes):
    told = AttributeWeights(["g1", "g5"], [2, np.inf])
    prior = prior_knowledge(genes, told, conversion="scaled")
    assert [prior["g1"], prior["g5"]] == [1, 10]


def test_unknown_names_are_told_with_what_was_meant(genes, refused):
    with refused('"G11"', 'Did you mean "g1', error=DataError):
        prior_knowledge(genes, attributes=["g1", "G11"])
    with refused('attributes "TP53", "label"', "attributes_if_present"):
        prior_knowledge(genes, attributes=["TP53", "label"])
    with pytest.warns(OperatorWarning, match='no "TP53"'):
        prior = prior_knowledge(genes, attributes=["g1"], attributes_if_present=["TP53", "g2"])
    assert [prior["g1"], prior["g2"], prior["g3"]] == [10, 10, 1]


def test_unknown_names_are_told_before_the_run():
    process = Process()
    golf = process.add(retrieve, repository_entry="golf")
    process.add(prior_knowledge, golf, attributes=["Humidty"])
    assert any('Did you mean "Humidity"?' in str(problem) for problem in validate(process))


def test_nothing_known_is_said(genes):
    with pytest.warns(OperatorWarning, match="changes nothing"):
        assert set(prior_knowledge(genes).values) == {1}


# --- without knowledge everything is as before ----------------------------------------------------


@pytest.mark.parametrize("value", [1.0, 10.0])
@pytest.mark.parametrize("measure", ["mutual information", "symmetric uncertainty"])
@pytest.mark.parametrize("criterion", ["difference", "quotient"])
def test_mrmr_with_even_priors_is_mrmr(genes, even, measure, criterion, value):
    plain = select_by_mrmr_cfs(genes, k=8, criterion=criterion, measure=measure, output="ranking")
    prior = even.with_values(np.full(30, value))
    found = select_by_pk_mrmr(
        genes, prior, k=8, criterion=criterion, measure=measure, output="ranking"
    )
    assert found.values.tolist() == plain.values.tolist()


def test_mrmr_with_even_priors_as_given_is_mrmr(genes, even):
    plain = select_by_mrmr_cfs(
        genes, k=8, criterion="difference", measure="mutual information", output="ranking"
    )
    found = select_by_pk_mrmr(genes, even, k=8, addition="as given", output="ranking")
    assert found.values.tolist() == plain.values.tolist()


def test_relief_with_even_priors_is_relief_times_the_rows(genes, even):
    assert weight_by_pk_relief(genes, even).values == pytest.approx(
        40 * weight_by_relief(genes).values + 1
    )


def test_elimination_with_even_priors_is_svm_rfe(genes, even):
    plain = select_by_svm_rfe(genes, k=5, output="ranking").weights
    found = select_by_pk_rfe(genes, even, k=5, mode="elimination", C=1.0, output="ranking")
    assert found.values.tolist() == plain.values.tolist()


# --- knowledge ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "select",
    [
        select_by_pk_mrmr,
        lambda *given, **_: weight_by_pk_relief(*given),
        select_by_pk_rfe,
        lambda *given, k: select_by_pk_rfe(*given, k=k, mode="elimination"),
    ],
    ids=["mrmr", "relief", "rescaling", "elimination"],
)
def test_known_attributes_rise(genes, even, select):
    known = ["g20", "g25"]
    prior = prior_knowledge(genes, attributes=known, prior_weight=100)
    assert set(known) <= set(select(genes, prior, k=6).top(6))
    assert not set(known) <= set(select(genes, even, k=6).top(6))


def test_strength_weighs_knowledge_against_the_data(genes):
    prior = prior_knowledge(genes, attributes=["g20"])
    first = [select_by_pk_mrmr(genes, prior, k=1, strength=s).selected()[0] for s in (0, 1)]
    assert first == ["g0", "g20"]


def test_attributes_the_prior_does_not_mention_count_as_one(genes):
    short = AttributeWeights(["g20"], [10.0])
    full = prior_knowledge(genes, attributes=["g20"])
    for select in (select_by_pk_mrmr, weight_by_pk_relief, select_by_pk_rfe):
        assert select(genes, short).equals(select(genes, full))


def test_prior_of_a_mixed_table_reaches_the_right_attributes():
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue"], 30),
            "size": rng.normal(size=30),
            "shape": rng.choice(["round", "flat"], 30),
            "label": ["a", "b"] * 15,
        }
    )
    examples = ExampleSet.from_pandas(frame, roles={"label": "label"})
    plain = weight_by_relief(examples)
    for name in ("colour", "size", "shape"):
        found = weight_by_pk_relief(examples, prior_knowledge(examples, attributes=[name]))
        extra = {other: found[other] - 30 * plain[other] for other in found.names}
        assert {k: round(v) for k, v in extra.items()} == {
            other: 10 if other == name else 1 for other in found.names
        }


def test_relief_takes_three_classes_and_missing_values(genes):
    X = genes.numeric().copy()
    X[::7, 3] = np.nan
    labels = np.array(["a", "b", "c"])[np.arange(40) % 3]
    examples = ExampleSet.from_numpy(X, labels, names=genes.schema.regular_names)
    prior = AttributeWeights(examples.schema.regular_names, np.ones(30))
    found = weight_by_pk_relief(examples, prior, number_of_neighbors=3)
    plain = weight_by_relieff(examples, number_of_neighbors=3)
    assert found.values == pytest.approx(40 * plain.values + 1)


def test_relief_by_each_attribute_looks_for_neighbours_among_its_values(genes, refused):
    prior = prior_knowledge(genes, attributes=["g20"])
    X, y = genes.numeric(), np.arange(40) % 2
    apart = np.abs(X[:, None] - X) / (X.max(axis=0) - X.min(axis=0))
    same = (y[:, None] == y)[:, :, None]
    hit = np.where(same & ~np.eye(40, dtype=bool)[:, :, None], apart, np.inf).min(axis=1)
    miss = np.where(same, np.inf, apart).min(axis=1)
    found = weight_by_pk_relief(genes, prior, nearest_by="each attribute")
    assert found.values == pytest.approx((miss - hit).sum(axis=0) + prior.values, abs=1e-9)
    gap = np.where(np.arange(30) == 4, np.nan, X)
    labels = np.array(["a", "b"])[y]
    with_gap = ExampleSet.from_numpy(gap, labels, names=genes.schema.regular_names)
    with refused('"g4"'):
        weight_by_pk_relief(with_gap, prior, nearest_by="each attribute")


# --- borders --------------------------------------------------------------------------------------


def test_weights_that_are_no_prior_are_refused(genes, refused):
    selection = AttributeWeights(genes.schema.regular_names, [0] * 29 + [1])
    with refused('that of "g0" is 0', "Prior Knowledge"):
        select_by_pk_rfe(genes, selection)
    assert "g29" in select_by_pk_mrmr(genes, selection, k=2).selected()  # added, so 0 is no harm
    for value in (-1, np.nan, np.inf):
        for select in (select_by_pk_mrmr, weight_by_pk_relief, select_by_pk_rfe):
            with refused("a finite number", '"g1"', "0"):
                select(genes, AttributeWeights(["g1"], [value]))


def test_prior_about_other_data_is_refused_and_a_partly_lost_one_is_told(genes, refused):
    with refused("other attributes", '"TP53"'):
        select_by_pk_mrmr(genes, AttributeWeights(["TP53"], [10]))
    with pytest.warns(OperatorWarning, match='does not have "TP53"'):
        select_by_pk_mrmr(genes, AttributeWeights(["TP53", "g1"], [10, 10]))


def test_all_attributes_known_is_the_same_as_none(genes, even):
    prior = prior_knowledge(genes, attributes=list(genes.schema.regular_names))
    for select in (select_by_pk_mrmr, select_by_pk_rfe):
        assert select(genes, prior).selected() == select(genes, even).selected()


def test_constant_attributes_are_placed_last_and_alone_refused(genes, even, refused):
    X = genes.numeric().copy()
    X[:, 5] = 2.5
    labels = np.array(["a", "b"])[np.arange(40) % 2]
    names = genes.schema.regular_names
    table = ExampleSet.from_numpy(X, labels, names=names)
    prior = prior_knowledge(table, attributes=["g5"])
    assert select_by_pk_rfe(table, prior, output="ranking").top(30)[-1] == "g5"
    still = ExampleSet.from_numpy(np.ones((40, 30)), labels, names=names)
    with refused("All attributes are constant"):
        select_by_pk_rfe(still, even)


def test_one_class_and_missing_values_are_refused(genes, even, refused):
    one = ExampleSet.from_numpy(genes.numeric(), ["a"] * 40, names=genes.schema.regular_names)
    gap = genes.numeric().copy()
    gap[3, 4] = np.nan
    labels = np.array(["a", "b"])[np.arange(40) % 2]
    with_gap = ExampleSet.from_numpy(gap, labels, names=genes.schema.regular_names)
    for select in (select_by_pk_mrmr, weight_by_pk_relief, select_by_pk_rfe):
        with refused("two classes"):
            select(one, even)
    for select in (select_by_pk_mrmr, select_by_pk_rfe):
        with refused('"g4"'):
            select(with_gap, even)
