"""Processes as Python scripts."""

import importlib
import unicodedata

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops import ExampleSet, PerformanceVector, Process, operator, run
from fsops.core.graph.process import Node, Note
from fsops.core.operator import placeholder
from fsops.errors import ParameterError, PortError, UsageError
from fsops.export.python_script import python_script
from fsops.export.python_text import Names, bracketed, literal, slug
from fsops.operators import (
    cross_validation,
    loop,
    multiply,
    naive_bayes,
    normalize,
    retrieve,
    sample_bootstrapping,
    select_top_k,
    weight_by_random_forest,
    weight_by_relief,
    weight_by_sam,
    write_csv,
)


def executed(script, *inputs, file="script.py"):
    names = {"__name__": "exported", "__file__": str(file)}
    exec(script, names)  # noqa: S102 - it is our own text
    return names["main"](*inputs)


def agree(process, *inputs, **options):
    found = executed(python_script(process, **options), *inputs)
    assert all(a.equals(b) for a, b in zip(run(process, *inputs), found, strict=True))
    return found


@pytest.fixture
def process():
    return Process("Mine")


@pytest.fixture
def golf(process):
    return process.add(retrieve, repository_entry="golf", name="Golf")


def test_what_is_at_its_default_is_left_out(process, golf):
    process.result(process.add(select_top_k, process.add(weight_by_relief, golf), k=10))
    script = python_script(process)
    assert "select_top_k(weights)" in script
    assert "k=" not in script


def test_a_disabled_operator_hands_on_what_it_is_given(process, golf):
    scaled = process.add(normalize, golf)
    scaled.enabled = False
    process.result(process.add(weight_by_relief, scaled))
    script = python_script(process)
    assert "# Normalize is disabled." in script
    assert "normalize(" not in script
    agree(process)


def test_what_a_disabled_operator_cannot_hand_on_is_missing(process, golf):
    weighted = process.add(weight_by_relief, golf)
    weighted.enabled = False
    process.result(process.add(select_top_k, weighted))
    with pytest.raises(PortError, match='Select Top k: The input "weights" is missing'):
        python_script(process)


def test_multiply_needs_no_call(process, golf):
    copies = process.add(multiply, golf)
    process.result(process.add(weight_by_relief, copies["output 1"]))
    process.result(process.add(weight_by_relief, copies["output 2"]))
    script = python_script(process)
    assert "multiply" not in script
    assert 'name="Weight by Relief (2)"' in script
    agree(process)


def test_notes_become_comments_and_the_description_the_head(process, golf):
    process.description = Note('Says """much""" \\ more.')
    process.notes.append(Note("About all.\nAnd more."))
    golf.note = Note("About the data.")
    process.result(golf)
    script = python_script(process, source="mine.xml")
    for remark in ("# About all.\n", "# And more.\n", "# About the data.\n", "from mine.xml"):
        assert remark in script
    agree(process)


def test_macros_stay_and_are_given_to_the_run(process, golf):
    process.macros["k"] = "2"
    process.result(process.add(select_top_k, process.add(weight_by_relief, golf), k="%{k}"))
    script = python_script(process)
    assert 'macros={"k": "2"}' in script
    assert 'k="%{k}"' in script
    agree(process)


def test_files_are_looked_for_where_the_process_lies(process, golf, tmp_path):
    process.folder = tmp_path
    process.result(process.add(write_csv, golf, path="out.csv"))
    script = python_script(process, folder="../there")
    assert 'folder=Path(__file__).parent / "../there"' in script
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    executed(script, file=tmp_path / "here" / "script.py")
    assert (tmp_path / "there" / "out.csv").exists()


def test_random_numbers_depend_on_the_name_also_of_those_not_declared_random(process):
    iris = process.add(retrieve, repository_entry="iris")
    process.result(process.add(weight_by_random_forest, iris, name="Forest"))
    assert 'name="Forest"' in python_script(process)
    agree(process)


def test_inputs_of_the_process_are_arguments(process, two_classes):
    for name in ("inputs", "Inputs"):
        process.result(process.add(sample_bootstrapping, process.source(), name=name))
    script = python_script(process)
    assert "def main(*inputs):" in script
    assert "__main__" not in script
    agree(process, two_classes)


def test_names_of_python_and_of_operators_are_not_taken(process, golf):
    for name in ("lambda", "print", "weight_by_sam", "1st", "Größe µ", "—"):
        process.result(process.add(weight_by_relief, golf, name=name))
    agree(process)


@pytest.mark.parametrize("name", ["Body", "Loop Body"])
def test_a_variable_does_not_hide_the_function_of_an_inner_process(process, golf, name):
    rows = process.add(sample_bootstrapping, golf, name=name)
    for number in range(2):
        repeated = process.add(loop, rows, iterations=2)
        body = repeated.inner("body")
        drawn = body.add(sample_bootstrapping, body.source())
        body.result(body.add(sample_bootstrapping, drawn, name=f"Body{number}"))
        process.result(repeated)
    agree(process)


@pytest.mark.parametrize(
    "names", [("fit", "\ufb01t"), ("χ²", "½ table"), ("ｆｓｏｐｓ", "𝐫𝐞𝐭𝐫𝐢𝐞𝐯𝐞")]
)
def test_names_that_python_reads_otherwise_stay_apart(process, golf, names):
    for name in names:
        process.result(process.add(sample_bootstrapping, golf, name=name))
    first, second = agree(process)
    assert not first.equals(second)


def test_functions_of_the_same_name_stay_apart(process, golf, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    source = """
from fsops import ExampleSet, operator

@operator(group="Test", key="{module}_{name}")
def {name}(examples: ExampleSet) -> ExampleSet:
    \"""{module} {name}\"""
    return examples.take(range({rows}))
"""
    wanted = [("one", "normalize"), ("two", "normalize"), ("three", "print"), ("four", "other")]
    for rows, (stem, name) in enumerate(wanted, start=1):
        module = f"export_{stem}"
        (tmp_path / f"{module}.py").write_text(source.format(module=module, name=name, rows=rows))
        process.result(process.add(getattr(importlib.import_module(module), name), golf))
    process.result(process.add(normalize, golf))
    script = python_script(process)
    assert "from export_two import normalize as export_two_normalize\n" in script
    assert "from export_four import other\n" in script
    assert [len(rows) for rows in agree(process)] == [1, 2, 3, 4, 14]


def test_texts_with_quotes_and_lines_arrive_as_they_are(process, golf):
    process.macros["x"] = 'it\'s "so"\n\\n %'
    process.result(process.add(weight_by_relief, golf))
    assert len(agree(process)) == 1


def test_an_inner_process_of_one_operator_is_that_operator(process, golf):
    @operator(group="Test")
    def measure(examples: ExampleSet) -> PerformanceVector:
        """Measure"""

    validation = process.add(cross_validation, golf)
    training = validation.inner("training")
    training.result(training.add(naive_bayes, training.source()))
    testing = validation.inner("testing")
    testing.result(testing.add(measure, testing.source("test_set")))
    process.result(validation["performance"])
    with pytest.raises(UsageError, match="declared where no other script can import it"):
        python_script(process)
    testing["Measure"].enabled = False
    assert "training=naive_bayes," in python_script(process)


def test_an_operator_that_is_not_installed_is_told(process, golf):
    process.insert(Node("Foreign", placeholder("foreign:thing"), process))
    with pytest.raises(UsageError, match='Foreign: "foreign:thing" is not installed'):
        python_script(process)


def test_an_operator_that_is_not_installed_may_be_disabled(process, golf):
    process.insert(Node("Foreign", placeholder("foreign:thing"), process, enabled=False))
    process.result(golf)
    assert "# Foreign is disabled." in python_script(process)
    agree(process)


def test_a_wrong_parameter_is_told_with_its_place(process, golf):
    process.add(weight_by_relief, golf, no_such=1)
    with pytest.raises(ParameterError, match='Weight by Relief: There is no parameter "no_such"'):
        python_script(process)


def test_a_missing_input_is_told(process):
    process.add(weight_by_sam)
    with pytest.raises(PortError, match='Weight by SAM: The input "examples" is missing'):
        python_script(process)


def test_a_missing_input_of_multiply_is_told(process):
    process.result(process.add(multiply)["output 1"])
    with pytest.raises(PortError, match='Multiply: The input "input" is missing'):
        python_script(process)


@pytest.mark.parametrize(
    "value",
    ["it's", 'a "b"', "a\\b", "é\n", {"a": ["b", (1,), (2, "c")]}, 0.1, True, None, [], {}],
)
def test_literals_are_read_back(value):
    assert eval(literal(value)) == value  # noqa: S307


def test_slugs_are_names():
    assert [slug(text) for text in ("Select Top k", "60 rows", "", "a-b/c")] == [
        "select_top_k", "step_60_rows", "step", "a_b_c",
    ]  # fmt: skip
    names = Names({"print"})
    assert [names.new("Print"), names.new("Print"), names.new("x", "y"), names.new("x", "y")] == [
        "print_", "print_2", "x", "y",
    ]  # fmt: skip


def test_names_inside_and_outside_do_not_hide_each_other():
    names = Names(set())
    first, second = names.inside(), names.inside()
    assert [first.new("x"), second.new("x"), names.new("x", "y"), first.new("y")] == [
        "x", "x", "y", "y_",
    ]  # fmt: skip


@given(st.text())
def test_every_text_has_a_slug_that_python_reads_as_it_stands(text):
    assert slug(text).isidentifier()
    assert unicodedata.normalize("NFKC", slug(text)) == slug(text)


def test_long_brackets_get_a_line_for_each_part():
    assert bracketed("f", "(", ["a", "b"], ")") == "f(a, b)"
    parts = [str(number) * 30 for number in range(4)]
    assert bracketed("f", "(", parts, ")").count("\n") == 5


def test_a_long_script_keeps_to_the_width(process, golf):
    for number in range(12):
        process.result(process.add(weight_by_relief, golf, name=f"{'Very long name ' * 3}{number}"))
    assert max(map(len, python_script(process).splitlines())) <= 100
    assert np.isfinite(agree(process)[0].values).all()
