"""MRMR, CFS and their cache."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import spearmanr

from fsops import Attribute, Context, ExampleSet
from fsops.algorithms.base.resampling import leave_one_part_out
from fsops.algorithms.statistics.information import ResampledInformation
from fsops.errors import DataError, ParameterError
from fsops.operators import (
    mrmr_cache_creator,
    performance_cfs,
    performance_mrmr,
    retrieve,
    select_by_mrmr_cfs,
)
from fsops.testing import make_examples


@pytest.fixture
def nominal():
    """Return the eight rows of the specification (mrmr.md, sections 2 and 4)."""
    columns = {"a": "00011111", "b": "00011111", "c": "01001011", "d": "01010101", "y": "00001111"}
    frame = pd.DataFrame({name: list(text) for name, text in columns.items()})
    return ExampleSet.from_pandas(frame, roles={"y": "label"})


@pytest.mark.parametrize("criterion", ["automatic", "difference", "quotient"])
def test_worked_example_is_selected_in_its_order(nominal, criterion):
    ranking = select_by_mrmr_cfs(nominal, k=4, criterion=criterion, output="ranking")
    assert ranking.top(4) == ("a", "c", "b", "d")
    assert ranking.details["relevance"] == pytest.approx(
        [0.5487949407, 0.5487949407, 0.1887218755, 0]
    )


@pytest.mark.parametrize(
    ("names", "merit"),
    [("a", 0.5615896366), ("ab", 0.5615896366), ("ac", 0.5177807632), ("acd", 0.4194545683)],
)
def test_cfs_merit_of_the_worked_example(nominal, names, merit):
    subset = nominal.select_regular(names)
    assert performance_cfs(subset).main.mean == pytest.approx(merit)
    cache = mrmr_cache_creator(nominal, measure="symmetric uncertainty")
    assert performance_cfs(subset, cache).main.mean == pytest.approx(merit)


def test_relevance_and_redundancy_are_separate_criteria(nominal):
    found = performance_mrmr(nominal.select_regular("ac"), main_criterion="relevance")
    assert found.main.name == "relevance"
    assert found["relevance"].mean == pytest.approx((0.5487949407 + 0.1887218755) / 2)
    assert found["redundancy"].mean == pytest.approx(0.048795, abs=1e-6)
    assert not found["redundancy"].maximize
    assert found["difference"].mean == pytest.approx(
        found["relevance"].mean - found["redundancy"].mean
    )


def test_numbers_and_classes_use_f_over_correlation():
    T1 = [[5.1, 1, 0.1], [4.9, 2, 0.4], [6.2, 3, 0.35], [5.8, 4, 0.8], [5.5, 5, 0.2], [3.9, 2, 0.9], [4.1, 3, 1.5], [4.6, 4, 1.1]]  # fmt: skip
    examples = ExampleSet.from_numpy(T1, list("11111000"), names=["f1", "f2", "f4"])
    ranking = select_by_mrmr_cfs(examples, k=3, output="ranking")
    assert ranking.top(3) == ("f4", "f1", "f2")
    assert ranking.details["relevance"] == pytest.approx([13.9797794118, 0, 15.0423981742])


@pytest.mark.parametrize("size", [2, 5, 10])
@pytest.mark.parametrize("criterion", ["difference", "quotient"])
def test_fast_ensemble_counts_what_separate_runs_select(size, criterion):
    examples = retrieve(repository_entry="breast cancer")
    context = Context(path=("Ensemble",))
    found = select_by_mrmr_cfs(examples, k=5, criterion=criterion, iterations=size, ctx=context)
    codes = examples.class_codes()[0]
    rows = leave_one_part_out(len(examples), size, context.rng("ensemble"), strata=codes)
    votes = [select_by_mrmr_cfs(examples.take(r), k=5, criterion=criterion).values for r in rows]
    assert found.details["frequency"] == pytest.approx(np.mean(votes, axis=0))


def test_cache_changes_nothing_and_is_used():
    examples = retrieve(repository_entry="wine")
    cache = mrmr_cache_creator(examples)
    plain = select_by_mrmr_cfs(examples, k=5)
    for _ in range(2):
        assert select_by_mrmr_cfs(examples, cache, k=5).equals(plain)
    assert cache.remembered.hits > 0


@pytest.mark.parametrize("size", [1, 3])
def test_measure_of_the_cache_counts(size):
    examples = retrieve(repository_entry="wine")
    cache = mrmr_cache_creator(examples, measure="mutual information")
    context = Context(path=("MRMR",))
    with_cache, plain = (
        select_by_mrmr_cfs(examples, given, k=4, iterations=size, measure=measure, ctx=context)
        for given, measure in ((cache, "by type"), (None, "mutual information"))
    )
    assert with_cache.equals(plain)


def test_cache_serves_subsets_of_its_columns():
    examples = retrieve(repository_entry="wine")
    cache = mrmr_cache_creator(examples)
    subset = examples.select_regular(examples.names[3:9])
    served, plain = performance_mrmr(subset, cache), performance_mrmr(subset)
    # Correlations of 13 and of 6 columns are products of other shapes, which may round differently.
    for criterion in plain.criteria:
        assert served[criterion.name].mean == pytest.approx(criterion.mean, rel=1e-12)
    assert select_by_mrmr_cfs(subset, cache, k=3).equals(select_by_mrmr_cfs(subset, k=3))


def test_cache_refuses_other_rows():
    examples = retrieve(repository_entry="wine")
    cache = mrmr_cache_creator(examples)
    with pytest.raises(DataError, match="made of other data"):
        performance_mrmr(examples.take(np.arange(100)), cache)


def test_cfs_needs_a_cache_of_its_own_measure(nominal):
    with pytest.raises(DataError, match="A cache of symmetric uncertainty"):
        performance_cfs(nominal, mrmr_cache_creator(nominal))
    with pytest.raises(DataError, match="A cache of symmetric uncertainty"):
        select_by_mrmr_cfs(nominal, mrmr_cache_creator(nominal), k=2, criterion="cfs merit")
    cache = mrmr_cache_creator(nominal, measure="symmetric uncertainty")
    with_cache = select_by_mrmr_cfs(nominal, cache, k=2, criterion="cfs merit")
    assert with_cache.equals(select_by_mrmr_cfs(nominal, k=2, criterion="cfs merit"))


def test_mixed_table_and_spearman_need_what_they_say():
    golf = retrieve(repository_entry="golf")
    assert len(select_by_mrmr_cfs(golf, k=2).selected()) == 2
    with pytest.raises(DataError, match="Spearman's correlation needs numerical attributes"):
        select_by_mrmr_cfs(golf, k=2, measure="spearman")


@pytest.mark.parametrize("kind", ["mixed", "spearman", "mixed with a number"])
def test_ensembles_of_mixed_tables_and_ranks_count_what_separate_runs_select(kind):
    table = make_examples(60, 4, 0 if kind == "spearman" else 3)
    if kind == "mixed with a number":
        numbers = ("label", np.random.default_rng(0).normal(size=60))
        table = table.with_columns([(Attribute(numbers[0], role="label"), numbers[1])])
    measure = "spearman" if kind == "spearman" else "by type"
    context = Context(path=("Ensemble",))
    common = {"k": 2, "measure": measure, "criterion": "quotient"}
    found = select_by_mrmr_cfs(table, iterations=4, ctx=context, **common)
    nominal = table.label.value_type.is_nominal
    codes = table.class_codes()[0] if nominal else None
    rows = leave_one_part_out(len(table), 4, context.rng("ensemble"), strata=codes)
    votes = [select_by_mrmr_cfs(table.take(r), **common).values for r in rows]
    assert found.details["frequency"] == pytest.approx(np.mean(votes, axis=0))


# --- searches and measures of CFS ---------------------------------------------------------------


@pytest.mark.parametrize("search", ["best first", "bidirectional"])
def test_other_searches_reach_at_least_the_merit_of_forward_selection(search):
    examples = retrieve(repository_entry="breast cancer")
    merits = []
    for way in ("forward", search):
        weights = select_by_mrmr_cfs(examples, k=10, criterion="cfs merit", search=way)
        kept = examples.select_regular(weights.selected())
        merits.append(performance_cfs(kept)["cfs"].mean)
    assert merits[1] >= merits[0]


def test_performance_cfs_measures_numbers_by_pearson():
    diabetes = retrieve(repository_entry="diabetes")
    some = diabetes.select_regular(diabetes.schema.regular_names[:4])
    X, y = some.numeric(), some.label_values()
    relevant = sum(abs(np.corrcoef(x, y)[0, 1]) for x in X.T)
    pairs = np.abs(np.corrcoef(X.T))[np.triu_indices(4, 1)].sum()
    expected = relevant / np.sqrt(4 + 2 * pairs)
    for measure in ("automatic", "pearson"):
        assert performance_cfs(some, measure=measure)["cfs"].mean == pytest.approx(expected)
    by_ranks = spearmanr(np.column_stack([X, y])).statistic
    relevant, pairs = np.abs(by_ranks[-1, :4]).sum(), np.abs(by_ranks[:4, :4])
    expected = relevant / np.sqrt(4 + 2 * pairs[np.triu_indices(4, 1)].sum())
    assert performance_cfs(some, measure="spearman")["cfs"].mean == pytest.approx(expected)


def test_performance_cfs_measures_two_classes_by_pearson_and_refuses_more(refused):
    cancer = retrieve(repository_entry="breast cancer")
    one = cancer.select_regular(cancer.schema.regular_names[:1])
    expected = abs(np.corrcoef(one.numeric()[:, 0], one.class_codes()[0])[0, 1])
    assert performance_cfs(one, measure="pearson")["cfs"].mean == pytest.approx(expected)
    with refused("has 3 classes", "symmetric uncertainty"):
        performance_cfs(retrieve(repository_entry="iris"), measure="pearson")
    with refused("is a number", "pearson", error=ParameterError):
        performance_cfs(retrieve(repository_entry="diabetes"), measure="symmetric uncertainty")


# --- nothing to select by -----------------------------------------------------------------------


def test_attributes_that_tell_nothing_are_warned_of(listening):
    constant = ExampleSet.from_numpy(np.ones((20, 5)), np.array(["a", "b"] * 10))
    heard = listening()
    select_by_mrmr_cfs(constant, k=2, ctx=heard)
    assert heard.warnings[0].startswith("No attribute is relevant to the label")


def test_an_ensemble_ranks_from_k_down_to_1():
    examples = retrieve(repository_entry="breast cancer")
    found = select_by_mrmr_cfs(examples, k=4, iterations=5, output="ranking")
    chosen = found.values[found.values > 0]
    assert sorted(chosen.tolist()) == [1, 2, 3, 4]
    first, last = (int(np.flatnonzero(found.values == place)[0]) for place in (4, 1))
    frequency, position = found.details["frequency"], found.details["position"]
    assert (frequency[first], position[first]) >= (frequency[last], position[last])


@pytest.mark.parametrize("measure", ["mutual information", "symmetric uncertainty"])
def test_ten_members_measure_fewer_pairs_than_four_plain_runs(measure, monkeypatch):
    """Time is measured in `benchmarks/selection.py`; pairs of attributes can be counted here."""
    pairs = []
    with_classes = ResampledInformation.with_classes

    def counted(self, classes):
        pairs.append(self.feature.shape[1])
        return with_classes(self, classes)

    monkeypatch.setattr(ResampledInformation, "with_classes", counted)
    p, k, rng = 600, 20, np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(62, p)), y=np.array(list("ab") * 31))
    select_by_mrmr_cfs(table, k=k, measure=measure, iterations=10)
    # A plain run measures each attribute with the label and with each that is selected.
    assert 0 < sum(pairs) <= 4 * p * k
