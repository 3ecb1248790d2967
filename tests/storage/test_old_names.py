"""Files and scripts from before the parameters had one name per idea still work, with notices."""

import runpy
import warnings
from pathlib import Path

import pytest

from fsops import Process, operators, read_process, run, sklearn as selectors
from fsops.core import validate
from fsops.core.checks.problems import Severity
from fsops.core.declare.renames import right_word
from fsops.core.declare.vocabulary import EVERY, KEYS, RENAMED
from fsops.errors import RenamedWarning, UsageError
from fsops.operators import k_nn, loop, read_csv
from fsops.plugins import plugins
from fsops.runs.overrides import apply_settings
from fsops.testing.digest import digest

ROOT = Path(__file__).resolve().parents[2]
OLD = ROOT / "tests" / "fixtures" / "old_names"
FILES = sorted(OLD.glob("*.xml"))
RUN = ("clusters", "lars", "quickstart", "rank_by_selection", "loops")


def opened(file):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        process = read_process(file)
    return process, [str(each.message) for each in caught if each.category is RenamedWarning]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_process_with_earlier_names_is_valid(file):
    process, notices = opened(file)
    assert [p for p in validate(process) if p.severity is Severity.ERROR] == []
    for node in process.walk():
        known = {parameter.name for parameter in node.operator.parameters}
        assert node.parameters.keys() <= known
    assert all("is now called" in notice for notice in notices)


def test_the_files_have_earlier_names():
    assert sum(len(opened(file)[1]) for file in FILES) > 20


@pytest.mark.parametrize("name", RUN)
def test_a_process_with_earlier_names_gives_the_same_results(name):
    old, _ = opened(OLD / f"{name}.xml")
    new = read_process(ROOT / "processes" / f"{name}.xml")
    old.folder = new.folder
    assert [digest(value) for value in run(old)] == [digest(value) for value in run(new)]


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("functions.py", ["weight", "k", "measure", "normalize"]),
        ("selectors.py", ["weight", "keep", "maximal_depth", "repeats"]),
    ],
)
def test_a_script_with_earlier_names_runs(script, names):
    with pytest.warns(RenamedWarning) as caught:
        runpy.run_path(str(OLD / script))
    text = "\n".join(str(each.message) for each in caught if each.category is RenamedWarning)
    assert [name for name in names if f'the parameter "{name}" is now' not in text] == []


def test_the_earlier_key_of_an_operator():
    _, notices = opened(OLD / "instance_based.xml")
    assert 'The operator "hib_sbs" is now called "select_by_hib_sbs".' in notices
    with pytest.warns(RenamedWarning, match='"hfs" is now called "select_by_hfs"'):
        assert operators.hfs is operators.select_by_hfs
    with pytest.warns(RenamedWarning, match='"Hfs" is now called "SelectByHfs"'):
        assert selectors.Hfs is selectors.SelectByHfs
    with pytest.warns(RenamedWarning, match='"hfs" is now called "select_by_hfs"'):
        assert isinstance(selectors.selector("hfs"), selectors.SelectByHfs)


def test_the_notice_names_operator_and_both_names():
    with pytest.warns(RenamedWarning, match='Read CSV: the parameter "csv_file" is now .*"path"'):
        Process().add(read_csv, csv_file="x")


def test_a_setting_by_an_earlier_name():
    process = Process()
    process.add(loop, name="Loop")
    with pytest.warns(RenamedWarning, match='"number_of_iterations" is now called "iterations"'):
        apply_settings(process, ["Loop.number_of_iterations=3"])
    assert process["Loop"].parameters == {"iterations": "3"}
    with pytest.raises(UsageError, match="has no parameter"):
        apply_settings(process, ["Loop.number_of_turns=3"])


def test_both_names_of_one_parameter_are_refused():
    with pytest.raises(TypeError, match="has no argument 'k'"):
        k_nn(None, k=3, number_of_neighbors=5)


def test_every_earlier_name_leads_to_a_parameter():
    registry = plugins().registry
    for old, new, keys in RENAMED:
        for key in keys.split() if keys != EVERY else ["select_attributes"]:
            assert registry[key].parameter(old).name == new, (key, old)
    for old, new in KEYS.items():
        assert registry[old].key == new


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("maximal_depth", "max_depth"),
        ("alpha", "penalty or significance_level"),
        ("n_trees", "number_of_trees"),
        ("max_depth", ""),
        ("k", ""),
    ],
)
def test_the_right_word(name, word):
    assert right_word(name) == word
