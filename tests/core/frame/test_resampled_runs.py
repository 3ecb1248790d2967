"""A filter that computes all resamples at once is counted as that many runs."""

import numpy as np

import fsops
from fsops.core import Process
from fsops.data import ExampleSet
from fsops.operators import ensemble_feature_selection, retrieve, weight_by_f_test


def test_the_record_has_runs_and_time_of_a_filter_on_resamples():
    process = Process("Runs")
    data = process.add(retrieve, repository_entry="iris")
    steady = process.add(ensemble_feature_selection, data, iterations=7)
    inner = steady.inner()
    inner.result(inner.add(weight_by_f_test, inner.source("examples")), "weights")
    process.result(steady["weights"])
    outcome = fsops.run(process)
    timing = outcome.timings[steady.name, inner.name, "Weight by F-Test"]
    assert timing.runs == 7
    assert timing.seconds > 0


def test_missing_values_take_the_usual_way_and_are_counted_there():
    X = np.random.default_rng(0).normal(size=(30, 5))
    X[0, 0] = np.nan
    table = ExampleSet.from_numpy(X, ["a", "b"] * 15)
    runs = []

    def selection(examples):
        runs.append(len(examples))
        return weight_by_f_test(examples, missing="pairwise")

    ensemble_feature_selection(table, selection, iterations=4)
    assert len(runs) == 4
