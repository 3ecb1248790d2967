"""Running up to an operator: what runs, what comes out, what is refused."""

import numpy as np
import pytest

from fsops import ExampleSet, Process, run
from fsops.core.frame.events import Finished, Logged, Started
from fsops.engine.cache import ResultStore
from fsops.errors import InvalidProcess, UsageError
from fsops.operators import (
    branch,
    cross_validation,
    ensemble_feature_selection,
    loop,
    naive_bayes,
    normalize,
    read_csv,
    recall,
    remember,
    retrieve,
    select_by_weights,
    select_top_k,
    set_macro,
    weight_by_correlation,
    weight_by_sam,
    write_csv,
)


@pytest.fixture
def chain():
    """Return Retrieve → Normalize → Weight by SAM, with a side branch and no results."""
    process = Process()
    table = process.add(retrieve, repository_entry="breast cancer")
    scaled = process.add(normalize, table)
    process.add(weight_by_sam, scaled)
    process.add(weight_by_correlation, table)
    return process


@pytest.fixture
def nested():
    """Return a cross-validation with an unfinished testing part."""
    process = Process()
    loop = process.add(
        cross_validation, process.add(retrieve, repository_entry="breast cancer"), number_of_folds=4
    )
    training = loop.subprocesses[0]
    rows = training.source("training_set")
    weights = training.add(weight_by_sam, rows)
    best = training.add(select_top_k, weights, k=3)
    training.result(training.add(naive_bayes, training.add(select_by_weights, rows, best)), "model")
    return process


def started(process, until, inputs=(), **options):
    """Return which operators have begun, with the result."""
    events = []
    result = run(process, *inputs, until=until, listener=events.append, **options)
    return [e.path[-1] for e in events if isinstance(e, Started)], result


def test_only_what_it_needs_runs_and_its_outputs_are_the_results(chain):
    names, result = started(chain, "Weight by SAM")
    assert names == ["Retrieve", "Normalize", "Weight by SAM"]
    assert result.names == ["Weight by SAM.weights"]
    assert result.origins == [(("Weight by SAM",), "weights")]
    whole = chain.clone()
    whole.result(whole["Weight by SAM"])
    assert result[0].equals(run(whole)[0])


def test_an_unfinished_rest_does_not_matter(chain):
    chain.add(select_by_weights)  # nothing connected: the whole process cannot run
    with pytest.raises(InvalidProcess):
        run(chain)
    assert started(chain, "Normalize")[0] == ["Retrieve", "Normalize"]


def test_a_problem_on_the_way_is_refused(chain):
    chain["Normalize"].parameters["method"] = "wishes"
    with pytest.raises(InvalidProcess, match="wishes"):
        run(chain, until="Weight by SAM")
    assert len(run(chain, until="Weight by Correlation")) == 1


def test_inside_of_a_loop_it_ends_in_the_first_iteration(nested):
    names, result = started(nested, "Select Top k")
    assert names == ["Retrieve", "Cross Validation", "Weight by SAM", "Select Top k"]
    assert (result[0].values > 0).sum() == 3
    assert result.origins == [(("Cross Validation", "Training", "Select Top k"), "weights")]


def test_what_the_store_has_of_the_loop_around_does_not_hide_it(nested, tmp_path):
    store = ResultStore(tmp_path)
    process = Process()
    table = process.add(retrieve, repository_entry="breast cancer")
    ensemble = process.add(ensemble_feature_selection, table, iterations=20)
    inner = ensemble.inner()
    inner.result(inner.add(weight_by_correlation, inner.source("examples")), "weights")
    process.result(ensemble["weights"])
    run(process, cache=store)
    names, result = started(process, "Weight by Correlation", cache=store)
    assert names[-1] == "Weight by Correlation"
    assert result.names == ["Weight by Correlation.weights"]


def test_what_was_kept_on_the_way_is_used_by_the_whole_run(chain, tmp_path, monkeypatch):
    monkeypatch.setattr("fsops.engine.executor.WORTH_KEEPING", 0.0)
    chain.result(chain["Weight by SAM"])
    run(chain, until="Weight by SAM", cache=ResultStore(tmp_path))
    events = []
    run(chain, listener=events.append, cache=ResultStore(tmp_path))
    cached = {e.path[-1]: e.cached for e in events if isinstance(e, Finished)}
    assert cached["Normalize"]
    assert cached["Weight by SAM"]
    assert not cached["Retrieve"]


def test_loops_around_it_run_here_whatever_the_engine_and_that_is_said(nested, engines):
    events = []
    run(nested, until="Select Top k", engine=engines("threads"), listener=events.append)
    said = [str(e.value) for e in events if isinstance(e, Logged)]
    assert [text for text in said if "without the engine" in text] == said[-1:]


def test_an_unknown_name_gets_the_nearest_one(chain):
    with pytest.raises(UsageError, match='no operator "Normalise".*Did you mean "Normalize"'):
        run(chain, until="Normalise")


def test_an_operator_that_is_switched_off_is_refused(nested):
    nested["Cross Validation"].enabled = False
    with pytest.raises(UsageError, match='"Cross Validation" is switched off.*"Select Top k"'):
        run(nested, until="Select Top k")


def test_an_operator_that_is_never_reached_is_told():
    process = Process()
    rows = ExampleSet.from_numpy(np.arange(8.0).reshape(4, 2), ["a", "b"] * 2)
    node = process.add(
        branch, process.source("input 1"), condition_type="min_examples", condition_value="100"
    )
    then, otherwise = node.subprocesses
    then.result(then.add(normalize, then.source()), "output 1")
    otherwise.result(otherwise.source(), "output 1")
    process.result(node)
    with pytest.raises(UsageError, match='without getting to "Normalize"'):
        run(process, rows, until="Normalize")


@pytest.fixture
def table():
    return ExampleSet.from_numpy(np.random.default_rng(5).normal(size=(20, 9)), ["a", "b"] * 10)


def test_macros_that_are_set_without_a_wire_are_set_before_it(table):
    process = Process(macros={"k": "7"})
    process.add(set_macro, macro="k", value="3")
    weights = process.add(weight_by_sam, process.source("input 1"))
    process.result(process.add(select_top_k, weights, k="%{k}"))
    names, result = started(process, "Select Top k", inputs=[table])
    assert names == ["Set Macro", "Weight by SAM", "Select Top k"]
    assert result[0].equals(run(process, table)[0])
    assert started(process, "Weight by SAM", inputs=[table])[0] == ["Weight by SAM"]


def test_what_is_remembered_for_it_runs_before_it(table):
    process = Process()
    scaled = process.add(normalize, process.source("input 1"))
    process.add(remember, scaled, remember_as="scaled")
    process.add(weight_by_correlation, process.source("input 1"))
    process.result(process.add(weight_by_sam, process.add(recall, remembered_as="scaled")))
    names, result = started(process, "Weight by SAM", inputs=[table])
    assert names == ["Normalize", "Remember", "Recall", "Weight by SAM"]
    assert result[0].equals(run(process, table)[0])


def test_a_file_that_it_reads_is_written_before_it_and_no_other(table, tmp_path):
    process = Process()
    process.add(write_csv, process.source("input 1"), path=str(tmp_path / "one.csv"))
    process.add(write_csv, process.source("input 1"), path=str(tmp_path / "two.csv"))
    process.result(process.add(read_csv, path=str(tmp_path / "one.csv")))
    (tmp_path / "one.csv").write_text("a\n1\n")
    names, result = started(process, "Read CSV", inputs=[table])
    assert names == ["Write CSV", "Read CSV"]
    assert len(result[0]) == len(table)


def test_a_way_to_it_that_only_a_later_iteration_takes_is_waited_for(table):
    process = Process()
    iterations = process.add(loop, process.source("input 1"), iterations=3)
    body = iterations.inner()
    rows = body.source("input 1")
    asked = body.add(branch, rows, condition_type="expression", expression="%{iteration} > 1")
    then, otherwise = asked.subprocesses
    then.result(then.add(weight_by_sam, then.source("condition")), "output 1")
    otherwise.result(otherwise.add(weight_by_correlation, otherwise.source("condition")))
    body.result(body.add(select_top_k, asked["output 1"], k=2))
    process.result(iterations)
    names, result = started(process, "Weight by SAM", inputs=[table])
    assert names[-1] == "Weight by SAM"
    assert names.count("Select Top k") == 1  # of the first iteration
    assert result.names == ["Weight by SAM.weights"]
