"""Every experiment has printed values, a function, and a quick run of at most five seconds."""

import pytest

from fsops.datasets import dataset
from fsops.errors import StorageError, UsageError
from fsops.examples import find_examples
from fsops.papers.catalogue import EXPERIMENTS, PAPERS, find_experiment
from fsops.papers.judging import ComparisonVerdict
from fsops.papers.reports import read_report, run_experiment
from fsops.papers.setting import Setting, is_available
from fsops.papers.values import printed_values

RUNNABLE = [experiment for experiment in EXPERIMENTS if experiment.function]


def by_name(experiment):
    return experiment.name


def test_names_are_unique_and_belong_to_a_paper():
    names = [experiment.name for experiment in EXPERIMENTS]
    assert len(set(names)) == len(names)
    assert {experiment.paper for experiment in EXPERIMENTS} == set(PAPERS)


@pytest.mark.parametrize("experiment", RUNNABLE, ids=by_name)
def test_an_experiment_names_what_exists(experiment):
    assert callable(experiment.implementation)
    for name in experiment.data:
        assert dataset(name).name == name
    for process in experiment.processes:
        assert find_examples(process)
    assert printed_values(experiment.name)


def test_each_value_is_printed_once():
    for experiment in EXPERIMENTS:
        keys = [line.key for line in printed_values(experiment.name)]
        assert len(set(keys)) == len(keys), experiment.name


@pytest.mark.slow
@pytest.mark.parametrize("experiment", RUNNABLE, ids=by_name)
def test_a_quick_run_compares_values(experiment, tmp_path):
    if not experiment.has_data:
        pytest.skip("the data sets of this experiment are not on this machine")
    report, measured = run_experiment(experiment, Setting(quick=True))
    verdicts = {line.verdict for line in report.lines}
    assert verdicts - {ComparisonVerdict.NOT_PRINTED, ComparisonVerdict.NOT_COMPARED}
    assert report.mode == "quick"
    assert measured.repetitions
    again = read_report(report.write(tmp_path))
    assert list(again.rows()) == list(report.rows())


def test_the_golf_ranking_is_reproduced():
    report, _ = run_experiment(find_experiment("schowe/table_2"), Setting())
    assert report.status == "reproduced"


def test_the_elimination_of_table_1_is_reproduced():
    report, _ = run_experiment(find_experiment("schowe/table_1"), Setting())
    assert report.status == "reproduced"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["schowe/figure_3", "schowe/figure_6"])
def test_workers_do_not_change_the_values(name):
    if not is_available("colon"):
        pytest.skip("the data set colon is not on this machine")
    alone, together = (
        run_experiment(find_experiment(name), Setting(quick=True, jobs=jobs))[0] for jobs in (1, 2)
    )
    assert list(alone.rows()) == list(together.rows())


def test_missing_data_are_named_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_DATA", str(tmp_path))
    with pytest.raises(StorageError, match="colon_alon.parquet"):
        run_experiment(find_experiment("schowe/figure_6"), Setting(quick=True))


def test_a_missing_file_is_named_in_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_DATA", str(tmp_path))
    with pytest.raises(StorageError, match=r"dexter_coo\.parquet"):
        run_experiment(find_experiment("filter_svm/dexter"), Setting(quick=True))


def test_an_unknown_name_is_corrected():
    with pytest.raises(UsageError) as error:
        find_experiment("schowe/table2")
    assert "schowe/table_2" in str(error.value.hint)


def test_an_experiment_without_data_says_why():
    with pytest.raises(UsageError, match="Gisette"):
        run_experiment(find_experiment("filter_svm/gisette"), Setting())
