"""Processes of RapidMiner whose ports, settings or operators differ from ours run."""

import numpy as np
import pytest

from fsops import run
from fsops.core import validate
from fsops.core.checks.problems import Severity
from fsops.errors import ProcessFileError
from fsops.plugins import plugins
from fsops.storage import format_process, parse_process, read_process, write_process

DATA = (
    '<operator class="generate_data" name="R"><parameter key="target_function" '
    'value="sum classification"/><parameter key="number_examples" value="40"/></operator>'
)
TO = '<connect from_op="R" from_port="output" to_op="A" to_port="{}"/>'
OUT = '<connect from_op="A" from_port="{}" to_port="result {}"/>'


@pytest.fixture
def results(imported):
    """Return a function that imports operators behind R, runs them, and returns the results."""

    def read(content, version="9.7.000"):
        process, _ = imported(DATA + content, version)
        problems = validate(process, plugins().registry)
        assert [p.message for p in problems if p.severity is Severity.ERROR] == []
        return run(process).results

    return read


def test_numbers_of_value_types_and_joins_become_words(single):
    node, _ = single("normalize", version="5.0", attribute_filter_type="4", value_type="4")
    assert node.parameters["value_type"] == "real"
    node, _ = single("normalize", version="5.0", attribute_filter_type="0", value_type="0")
    assert node.parameters["value_type"] == "attribute_value"
    assert single("join", version="5.0", join_type="0")[0].parameters["join_type"] == "inner"


NORMALIZE_ONE = (
    '<operator class="normalize" name="N"><parameter key="attribute_filter_type" value="single"/>'
    '<parameter key="attribute" value="%{a}"/></operator>'
)


def test_the_new_loop_over_attributes_has_numbered_inputs(results):
    (tables,) = results(
        '<operator class="concurrency:loop_attributes" name="A">'
        f'<parameter key="attribute_name_macro" value="a"/><process>{NORMALIZE_ONE}'
        '<connect from_port="input 1" to_op="N" to_port="example set input"/>'
        '<connect from_op="N" from_port="example set output" to_port="output 1"/></process>'
        "</operator>" + TO.format("input 1") + OUT.format("output 1", 1)
    )
    assert len(tables) == 5
    deviations = np.array([table.numeric().std(axis=0, ddof=1) for table in tables])
    assert np.isclose(deviations, 1).sum(axis=1).tolist() == [1] * 5


def test_the_old_loop_over_attributes_hands_its_table_on(results):
    table, originals = results(
        '<operator class="loop_attributes" name="A">'
        f'<parameter key="iteration_macro" value="a"/><process>{NORMALIZE_ONE}'
        '<connect from_port="example set" to_op="N" to_port="example set input"/>'
        '<connect from_op="N" from_port="example set output" to_port="example set"/>'
        '<connect from_op="N" from_port="original" to_port="result 1"/></process></operator>'
        + TO.format("example set") + OUT.format("example set", 1) + OUT.format("result 1", 2),
        "5.3.000",
    )  # fmt: skip
    assert np.allclose(table.numeric().std(axis=0, ddof=1), 1)
    assert len(originals) == 5


def test_an_old_loop_that_returns_no_table_passes_its_input_on(results):
    (table,) = results(
        '<operator class="loop_attributes" name="A"><process/></operator>'
        + TO.format("example set") + OUT.format("example set", 1),
        "5.3.000",
    )  # fmt: skip
    assert table.numeric().std() > 2


def test_logistic_regression_of_h2o_has_no_penalty_and_no_limit_of_iterations(single):
    node, report = single("h2o:logistic_regression", max_iterations="0", solver="AUTO")
    assert node.parameters["regularization"] == "false"
    assert int(node.parameters["max_iterations"]) > 10_000
    assert report.effects == []
    node, report = single("h2o:logistic_regression", use_regularization="true")
    assert "regularization" not in node.parameters
    assert [operator for operator, _ in report.effects] == ["A"]


def test_set_role_of_early_files_calls_the_attribute_name(single):
    node, _ = single("set_role", version="5.0", name="Outlook", target_role="id")
    assert node.parameters == {"attribute": "Outlook", "target_role": "id"}


def test_outputs_of_a_branch_are_called_like_inputs(results):
    inner = '<process><connect from_port="condition" to_port="input 1"/></process>'
    (table,) = results(
        '<operator class="branch" name="A"><parameter key="condition_value" value="10"/>'
        f"{inner}{inner}</operator>" + TO.format("condition") + OUT.format("input 1", 1)
    )
    assert len(table) == 40


def test_bagging_calls_its_rows_the_training_set(results):
    (model,) = results(
        '<operator class="bagging" name="A"><process><operator class="naive_bayes" name="NB"/>'
        '<connect from_port="training set" to_op="NB" to_port="training set"/>'
        '<connect from_op="NB" from_port="model" to_port="model"/></process></operator>'
        + TO.format("training set") + OUT.format("model", 1)
    )  # fmt: skip
    assert model.name == "Bagging"


def test_learners_of_a_vote_get_a_process_each(imported):
    process, _ = imported(
        DATA + '<operator class="vote" name="A"><process>'
        '<operator class="normalize" name="N"/><operator class="naive_bayes" name="NB"/>'
        '<operator class="k_nn" name="K"/>'
        '<connect from_port="training set 1" to_op="N" to_port="example set input"/>'
        '<connect from_op="N" from_port="example set output" to_op="NB" to_port="training set"/>'
        '<connect from_op="NB" from_port="model" to_port="base model 1"/>'
        '<connect from_port="training set 2" to_op="K" to_port="training set"/>'
        '<connect from_op="K" from_port="model" to_port="base model 2"/></process></operator>'
        + TO.format("training set") + OUT.format("model", 1)
    )  # fmt: skip
    parts = process["A"].subprocesses
    assert [[node.name for node in part] for part in parts] == [["N", "NB"], ["K"]]
    assert run(process).results[0].name == "Vote"


VALIDATION = (
    '<process><operator class="naive_bayes" name="NB"/>'
    '<connect from_port="training" to_op="NB" to_port="training set"/>'
    '<connect from_op="NB" from_port="model" to_port="model"/></process>'
    '<process><operator class="apply_model" name="M"/><operator class="performance" name="P1"/>'
    '<operator class="performance_classification" name="P2">'
    '<parameter key="kappa" value="true"/></operator>'
    '<connect from_port="model" to_op="M" to_port="model"/>'
    '<connect from_port="test set" to_op="M" to_port="unlabelled data"/>'
    '<connect from_op="M" from_port="labelled data" to_op="P1" to_port="labelled data"/>'
    '<connect from_op="P1" from_port="performance" to_port="averagable 1"/>'
    '<connect from_op="P1" from_port="example set" to_op="P2" to_port="labelled data"/>'
    '<connect from_op="P2" from_port="performance" to_port="averagable 2"/></process></operator>'
)


def test_a_validation_averages_further_performances(results):
    first, second = results(
        f'<operator class="x_validation" name="A">{VALIDATION}' + TO.format("training")
        + OUT.format("averagable 1", 1) + OUT.format("averagable 2", 2),
        "5.3.000",
    )  # fmt: skip
    assert first.main.name == "accuracy"
    assert second.main.name == "kappa"
    assert first.main.count == second.main.count == 10


def test_results_of_loop_parameters_are_its_outputs(results):
    (tables,) = results(
        '<operator class="loop_parameters" name="A"><list key="parameters"><parameter '
        'key="N.method" value="Z-transformation,range transformation"/></list><process>'
        '<operator class="normalize" name="N"/>'
        '<connect from_port="input 1" to_op="N" to_port="example set input"/>'
        '<connect from_op="N" from_port="example set output" to_port="result 1"/></process>'
        "</operator>" + TO.format("input 1") + OUT.format("result 1", 1)
    )
    assert len(tables) == 2


def test_a_reader_takes_the_path_of_the_file_object(imported, tmp_path):
    (tmp_path / "x.csv").write_text("a;b\n1;2\n3;4\n")
    process, report = imported(
        f'<operator class="open_file" name="O"><parameter key="filename" value="{tmp_path}/x.csv"/>'
        '</operator><operator class="read_csv" name="C"/>'
        '<connect from_op="O" from_port="file" to_op="C" to_port="file"/>'
        '<connect from_op="C" from_port="output" to_port="result 1"/>'
    )
    assert [node.name for node in process] == ["C"]
    assert run(process).results[0].numeric().tolist() == [[1, 2], [3, 4]]
    assert any("Open File is not needed" in remark.text for remark in report.remarks)


def test_prefixes_of_file_connectors_are_known(single):
    assert single("advanced_file_connectors:read_arff")[0].operator.key == "read_arff"


def test_the_new_sort_takes_several_attributes(single):
    pairs = '<parameter key="x" value="ascending"/><parameter key="y" value="descending"/>'
    node, _ = single("blending:sort", f'<list key="sort_by">{pairs}</list>')
    assert node.operator.key == "sort"
    assert node.parameters["attribute"] == "x"
    assert node.parameters["sort_direction"] == "increasing"
    assert dict(node.parameters["sort_additionally_by"]) == {"y": "decreasing"}


def test_the_main_criterion_of_a_validation_can_be_logged(imported):
    process, report = imported(
        '<operator class="x_validation" name="V"/><operator class="log" name="L"><list key="log">'
        '<parameter key="acc" value="operator.V.value.performance main criterion"/>'
        '<parameter key="odd" value="operator.V.value.looptime"/></list></operator>'
    )
    assert dict(process["L"].parameters["log"]) == {"acc": "operator.V.value.performance"}
    assert any('no column "odd"' in text for _, text in report.effects)


# --- dates, pivots, templates ---------------------------------------------------------------------


def test_a_date_becomes_a_number_with_the_period_of_its_unit(single):
    node, report = single(
        "date_to_numerical",
        attribute_name="day",
        time_unit="half year",
        half_year_relative_to="year",
        day_relative_to="week",
    )
    assert node.parameters["relative_to"] == "year"
    assert node.parameters["compatibility"] == "rapidminer"
    assert report.effects == []


def test_both_generations_of_pivot_are_understood(single):
    old, _ = single("pivot", group_attribute="id", index_attribute="visit")
    assert old.parameters["group_by_attributes"] == ["id"]
    new, report = single(
        "blending:pivot",
        '<list key="aggregation_attributes"><parameter key="x" value="average"/></list>',
        group_by_attributes="id|sex",
        column_grouping_attribute="visit",
    )
    assert new.operator.key == "pivot"
    assert new.parameters["group_by_attributes"] == ["id", "sex"]
    assert new.parameters["index_attribute"] == "visit"
    assert dict(new.parameters["aggregation_attributes"]) == {"x": "average"}
    assert report.effects == []


def test_small_operators_are_known(single):
    for key in (
        "merge", "add", "trim", "cut", "superset", "union", "set_minus", "intersect", "de_pivot",
        "cartesian_product", "exchange_roles", "generate_copy", "parallel_random_forest", "id3",
    ):  # fmt: skip
        assert not single(key)[0].operator.is_placeholder, key


TEMPLATE = """<process version="5.0"><operator class="process" name="Root"><process>
<operator class="k_nn" name="FS"/></process></operator>
<title>Feature Selection</title><description>Applies a selection.</description>
<template-group>Model Optimization</template-group><template-parameters><template-parameter>
<operator>FS</operator><parameter>k</parameter></template-parameter></template-parameters></process>"""


def test_a_template_is_a_process_with_the_title_as_name():
    process = parse_process(TEMPLATE.encode(), plugins().registry)
    assert process.name == "Feature Selection"
    assert [node.name for node in process] == ["FS"]


BLOCK = """Transform
Replaces missing values.
icon.png
<?xml version="1.0" encoding="UTF-8" standalone="no"?>
<operator activated="true" class="subprocess" expanded="true" name="Transform"><process>
<operator class="replace_missing_values" name="R"><parameter key="default" value="3"/></operator>
<connect from_port="in 1" to_op="R" to_port="example set input"/>
<connect from_op="R" from_port="example set output" to_port="out 1"/></process></operator>
"""


def test_a_building_block_is_a_process_with_one_operator():
    registry = plugins().registry
    process = parse_process(BLOCK.encode(), registry)
    assert process.name == "Transform"
    inner = process["Transform"].subprocesses[0]
    assert inner["R"].parameters["default"] == "average"
    assert len(inner.graph.edges) == 2
    assert (
        parse_process(format_process(process), registry)["Transform"].operator.key == "subprocess"
    )


def test_words_before_anything_else_are_no_building_block(refused):
    with refused("does not start with <", error=ProcessFileError):
        parse_process(b"a\nb\nc\nd\n<operator class='subprocess' name='A'/>", plugins().registry)


def test_a_converted_process_keeps_its_name(tmp_path):
    data = b'<process version="9.7"><operator class="process" name="Process"><process/></operator></process>'
    registry = plugins().registry
    (tmp_path / "Process.rmp").write_bytes(data)
    process = read_process(tmp_path / "Process.rmp", registry)
    write_process(process, tmp_path / "other.xml")
    assert read_process(tmp_path / "other.xml", registry).name == process.name == "Process"


def test_macros_of_an_expression_are_read_as_numbers_also_those_above_it(single):
    node, _ = single(
        "generate_macro",
        '<list key="function_descriptions"><parameter key="a" value="eval(%{n}) + 1"/>'
        '<parameter key="b" value="parse(%{a}) * 2"/></list>',
    )
    made = dict(node.parameters["function_descriptions"])
    assert made == {"a": "(%{n}) + 1", "b": "((%{n}) + 1)) * 2".replace("((", "(((", 1)}


def test_a_learning_curve_passes_its_model_through(results):
    (table,) = results(
        '<operator class="create_learning_curve" name="A"><parameter key="training_ratio" '
        'value="0.7"/><parameter key="step_fraction" value="0.5"/><parameter key="start_fraction" '
        'value="0.5"/><process><operator class="naive_bayes" name="NB"/>'
        '<connect from_port="training set" to_op="NB" to_port="training set"/>'
        '<connect from_op="NB" from_port="model" to_port="through 1"/></process><process>'
        '<operator class="apply_model" name="AM"/><operator class="performance" name="P"/>'
        '<connect from_port="test set" to_op="AM" to_port="unlabelled data"/>'
        '<connect from_port="through 1" to_op="AM" to_port="model"/>'
        '<connect from_op="AM" from_port="labelled data" to_op="P" to_port="labelled data"/>'
        '<connect from_op="P" from_port="performance" to_port="performance"/></process></operator>'
        + TO.format("exampleSet") + OUT.format("examples", 1)
    )  # fmt: skip
    assert table.column("fraction").tolist() == [0.5, 1.0]


def test_work_on_subset_and_loop_and_deliver_best_have_rapidminers_ports(results):
    (table,) = results(
        '<operator class="work_on_subset" name="A"><parameter key="attribute_filter_type" '
        'value="single"/><parameter key="attribute" value="att1"/><process>'
        '<operator class="normalize" name="N"/>'
        '<connect from_port="exampleSet" to_op="N" to_port="example set input"/>'
        '<connect from_op="N" from_port="example set output" to_port="example set"/></process>'
        "</operator>" + TO.format("example set") + OUT.format("example set", 1)
    )  # fmt: skip
    assert np.isclose(table.numeric().std(axis=0, ddof=1), 1).sum() == 1
    performance, rows = results(
        '<operator class="loop_and_deliver_best" name="A"><parameter key="iterations" value="3"/>'
        '<process><operator class="sample" name="S"><parameter key="sample" value="relative"/>'
        '<parameter key="sample_ratio" value="0.5"/></operator>'
        '<operator class="extract_performance" name="P"/>'
        '<connect from_port="in 1" to_op="S" to_port="example set input"/>'
        '<connect from_op="S" from_port="example set output" to_op="P" to_port="example set"/>'
        '<connect from_op="P" from_port="performance" to_port="performance vector"/>'
        '<connect from_op="P" from_port="example set" to_port="out 1"/></process></operator>'
        + TO.format("in 1") + OUT.format("performance", 1) + OUT.format("out 1", 2)
    )  # fmt: skip
    assert performance.main.mean == len(rows) == 20
