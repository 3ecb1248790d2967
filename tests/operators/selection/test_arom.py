"""Operators that approximate the zero norm."""

import numpy as np
import pytest

from fsops import AttributeWeights, ExampleSet
from fsops.errors import OperatorWarning
from fsops.operators import (
    prior_knowledge,
    select_by_l1_arom,
    select_by_l2_arom,
    select_by_ps_l2_arom,
    select_by_ss_l2_arom,
)


@pytest.fixture
def genes():
    """Return 40 rows × 60 genes in pairs that are much alike; g0 to g7 tell the classes apart."""
    rng = np.random.default_rng(5)
    y = np.arange(40) % 2
    base = rng.normal(size=(40, 30))
    base[:, :4] += 1.2 * y[:, None]
    X = np.repeat(base, 2, axis=1) + 0.3 * rng.normal(size=(40, 60))
    return ExampleSet.from_numpy(X, np.array(["a", "b"])[y], names=[f"g{j}" for j in range(60)])


@pytest.fixture
def even(genes):
    return AttributeWeights(genes.schema.regular_names, np.ones(60))


@pytest.mark.parametrize("select", [select_by_l1_arom, select_by_l2_arom])
def test_k_attributes_are_selected_and_the_ranking_agrees(genes, select):
    chosen = select(genes, k=12)
    ranking = select(genes, k=12, output="ranking")
    assert len(chosen.selected()) == 12
    assert set(ranking.top(12)) == set(chosen.selected())
    assert sorted(ranking.values) == list(range(1, 61))


@pytest.mark.parametrize("select", [select_by_l1_arom, select_by_l2_arom])
def test_without_k_those_that_do_not_vanish_are_selected(genes, select):
    found = select(genes, k=None)
    left = found.details["last_weight"] > 0
    assert found.values.astype(bool).tolist() == left.tolist()
    assert (found.details["dropped_in_round"] == 0).tolist() == left.tolist()
    assert 1 <= left.sum() < 25
    assert (found.details["coefficient"] != 0).tolist() == left.tolist()


def test_even_priors_are_none(genes, even):
    assert select_by_ps_l2_arom(genes, even).equals(select_by_l2_arom(genes))
    tens = even.with_values(np.full(60, 10.0))
    assert select_by_ps_l2_arom(genes, tens).selected() == select_by_l2_arom(genes).selected()


def test_known_attributes_are_favoured(genes):
    prior = prior_knowledge(genes, attributes=["g3", "g40"])
    assert {"g3", "g40"} <= set(select_by_ps_l2_arom(genes, prior, k=5).selected())
    assert not {"g3", "g40"} <= set(select_by_l2_arom(genes, k=5).selected())


def test_semi_supervised_trace_tells_every_step(genes):
    prior = prior_knowledge(genes, attributes=["g0", "g2"])
    found = select_by_ss_l2_arom(genes, prior, k=8, number_of_similar_attributes=1)
    trace = found.trace.to_pandas()
    assert trace["step"].tolist() == list(range(1, len(trace) + 1))
    assert trace["relevant"].tolist() == [2] + [8] * (len(trace) - 1)
    assert (trace["with_neighbors"] >= trace["relevant"]).all()
    assert trace["with_neighbors"][0] > 2  # the copies of both join
    assert trace["agreement"].iloc[-1] >= 0.99
    assert len(found.weights.selected()) == 8
    assert sum(found.prior.values == 10) == trace["with_neighbors"].iloc[-1]
    assert set(found.prior.values) == {1, 10}


def test_growing_selection_that_never_agrees_says_so(genes):
    prior = prior_knowledge(genes, attributes=["g0", "g2"])
    with pytest.warns(OperatorWarning, match="still changed in step 3"):
        found = select_by_ss_l2_arom(genes, prior, size="growing", max_iterations=3)
    grown = found.trace.to_pandas()["selected"]
    assert len(found.weights.selected()) == grown.iloc[-1]
    assert (np.diff(grown) > 0).all()


def test_everything_known_is_told_and_selects_without_prior(genes):
    prior = prior_knowledge(genes, attributes=list(genes.schema.regular_names))
    with pytest.warns(OperatorWarning, match="More than half"):
        found = select_by_ss_l2_arom(genes, prior, k=6)
    assert found.weights.selected() == select_by_l2_arom(genes, k=6).selected()


def test_growing_from_nothing_is_refused(genes, even, refused):
    with refused("no attributes to grow from", "fixed"):
        select_by_ss_l2_arom(genes, even, size="growing")
    assert len(select_by_ss_l2_arom(genes, even, k=4).weights.selected()) == 4


def test_three_classes_are_taken_one_against_the_rest():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3
    X = rng.normal(size=(60, 40))
    X[:, :3] += 3 * np.eye(3)[y]
    examples = ExampleSet.from_numpy(X, np.array(["a", "b", "c"])[y])
    for select in (select_by_l1_arom, select_by_l2_arom):
        assert set(select(examples, k=3).selected()) == set(examples.schema.regular_names[:3])


@pytest.mark.parametrize(
    "select", [select_by_l1_arom, select_by_l2_arom, select_by_ps_l2_arom, select_by_ss_l2_arom]
)
def test_unusable_tables_are_refused_in_words(genes, even, refused, select):
    prior = () if select in (select_by_l1_arom, select_by_l2_arom) else (even,)
    names, labels = genes.schema.regular_names, np.array(["a", "b"])[np.arange(40) % 2]
    with refused("constant"):
        select(ExampleSet.from_numpy(np.ones((40, 60)), labels, names=names), *prior)
    with refused("two classes"):
        select(ExampleSet.from_numpy(genes.numeric(), ["a"] * 40, names=names), *prior)
    gap = np.where(np.arange(60) == 4, np.nan, genes.numeric())
    with refused('"g4"'):
        select(ExampleSet.from_numpy(gap, labels, names=names), *prior)
