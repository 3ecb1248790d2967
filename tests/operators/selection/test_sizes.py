"""One rule for all sizes: attributes that must be kept count among the k."""

from functools import partial

import numpy as np
import pytest

import fsops.operators as ops
from fsops.core import Context
from fsops.data import AttributeWeights, Criterion, ExampleSet, PerformanceVector
from fsops.data.attribute_groups import AttributeGroups
from fsops.errors import OperatorWarning
from fsops.operators.sizes import Size, kept_in_weights

P, K = 12, 3


def table(rows: int = 40) -> ExampleSet:
    rng = np.random.default_rng(3)
    y = np.arange(rows) % 2
    X = rng.normal(size=(rows, P)) + np.outer(y, np.linspace(2, 0, P))
    return ExampleSet.from_numpy(X, np.where(y, "yes", "no"), names=[f"a{j}" for j in range(P)])


def gain(examples, through=None):
    places = [int(name[1:]) for name in examples.schema.regular_names]
    return PerformanceVector([Criterion("gain", (float(np.linspace(2, 0.1, P)[places].sum()),))])


def prior(examples):
    return ops.prior_knowledge(examples, attributes=["a0"])


def twice(examples):
    return [ops.weight_by_f_test(examples), ops.weight_by_welch_test(examples)]


def sklearn(name, learner="", **parameters):
    path, own = f"sklearn.feature_selection.{name}", {k: str(v) for k, v in parameters.items()}
    return lambda t: ops.sklearn_selector(t, selector=path, parameters=own, estimator=learner)


WEIGHING = ops.weight_by_f_test
LOGISTIC, BAYES = "sklearn.linear_model.LogisticRegression", "sklearn.naive_bayes.GaussianNB"
CFS = {"k": K, "criterion": "cfs merit"}
EXACT = {
    "top k": lambda t: ops.select_top_k(WEIGHING(t), k=K),
    "top p%": lambda t: ops.select_top_k(WEIGHING(t), method="top p%", p=25),
    "weights": lambda t: ops.select_by_weights(t, WEIGHING(t), weight_relation="top k", k=K),
    "bottom": lambda t: ops.select_by_weights(t, WEIGHING(t), weight_relation="bottom k", k=K),
    "svm rfe": partial(ops.select_by_svm_rfe, k=K),
    "rfe": lambda t: ops.recursive_feature_elimination(t, WEIGHING, k=K),
    "kernel rfe": partial(ops.select_by_kernel_rfe, k=K),
    "mkl": partial(ops.select_by_kernel_rfe, k=K, method="mkl"),
    "mrmr": partial(ops.select_by_mrmr_cfs, k=K),
    "mrmr ranking": partial(ops.select_by_mrmr_cfs, k=K, output="ranking"),
    "mrmr cache": lambda t: ops.select_by_mrmr_cfs(t, ops.mrmr_cache_creator(t), k=K),
    "mrmr ensemble": partial(ops.select_by_mrmr_cfs, k=K, iterations=5),
    "mrmr spearman": partial(ops.select_by_mrmr_cfs, k=K, iterations=5, measure="spearman"),
    "jmi": partial(ops.select_by_jmi_cmim, k=K),
    "cmim": partial(ops.select_by_jmi_cmim, k=K, criterion="cmim"),
    "disr": partial(ops.select_by_jmi_cmim, k=K, criterion="disr"),
    "icap": partial(ops.select_by_jmi_cmim, k=K, criterion="icap"),
    "hfs": partial(ops.select_by_hfs, k=K),
    "ib": partial(ops.select_by_ib, k=K),
    "hyb-seq": partial(ops.select_by_hyb_seq, k=K, stop_without_gain=False),
    "randomized": partial(ops.select_by_randomized_wrapper, k=K, fixed_size=True),
    "l1-arom": partial(ops.select_by_l1_arom, k=K),
    "l2-arom": partial(ops.select_by_l2_arom, k=K),
    "ps-l2-arom": lambda t: ops.select_by_ps_l2_arom(t, prior(t), k=K),
    "ss-l2-arom": lambda t: ops.select_by_ss_l2_arom(t, prior(t), k=K),
    "pk-mrmr": lambda t: ops.select_by_pk_mrmr(t, prior(t), k=K),
    "pk-rfe": lambda t: ops.select_by_pk_rfe(t, prior(t), k=K),
    "pk-rfe elimination": lambda t: ops.select_by_pk_rfe(t, prior(t), k=K, mode="elimination"),
    "ensemble": lambda t: ops.ensemble_feature_selection(t, WEIGHING, k=K),
    "keep_best": lambda t: ops.ensemble_feature_selection(
        t, WEIGHING, combination="mean rank", keep_best=K
    ),
    "selections": lambda t: ops.ensemble_of_selections(t, [WEIGHING, WEIGHING], k=K),
    "aggregate": lambda t: ops.aggregate_weights(twice(t), k=K),
    "aggregate keep_best": lambda t: ops.aggregate_weights(
        twice(t), combination="mean rank", keep_best=K
    ),
    "ranking": lambda t: ops.rank_by_selection(t, partial(ops.select_by_mrmr_cfs, k=K), k=K),
    "SelectKBest": sklearn("SelectKBest", k=K),
    "SelectPercentile": sklearn("SelectPercentile", percentile=25),
    "GenericUnivariateSelect": sklearn("GenericUnivariateSelect", mode="k_best", param=K),
    "RFE": sklearn("RFE", LOGISTIC, n_features_to_select=K),
    "SFS": sklearn("SequentialFeatureSelector", BAYES, n_features_to_select=K),
    "SelectFromModel": sklearn("SelectFromModel", LOGISTIC, max_features=K, threshold=0),
    "forward": lambda t: ops.optimize_selection_forward(t, gain, max_attributes=K),
    "floating": lambda t: ops.optimize_selection_floating(t, gain, k=K, result="exact number"),
    "brute force": lambda t: ops.optimize_selection_brute_force(t, gain, use_k=True, k=K),
    "brute force at most": lambda t: ops.optimize_selection_brute_force(
        t, gain, limit_attributes=True, max_attributes=K
    ),
    "evolutionary": lambda t: ops.optimize_selection_evolutionary(
        t, gain, use_k=True, k=K, max_generations=3
    ),
    "number": lambda t: ops.choose_number_of_features(
        t, WEIGHING, ops.naive_bayes, sizes=[K], number_of_folds=3
    ),
    "sis": partial(ops.weight_by_sis, k=K),
}
AT_MOST = {
    "cfs": partial(ops.select_by_mrmr_cfs, **CFS),
    "cfs best first": partial(ops.select_by_mrmr_cfs, **CFS, search="best first"),
    "cfs bidirectional": partial(ops.select_by_mrmr_cfs, **CFS, search="bidirectional"),
    "fcbf": partial(ops.select_by_fcbf, max_attributes=K),
    "hyb-seq": partial(ops.select_by_hyb_seq, k=K),
    "isis": partial(ops.weight_by_iterative_sis, k=K),
}


def selected(found) -> set[str]:
    if isinstance(found, ExampleSet):
        return set(found.schema.regular_names)
    return set(getattr(found, "weights", found).selected())


@pytest.mark.parametrize("count", [0, 1, K, K + 1])
@pytest.mark.parametrize("name", EXACT)
@pytest.mark.filterwarnings("ignore::fsops.errors.OperatorWarning")
def test_the_size_is_k_with_the_attributes_to_keep(name, count):
    kept = [f"a{P - 1 - j}" for j in range(count)]
    found = selected(EXACT[name](table().with_mark(kept, "must_keep")))
    assert found >= set(kept)
    assert len(found) == max(K, count)


@pytest.mark.parametrize("count", [1, K, K + 1])
@pytest.mark.parametrize("name", AT_MOST)
@pytest.mark.filterwarnings("ignore::fsops.errors.OperatorWarning")
def test_the_size_is_at_most_k_with_the_attributes_to_keep(name, count):
    kept = [f"a{P - 1 - j}" for j in range(count)]
    found = selected(AT_MOST[name](table().with_mark(kept, "must_keep")))
    assert found >= set(kept)
    assert len(found) <= max(K, count)


@pytest.mark.parametrize("name", [*EXACT])
def test_more_attributes_to_keep_than_k_give_a_warning(name):
    marked = table().with_mark([f"a{j}" for j in range(K + 1)], "must_keep")
    with pytest.warns(OperatorWarning, match=f"is {K}, but {K + 1} attributes must be kept: these"):
        assert selected(EXACT[name](marked)) == {f"a{j}" for j in range(K + 1)}


CLAMPED = [
    "top k", "svm rfe", "rfe", "kernel rfe", "mkl", "mrmr", "mrmr ranking", "mrmr cache",
    "mrmr ensemble", "mrmr spearman", "jmi", "cmim", "disr", "icap", "hfs", "randomized", "l1-arom",
    "l2-arom", "ps-l2-arom", "ss-l2-arom", "pk-mrmr", "pk-rfe", "pk-rfe elimination",
]  # fmt: skip


@pytest.mark.parametrize("marked", [(), ("a1",)])
@pytest.mark.parametrize("name", CLAMPED)
def test_of_fewer_than_k_attributes_all_are_kept_with_a_warning(name, marked):
    small = table().features(np.arange(K - 1)).with_mark(marked, "must_keep")
    with pytest.warns(OperatorWarning, match=f"k is {K}, but there are only 2 attributes: all are"):
        assert selected(EXACT[name](small)) == {"a0", "a1"}


@pytest.mark.parametrize("step", ["fraction", "number", "schedule"])
def test_an_elimination_of_fewer_than_k_attributes_has_one_round(step):
    small = table().features(np.arange(2))
    with pytest.warns(OperatorWarning, match="k is 10, but there are only 2 attributes"):
        found = ops.recursive_feature_elimination(small, WEIGHING, step=step)
    assert [size for size, *_ in found.trace.rounds] == [2]


def test_an_elimination_counts_bound_groups_where_they_are_fewer_than_k():
    grouped = table().with_groups(AttributeGroups.of({"g": range(P)}, bound=True))
    with pytest.warns(OperatorWarning, match="k is 3, but there are only 1 attributes and bound"):
        assert len(selected(EXACT["rfe"](grouped))) == P


def test_a_copy_of_an_attribute_to_keep_is_redundant():
    X = table().numeric()
    X = np.column_stack([X[:, 0], X[:, 0] + 1e-3 * X[:, 5], X[:, 1], X[:, 11]])
    label = table().column(table().label.name)
    copies = ExampleSet.from_numpy(X, label, names=["best", "copy", "second", "noise"])
    marked = copies.with_mark(["copy"], "must_keep")
    for select in (ops.select_by_mrmr_cfs, partial(ops.select_by_jmi_cmim, criterion="cmim")):
        assert selected(select(marked, k=2)) == {"copy", "second"}
    assert selected(ops.select_by_fcbf(marked)) >= {"copy"}
    assert "best" not in selected(ops.select_by_mrmr_cfs(marked, k=2, iterations=4))


def test_a_known_weight_is_not_needed_to_count():
    marked = table().with_mark(["a11"], "must_keep")
    weights = AttributeWeights([f"a{j}" for j in range(11)], np.arange(11.0))
    found = ops.select_by_weights(marked, weights, weight_relation="top k", k=3)
    assert set(found.schema.regular_names) == {"a9", "a10", "a11"}


def test_an_order_is_cut_with_places_for_absent_attributes():
    kept = np.array([False, True, False, True, False])
    size = Size(3, kept)
    assert size.cut(np.array([2, 4, 1, 0])).tolist() == [2, 1]
    assert size.cut(np.array([0, 1, 2, 3, 4])).tolist() == [0, 1, 3]
    assert Size(2, kept).cut(np.array([2, 4, 0])).tolist() == []


def test_the_size_of_a_table_without_marks_is_k():
    size = Size.of(table(), 5, Context())
    assert (size.k, size.first.tolist()) == (5, [])
    assert size.cut(np.arange(P)[::-1]).tolist() == [11, 10, 9, 8, 7]


def test_weights_say_what_must_be_kept():
    one = ops.weight_by_f_test(table().with_mark(["a2"], "must_keep"))
    two = AttributeWeights(["b", "a2"], [1.0, 2.0])
    names, _ = AttributeWeights.stack([two, one])
    assert names.take(np.flatnonzero(kept_in_weights([two, one], names))).texts() == ["a2"]


def test_the_sets_of_a_stability_validation_have_k_attributes():
    marked = table().with_mark(["a11"], "must_keep")
    found = ops.feature_selection_stability_validation(marked, WEIGHING, k=3, iterations=4)
    assert found.weights["a11"] == 1
    assert found.weights.values.sum() == pytest.approx(3)
