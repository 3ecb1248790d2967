"""A process file, the script exported from it, and calls written by hand agree bit for bit."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import fsops
from fsops import read_process, run
from fsops.export.python_script import python_script
from fsops.operators import (
    add_noise,
    apply_model,
    cross_validation,
    ensemble_feature_selection,
    feature_selection_stability_validation,
    lars,
    lars_change_model_parameters,
    log,
    log_performance,
    log_to_data,
    loop,
    loop_parameters,
    measure_chance,
    mrmr_cache_creator,
    naive_bayes,
    nearest_centroid,
    optimize_selection_evolutionary,
    optimize_selection_forward,
    performance,
    performance_cfs,
    performance_mrmr,
    permutation_baseline,
    recursive_feature_elimination,
    retrieve,
    sample,
    sample_bootstrapping,
    sample_stratified,
    select_attributes,
    select_by_mrmr_cfs,
    select_by_svm_rfe,
    select_by_weights,
    select_subprocess,
    select_top_k,
    set_macro,
    weight_by_auc,
    weight_by_f_test,
    weight_by_information_gain,
    weight_by_random_forest,
    weight_by_relieff,
    weight_by_sam,
    weight_by_svm,
    weight_by_welch_test,
    wrapper_x_validation,
)

pytestmark = pytest.mark.usefixtures("several_threads")

FOLDER = Path(__file__).resolve().parents[2] / "processes"


def measured(model, rows, *through):
    return performance(apply_model(model, rows))


def cancer():
    return retrieve(repository_entry="breast cancer")


def quickstart():
    def training(rows):
        weights = weight_by_sam(rows)
        chosen = select_top_k(weights, k=10)
        return naive_bayes(select_by_weights(rows, chosen)), weights

    found = cross_validation(cancer(), training, measured)
    return [found.performance, found.weights]


def filters():
    table = cancer()
    weightings = (
        weight_by_sam, weight_by_welch_test, weight_by_f_test, weight_by_auc,
        weight_by_information_gain, weight_by_relieff,
    )  # fmt: skip
    return [weighting(table) for weighting in weightings]


def elimination():
    table = cancer()
    svm = select_by_svm_rfe(table, k=5)
    by_steps = recursive_feature_elimination(table, weight_by_svm, k=5, step="number", number=5)
    return [svm.weights, svm.trace, by_steps.weights]


def ensemble_and_stability():
    table = cancer()
    welch = partial(weight_by_welch_test, transformation="abs_statistic")
    forest = partial(weight_by_random_forest, number_of_trees=50)
    stability = feature_selection_stability_validation(table, forest, k=5)
    logged = log_performance(stability.performance).log
    ensemble = ensemble_feature_selection(table, welch, iterations=20, k=5)
    return [ensemble, stability.performance, stability.weights, logged]


def chance():
    rows = sample_stratified(cancer(), sample="absolute", sample_size=60, name="Few rows")
    stability = partial(feature_selection_stability_validation, selection=weight_by_f_test, k=5)
    return [
        measure_chance(rows).answer,
        permutation_baseline(rows, stability, permutations=19).baseline,
    ]


def wrapper_validation():
    per_class = {"benign": 20, "malignant": 20}
    rows = sample(
        cancer(), balance_data=True, sample_size_per_class=per_class, name="20 rows of each class"
    )
    noisy = add_noise(
        rows, random_attributes=10000, label_noise=0.0, name="Add 10,000 random attributes"
    ).examples
    noise = select_attributes(
        noisy, attribute_filter_type="regular_expression", regular_expression="random.*"
    )
    weighting = lambda table: select_top_k(weight_by_sam(table))  # noqa: E731
    return [wrapper_x_validation(noise, weighting, naive_bayes, measured).performance]


def loops():
    def body(inputs):
        weights = weight_by_welch_test(
            sample_bootstrapping(inputs[0], name="Bootstrap"), transformation="neg_log10_p"
        )
        columns = {"bootstrap": "%{iteration}", "attributes": "operator.Select Top k.parameter.k"}
        return log([select_top_k(weights, k="%{k}")], log=columns)

    (table,) = set_macro([cancer()], macro="k", value="5")
    (found,) = loop([table], body, iterations=10)
    return [found[0], log_to_data([found]).examples]


def search():
    table = retrieve(repository_entry="wine")
    forward = optimize_selection_forward(
        table,
        lambda t: cross_validation(t, naive_bayes, measured, number_of_folds=3).performance,
        max_attributes=5,
    )
    evolved = optimize_selection_evolutionary(
        table, performance_mrmr,
        selection_scheme="non dominated sorting", population_size=20,
        max_generations=10,
        use_k=True, k=4,
    )  # fmt: skip
    return [forward.weights, forward.performance, forward.log, evolved.front]


def mrmr():
    def training(rows):
        weights = select_by_mrmr_cfs(rows, k=5)
        return naive_bayes(select_by_weights(rows, weights)), weights

    table = cancer()
    found = cross_validation(table, training, measured)
    by_mrmr = performance_mrmr(table, mrmr_cache_creator(table))
    return [found.performance, found.weights, by_mrmr, performance_cfs(table)]


def lars_process():
    found = lars(retrieve(repository_entry="diabetes"))
    more = lars_change_model_parameters(found.model, t=1000.0).weights
    three = lars_change_model_parameters(found.model, max_attributes=3).weights
    return [found.weights, more, three]


def control():
    def training(rows):
        chosen = select_by_weights(rows, weight_by_f_test(rows), weight_relation="top k")
        learners = [
            lambda given: [nearest_centroid(given[0])],
            lambda given: [naive_bayes(given[0])],
        ]
        return select_subprocess([chosen], learners)[0]

    def iteration(inputs):
        found = cross_validation(
            inputs[0], training, measured, number_of_folds=5, name="Validation"
        )
        return found.performance

    grid = {"Select by Weights.k": "1,2,5,10,20", "Select Subprocess.select_which": "1,2"}
    return [loop_parameters([cancer()], iteration, parameters=grid).trials]


BY_HAND = {
    "quickstart": quickstart, "filters": filters, "elimination": elimination,
    "ensemble_and_stability": ensemble_and_stability, "wrapper_validation": wrapper_validation,
    "chance": chance, "loops": loops, "search": search, "mrmr": mrmr, "lars": lars_process, "control": control,
}  # fmt: skip
ONLY_EXPORTED = (
    "designs", "embedded", "groups", "instance_based", "interactions", "learners", "preparation",
    "rank_by_selection", "survival", "validation",
)  # fmt: skip


def results_of_script(name, folder):
    script = folder / f"{name}.py"
    script.write_text(python_script(read_process(FOLDER / f"{name}.xml")), encoding="utf-8")
    names = {"__name__": "exported", "__file__": str(script)}
    exec(compile(script.read_text(encoding="utf-8"), str(script), "exec"), names)  # noqa: S102
    return names["main"]()


def same(one, two):
    return [a.equals(b) for a, b in zip(one, two, strict=True)]


@pytest.mark.parametrize("name", BY_HAND)
def test_file_script_and_calls_agree_bit_for_bit(name, tmp_path):
    from_file = list(run(read_process(FOLDER / f"{name}.xml")))
    assert all(same(from_file, results_of_script(name, tmp_path)))
    with fsops.running(seed=2001):
        by_hand = BY_HAND[name]()
    assert all(same(from_file, by_hand))


@pytest.mark.parametrize("name", ONLY_EXPORTED)
def test_file_and_script_agree_bit_for_bit(name, tmp_path):
    from_file = list(run(read_process(FOLDER / f"{name}.xml")))
    assert all(same(from_file, results_of_script(name, tmp_path)))


def test_another_seed_gives_other_results_in_the_same_way():
    process = read_process(FOLDER / "quickstart.xml")
    process.seed = 7
    names = {"__name__": "exported"}
    exec(python_script(process), names)  # noqa: S102
    exported = names["main"]()
    assert all(same(run(process), exported))
    assert not all(same(run(process, seed=2001), exported))


def test_script_runs_by_itself_and_prints_its_results(tmp_path):
    script = tmp_path / "quickstart.py"
    script.write_text(python_script(read_process(FOLDER / "quickstart.xml")), encoding="utf-8")
    out = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=100
    )
    expected = run(read_process(FOLDER / "quickstart.xml"))
    assert out.stdout.splitlines() == [repr(result) for result in expected]
