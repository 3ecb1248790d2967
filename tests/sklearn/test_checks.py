"""Scikit-learn's own checks pass for all selectors and for processes; none is expected to fail."""

import warnings

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import check_estimator

import fsops.sklearn as estimators
from fsops import AttributeWeights, Model, PerformanceVector, Process
from fsops.operators import (
    linear_regression,
    naive_bayes,
    normalize,
    performance_cfs,
    select_by_weights,
    select_top_k,
    weight_by_correlation,
    weight_by_f_test,
)
from fsops.plugins import plugins
from fsops.sklearn import (
    PriorKnowledge,
    ProcessEstimator,
    SelectByMrmrCfs,
    WeightByFisherScore,
    WeightByFTest,
    selector,
)
from fsops.sklearn.declared import arguments_of, class_name, is_selector

SPECS = {spec.key: spec for spec in plugins().registry if is_selector(spec) and not spec.prefix}

# Inner processes and other inputs are made up by what they give, so that a new operator is covered.
GIVING = {
    AttributeWeights: WeightByFTest(),
    Model: GaussianNB(),
    PerformanceVector: performance_cfs,
}
# For each name an argument that suits tables of one to ten columns, or makes less work.
USUAL = {
    "C": 0.01,  # with larger ones, SVMs need seconds for the sparse table of the checks
    "k": 1,
    "prior": PriorKnowledge(),
    "iterations": 3,
    "max_iterations": 3,
    "max_generations": 1,
    "max_proposals": 20,
    "max_steps": 3,
    "number_of_folds": 2,
    "number_of_trees": 3,
    "permutations": 3,
    "restarts": 1,
    "selector": "sklearn.feature_selection.VarianceThreshold",
    "sizes": (1,),
}
SPECIAL = {
    "ensemble_of_selections": {"selection": [WeightByFTest(), WeightByFisherScore()]},
    "optimize_selection_brute_force": {"limit_attributes": True},
    "optimize_selection_weight_guided": {"label_type": "nominal"},  # of its weights, F-tests
    "rank_by_selection": {"selection": SelectByMrmrCfs(k="%{k}")},
    "weight_by_lasso": {"penalty": 0.1},
}
# These take two classes or a number; the three classes of some checks are numbers to them.
NUMBERS = (
    "knife_path", "select_by_elastic_net_path", "select_by_group_lasso_path", "select_by_knockoffs", "weight_by_correlation", "weight_by_iterative_sis",
    "weight_by_kernel_machine", "weight_by_knife", "weight_by_lasso", "weight_by_partial_correlation", "weight_by_sis",
)  # fmt: skip
FEWEST_CHECKS = 40


def instance(key):
    spec = SPECS[key]
    given = {sub.name: sub.sinks[0].type for sub in spec.subprocesses}
    given |= {port.name: port.type for port in spec.inputs[1:] if not port.optional}
    settings = {name: GIVING[kind] for name, kind in given.items()}
    settings |= {n: v for n, v in USUAL.items() if n in arguments_of(spec)}
    if key in NUMBERS:
        settings["label_type"] = "numerical"
    return selector(key, **settings | SPECIAL.get(key, {}))


def failures(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    assert len(results) > FEWEST_CHECKS
    return [
        (result["check_name"], str(result["exception"]))
        for result in results
        if result["status"] not in ("passed", "skipped")
    ]


@pytest.mark.parametrize("key", SPECS)
def test_a_selector_passes_all_checks(key):
    assert failures(instance(key)) == []


def filtered(learner, weighting):
    process = Process()
    weights = process.add(weighting, process.source(), name="Filter")
    top = process.add(select_top_k, weights, name="Top", k=2)
    kept = process.add(select_by_weights, process.source(), top, name="Select")
    process.result(process.add(learner, kept, name="Learner")["model"])
    process.result(top)
    return process


def prepared():
    process = Process()
    process.result(process.add(normalize, process.source())["model"])
    return process


def table():
    process = Process()
    weights = process.add(weight_by_f_test, process.source())
    top = process.add(select_top_k, weights, k=1)
    process.result(process.add(select_by_weights, process.source(), top))
    return process


@pytest.mark.parametrize("estimator", [
    ProcessEstimator(filtered(naive_bayes, weight_by_f_test)),
    ProcessEstimator(filtered(linear_regression, weight_by_correlation), label_type="numerical"),
    ProcessEstimator(prepared()),
    ProcessEstimator(table()),
], ids=["classifier", "regressor", "preparation", "selection"])  # fmt: skip
def test_a_process_passes_all_checks(estimator):
    assert failures(estimator) == []


def test_every_weighting_and_selection_of_a_table_is_a_selector():
    assert len(SPECS) >= 60
    assert {"weight_by_sam", "select_by_mrmr_cfs", "optimize_selection"} <= set(SPECS)
    assert {"data_to_weights", "select_top_k", "weights_to_ranking"}.isdisjoint(SPECS)
    assert {class_name(key) for key in SPECS} <= set(dir(estimators))
