"""What is taken from the store is what a run without it gives, bit for bit."""

import importlib
import os
import sys

import numpy as np
import pytest

from fsops import ExampleSet, Process, run
from fsops.engine import executor
from fsops.engine.cache import ResultStore, keys
from fsops.operators import (
    apply_model,
    cross_validation,
    handle_exception,
    loop,
    naive_bayes,
    normalize,
    performance,
    read_parquet,
    retrieve,
    subprocess,
    weight_by_correlation,
    weight_by_pca,
    weight_by_sam,
    write_parquet,
)


@pytest.fixture
def store(tmp_path, monkeypatch):
    monkeypatch.setattr(executor, "WORTH_KEEPING", 0.0)
    return ResultStore(tmp_path / "cache")


@pytest.fixture
def matrix():
    return np.random.default_rng(0).normal(size=(60, 40))


def classes(count):
    return np.array(["a", "b"])[np.arange(count) % 2]


def weighting(*weightings, **reading):
    process = Process()
    table = process.add(read_parquet, **reading) if reading else process.source("input 1")
    for each in weightings:
        process.result(process.add(each, table))
    return process


def test_a_run_that_does_not_get_to_its_goal_keeps_nothing_unfinished(store):
    process = Process()
    box = process.add(subprocess, process.add(retrieve, repository_entry="breast cancer"))
    inside = box.inner()
    safe = inside.add(handle_exception, inside.source("input 1"))
    attempt, catch = safe.subprocesses
    attempt.result(attempt.add(normalize, attempt.source("input 1")))
    catch.result(catch.add(weight_by_sam, catch.source("input 1")))
    inside.result(safe)
    inside.result(inside.add(weight_by_correlation, safe))
    process.result(box["output 1"])
    process.result(box["output 2"])
    with pytest.raises(Exception, match="without getting to"):
        run(process, until="Weight by SAM", cache=store)
    assert run(process, cache=store).names == ["Subprocess.output 1", "Subprocess.output 2"]


def test_what_nobody_had_wanted_is_made_when_it_is_the_goal(store):
    process = Process()
    table = process.add(retrieve, repository_entry="iris")
    node = process.add(cross_validation, table, number_of_folds=3)
    training, testing = node.subprocesses
    training.result(training.add(naive_bayes, training.source("training_set")), "model")
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied))
    process.result(table)
    run(process, cache=store)
    names = run(process, until="Cross Validation", cache=store).names
    assert names == ["Cross Validation.performance", "Cross Validation.model"]


def test_the_same_numbers_in_another_layout_are_another_table(store, matrix):
    label = classes(60)
    rows = ExampleSet.from_numpy(matrix, label)
    columns = ExampleSet.from_numpy(np.asfortranarray(matrix), label)
    process = weighting(weight_by_pca)
    kept, fresh = run(process, rows, cache=store)[0], run(process, columns)[0]
    assert kept.values.tobytes() != fresh.values.tobytes()  # in the last bit
    found = run(process, columns, cache=store)[0]
    assert found.values.tobytes() == fresh.values.tobytes()


def write(folder, matrix):
    process = Process()
    process.add(write_parquet, process.source("input 1"), path=str(folder / "t.parquet"))
    run(process, ExampleSet.from_numpy(matrix, classes(len(matrix))))
    return folder / "t.parquet"


def test_a_table_in_blocks_gives_the_same_whether_others_have_loaded_it_or_not(tmp_path, store):
    file = write(tmp_path, np.random.default_rng(1).normal(size=(5000, 30)) * 1000)
    reading = {"path": str(file), "streaming": True}
    alone = run(weighting(weight_by_sam, **reading))[0]
    after = run(weighting(normalize, weight_by_sam, **reading))[1]
    assert alone.values.tobytes() == after.values.tobytes()
    run(weighting(normalize, **reading), cache=store)  # now it need not be loaded
    found = run(weighting(normalize, weight_by_sam, **reading), cache=store)[1]
    assert alone.values.tobytes() == found.values.tobytes()


def test_a_file_in_blocks_that_changed_but_has_its_size_and_time_is_read_again(tmp_path, store):
    matrix = np.random.default_rng(2).normal(size=(50, 4))
    file = write(tmp_path, matrix)
    old = file.stat()
    reading = {"path": str(file), "streaming": True}
    before = run(weighting(weight_by_sam, **reading), cache=store)[0]
    write(tmp_path, matrix[::-1].copy())
    os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (old.st_size, old.st_mtime_ns)
    after = run(weighting(weight_by_sam, **reading), cache=store)[0]
    assert not after.equals(before)
    assert after.equals(run(weighting(weight_by_sam, **reading))[0])


OPERATORS = """
from fsops import AttributeWeights, ExampleSet, operator
from plugin_of_two.numbers import factor

@operator(group="Test")
def scaled(examples: ExampleSet) -> AttributeWeights:
    "Scaled"
    return examples.weights(factor() * examples.numeric().mean(axis=0))
"""


def test_the_code_that_a_plugins_operator_calls_counts_too(tmp_path, store, matrix, monkeypatch):
    folder = tmp_path / "plugin_of_two"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "operators.py").write_text(OPERATORS)
    monkeypatch.syspath_prepend(tmp_path)
    table = ExampleSet.from_numpy(matrix)

    def first_weight(factor):
        for name in [n for n in sys.modules if n.startswith("plugin_of_two")]:
            monkeypatch.delitem(sys.modules, name)
        (folder / "numbers.py").write_text(f"def factor():\n    return {factor}\n")
        os.utime(folder / "numbers.py", (factor, factor))  # or Python takes the old one
        importlib.invalidate_caches()
        keys._code_of.cache_clear()  # as in another run of the program
        scaled = importlib.import_module("plugin_of_two.operators").scaled
        return run(weighting(scaled), table, cache=store)[0].values[0]

    assert first_weight(20) == pytest.approx(2 * first_weight(10))


def test_data_that_is_no_file_of_that_name_is_looked_up_each_time(store):
    process = Process()
    node = process.add(loop, process.source("input 1"), iterations=1)
    inner = node.inner()
    inner.result(inner.add(retrieve, repository_entry="iris"))
    process.result(node)
    events = []
    given = ExampleSet.from_numpy(np.eye(2))
    for _ in range(2):
        events.clear()
        run(process, given, cache=store, listener=events.append)
    assert ("Loop", "Body", "Retrieve") in {event.path for event in events}
