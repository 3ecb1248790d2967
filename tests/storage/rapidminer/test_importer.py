"""What becomes of RapidMiner's operators, settings and connections."""

import pytest

from fsops.core.declare.parameters import check_parameters
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.plugins import plugins
from fsops.storage import parse_process
from fsops.storage.rapidminer.importer import translate
from fsops.storage.rapidminer.report import Ignored
from fsops.storage.rapidminer.rules import CLASSES, EXTENSION, RULES
from fsops.storage.safe_xml import parse_xml


def effects(report):
    return {item.parameter: item.effect for item in report.ignored}


# --- operators ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("x_validation", "cross_validation"),
        ("concurrency:cross_validation", "cross_validation"),
        ("XValidation", "cross_validation"),
        ("parallel_decision_tree", "decision_tree"),
        ("concurrency:parallel_random_forest", "random_forest"),
        ("legacy:write_weights", "write_weights"),
        ("blending:split_data", "split_data"),
        ("concurrency:normalize", "normalize"),
        ("weight_by_relief", "weight_by_relieff"),
        ("weka:performance_cfs", "performance_cfs"),
        ("anything:weight_by_sam", "weight_by_sam"),
        ("anything:select_by_mrmr", "select_by_mrmr_cfs"),
        ("AttributeWeightSelection", "select_by_weights"),
    ],
)
def test_other_names_of_an_operator_are_known(single, theirs, ours):
    node, report = single(theirs)
    assert node.operator.key == ours
    assert [(m.theirs, m.ours) for m in report.mapped] == [(theirs, ours)]


@pytest.mark.parametrize("key", ["fp_growth", "odd:normalize", "weka:W-J48", "h2o:k_nn"])
def test_an_operator_that_is_not_known_is_kept_as_it_is(single, key):
    node, report = single(key, '<list key="x"><parameter key="a" value="b"/></list>', k="-1")
    assert node.operator.is_placeholder
    assert node.operator.key == key
    assert node.parameters == {"k": "-1", "x": [("a", "b")]}
    assert [m.theirs for m in report.missing] == [key]
    assert report.ignored == []


def test_every_rule_leads_to_an_operator():
    registry = plugins().registry
    named = [rule.becomes for rule in RULES.values() if rule.becomes]
    assert [key for key in (*named, *EXTENSION.values()) if key not in registry] == []
    assert [key for key in CLASSES.values() if registry.find(key).is_placeholder] == []


def test_every_value_of_a_rule_is_one_the_operator_takes():
    registry = plugins().registry
    for key, rule in RULES.items():
        operator = registry.find(rule.becomes or key)
        known = {p.name: p for p in operator.parameters}
        for name in {*rule.values, *rule.substitutes} & set(known):
            for value in {**rule.values.get(name, {}), **rule.substitutes.get(name, {})}.values():
                known[name].check(value)


# --- settings -------------------------------------------------------------------------------------


def test_settings_we_do_not_have_are_ignored_and_reported(single):
    node, report = single("support_vector_machine_libsvm", svm_type="nu-SVC")
    assert "svm_type" not in node.parameters
    assert Ignored("A", "svm_type", "nu-SVC", "changes the result") in report.ignored
    assert ("A", 'svm_type = "nu-SVC" is ignored: that changes the result.') in report.effects


def test_a_neutral_value_changes_nothing(single):
    _, report = single(
        "linear_regression", feature_selection="none", eliminate_colinear_features="false"
    )
    assert report.effects == []


def test_linear_regression_selects_as_in_rapidminer(single):
    node, report = single("linear_regression")
    expected = {"feature_selection": "M5 prime", "remove_collinear_attributes": "true"}
    assert node.parameters == expected
    assert report.effects == []
    node, report = single("linear_regression", feature_selection="greedy")
    assert node.parameters["feature_selection"] == "M5 prime"
    assert ['"greedy"' in text for _, text in report.effects] == [True]


def test_a_setting_nobody_knows_may_change_the_result(single):
    _, report = single("naive_bayes", odd="1")
    assert effects(report) == {"odd": "may change the result"}


@pytest.mark.parametrize(
    ("key", "name", "index", "word"),
    [
        ("x_validation", "sampling_type", "2", "stratified sampling"),
        ("select_by_weights", "weight_relation", "5", "top k"),
        ("optimize_selection", "selection_direction", "1", "backward"),
        ("support_vector_machine", "kernel_type", "1", "rbf"),
        ("support_vector_machine_libsvm", "kernel_type", "0", "linear"),
        ("replace_missing_values", "default", "4", "zero"),
        ("principal_component_analysis", "dimensionality_reduction", "2", "fixed number"),
        ("normalize", "method", "1", "range transformation"),
        ("sample", "sample", "1", "relative"),
        ("sample_bootstrapping", "sample", "0", "absolute"),
        ("weight_by_deviation", "normalize", "3", "maximum"),
        ("optimize_selection_forward", "stopping_behavior", "1", "without increase of at least"),
        ("optimize_selection_backward", "stopping_behavior", "1", "with decrease of more than"),
        ("extract_performance", "statistics", "3", "count"),
        ("extract_performance", "optimization_direction", "1", "maximize"),
        ("performance_attribute_count", "optimization_direction", "1", "maximization"),
        ("performance_classification", "main_criterion", "3", "kappa"),
        ("performance_binominal_classification", "main_criterion", "5", "AUC"),
        ("performance_regression", "main_criterion", "8", "squared_error"),
        ("filter_examples", "condition_class", "3", "no_missing_attributes"),
        ("branch", "condition_type", "2", "min_examples"),
        ("generate_data", "target_function", "28", "two gaussians classification"),
    ],
)
def test_numbers_of_categories_become_words(single, key, name, index, word):
    node, _ = single(key, version="5.0", **{name: index})
    assert node.parameters[node.operator.parameter(name).name] == word
    check_parameters(node.operator.parameters, node.parameters)


def test_the_order_of_statistics_is_that_of_the_operator(single):
    node, _ = single("extract_macro", version="5.0", macro="m", statistics="3")
    assert node.parameters["statistics"] == "min"
    node, _ = single("extract_performance", version="5.0", statistics="2")
    assert node.parameters["statistics"] == "max"


def test_words_are_tried_before_numbers(single):
    node, _ = single("x_validation", sampling_type="shuffled sampling", number_of_validations="2")
    assert node.parameters == {"sampling": "shuffled sampling", "number_of_folds": "2"}


def test_criteria_become_a_list(single):
    node, report = single(
        "performance_classification",
        '<parameter key="cross-entropy" value="true"/>',
        accuracy="false", kappa="true", classification_error="true", margin="false",
        main_criterion="kappa",
    )  # fmt: skip
    assert node.parameters["criteria"] == ["kappa", "classification_error"]
    assert node.parameters["main_criterion"] == "kappa"
    assert effects(report) == {"cross-entropy": "leaves this criterion out"}


def test_without_criteria_the_first_is_measured(single):
    node, _ = single("performance_regression")
    assert node.parameters["criteria"] == ["root_mean_squared_error"]


def test_a_main_criterion_that_is_not_known_gives_way_to_the_first(single):
    node, report = single("performance_classification", main_criterion="margin")
    assert node.parameters["main_criterion"] == "first"
    assert "margin" in report.effects[0][1]


def test_a_positive_class_counts_only_if_it_is_switched_on(single):
    node, _ = single("performance_binominal_classification", positive_class="yes")
    assert "positive_class" not in node.parameters
    switched = {"positive_class": "yes", "manually_set_positive_class": "true"}
    node, _ = single("performance_binominal_classification", **switched)
    assert node.parameters["positive_class"] == "yes"


def test_wrapper_validations_scale_by_the_weights(single):
    node, _ = single("wrapper_x_validation", number_of_validations="5")
    assert node.parameters == {
        "number_of_folds": "5",
        "sampling": "stratified sampling",
        "scale_by_weights": "true",
    }


def test_libsvm_does_not_scale_and_calls_the_tube_p(single):
    node, report = single(
        "support_vector_machine_libsvm", epsilon="0.01", p="0.2", svm_type="nu-SVR"
    )
    assert node.parameters == {
        "C": "0.0", "kernel_type": "rbf", "degree": "3", "coef0": "0.0", "scaling": "false",
        "epsilon": "0.2",
    }  # fmt: skip
    assert effects(report) == {
        "epsilon": "changes the last digits",
        "svm_type": "changes the result",
    }


def test_the_neural_kernel_has_its_own_numbers(single):
    given = {"kernel_type": "neural", "kernel_a": "0.5", "kernel_b": "-1.0", "kernel_gamma": "9"}
    node, _ = single("support_vector_machine", **given)
    values = node.parameters
    assert (values["kernel_type"], values["gamma"], values["coef0"]) == ("sigmoid", "0.5", "-1.0")


def test_trees_without_limits(single):
    node, report = single(
        "parallel_decision_tree", maximal_depth="-1", apply_prepruning="false",
        apply_pruning="false", criterion="gini_index",
    )  # fmt: skip
    checked = check_parameters(node.operator.parameters, node.parameters)
    assert checked["max_depth"] is None
    assert (checked["apply_prepruning"], checked["apply_pruning"]) == (False, False)
    assert report.effects == []


def test_trees_are_grown_and_pruned_as_in_rapidminer(single):
    node, report = single("decision_tree", no_pruning="true", maximal_depth="5")
    checked = check_parameters(node.operator.parameters, node.parameters)
    assert (checked["algorithm"], checked["criterion"]) == ("c4.5", "gain_ratio")
    assert (checked["apply_pruning"], checked["max_depth"]) == (False, 4)
    assert report.effects == []


@pytest.mark.parametrize(
    ("settings", "measure"),
    [
        ({}, "MixedEuclideanDistance"),
        ({"mixed_measure": "MixedEuclideanDistance", "numerical_measure": "CosineSimilarity"},
         "MixedEuclideanDistance"),
        ({"measure_types": "NumericalMeasures", "numerical_measure": "ManhattanDistance"},
         "ManhattanDistance"),
        ({"measure_types": "NumericalMeasures"}, "EuclideanDistance"),
    ],
)  # fmt: skip
def test_the_measure_in_use_is_taken(single, settings, measure):
    node, _ = single("k_nn", k="3", **settings)
    assert node.parameters == {
        "number_of_neighbors": "3",
        "metric": measure,
        "compatibility": "rapidminer",
    }


def test_exceptions_that_are_off_are_left_out(single):
    node, report = single(
        "select_attributes", attribute_filter_type="regular_expression", regular_expression="a.*",
        except_regular_expression="ab", use_except_expression="false", attribute="", attributes="",
        value_type="time", block_type="value_matrix", except_block_type="x",
        use_block_type_exception="false",
    )  # fmt: skip
    assert node.parameters == {
        "attribute_filter_type": "regular_expression",
        "regular_expression": "a.*",
        "value_type": "date_time",
    }
    assert report.effects == []


def test_aggregations_keep_their_functions_and_groups(single):
    pairs = "".join(
        f'<parameter key="{k}" value="{v}"/>' for k, v in {"a": "average", "b": "mode"}.items()
    )
    node, report = single(
        "aggregate",
        f'<list key="aggregation_attributes">{pairs}</list>',
        group_by_attributes="c|d",
        count_all_combinations="false",
        use_except_expression="false",
    )
    checked = check_parameters(node.operator.parameters, node.parameters)
    assert checked["aggregation_attributes"] == {"a": "average", "b": "mode"}
    assert checked["group_by_attributes"] == ["c", "d"]
    assert not any(effects(report).values())
    _, report = single("aggregate", count_all_combinations="true")
    assert effects(report)["count_all_combinations"]


def test_names_that_are_not_in_use_are_left_out(single):
    given = {"attribute": "old", "attributes": "a|b"}
    node, _ = single("select_attributes", attribute_filter_type="subset", **given)
    assert node.parameters == {"attribute_filter_type": "subset", "attributes": "a|b"}
    node, _ = single("select_attributes", attribute_filter_type="single", **given)
    assert node.parameters == {"attribute_filter_type": "single", "attribute": "old"}


def test_the_filter_of_rapidminer_10_becomes_the_older_one(single):
    node, _ = single(
        "blending:select_attributes", type="exclude attributes", attribute_filter_type="a subset",
        select_subset="a\u241eb|c", **{"also_apply_to_special_attributes_(id,_label..)": "true"},
    )  # fmt: skip
    checked = check_parameters(node.operator.parameters, node.parameters)
    assert checked["attributes"] == ["a", "b|c"]
    assert checked["attribute_filter_type"] == "subset"
    assert checked["invert_selection"] is True
    assert checked["include_special_attributes"] is True


def test_roles_of_rapidminer_10_become_one_role_and_a_list(single):
    pairs = '<parameter key="y" value="label"/><parameter key="n" value="id"/>'
    node, _ = single("blending:set_role", f'<list key="set_roles">{pairs}</list>')
    checked = check_parameters(node.operator.parameters, node.parameters)
    assert (checked["attribute"], checked["target_role"]) == ("y", "label")
    assert checked["set_additional_roles"] == {"n": "id"}


def test_columns_of_a_file_keep_their_roles(single):
    columns = ("no.true.integer.id", r"body\.mass.true.real.attribute", "x.false.real.attribute",
               "kind.true.polynominal.label", "w.true.real.weight")  # fmt: skip
    items = "".join(f'<parameter key="{i}" value="{c}"/>' for i, c in enumerate(columns))
    node, report = single(
        "read_csv",
        f'<list key="data_set_meta_data_information">{items}</list>',
        csv_file="a.csv",
        encoding="SYSTEM",
    )
    checked = check_parameters(node.operator.parameters, node.parameters)
    assert (checked["label"], checked["id"], checked["skip"]) == ("kind", "no", ["x"])
    assert checked["types"] == {"kind": "polynominal"}
    assert (checked["column_separator"], checked["encoding"]) == (";", "utf-8")
    assert report.effects == [("A", '"w" has the role "weight": add Set Role for it.')]


def test_an_operator_of_old_codes_by_numbers(single):
    old = single("nominal_to_numerical", about='compatibility="5.2.008"')[0]
    new = single("nominal_to_numerical", about='compatibility="5.3.000"')[0]
    assert old.parameters == {"coding_type": "unique integers"}
    assert new.parameters == {}


def test_an_old_seed_is_switched_on(single):
    node, _ = single("x_validation", version="5.0", local_random_seed="7")
    assert node.parameters == {"local_random_seed": "7", "use_local_random_seed": "true"}
    node, _ = single("x_validation", version="5.0", local_random_seed="-1")
    assert node.parameters == {}
    node, _ = single("x_validation", local_random_seed="7")
    assert node.parameters == {"local_random_seed": "7"}


def test_no_fitness_is_enough_by_default(single):
    node, _ = single("optimize_selection_evolutionary", maximal_fitness="Infinity")
    assert node.parameters == {}


def test_whole_numbers_have_no_fraction(single):
    node, _ = single("support_vector_machine", kernel_type="polynomial", kernel_degree="3.0")
    assert node.parameters["degree"] == "3"


def test_settings_of_other_operators_are_renamed_where_they_are_named(imported):
    process, _ = imported(
        """<operator class="concurrency:optimize_parameters_grid" name="Grid">
          <list key="parameters"><parameter key="CV.number_of_validations" value="2,3"/>
            <parameter key="SVM.p" value="0.1,0.2"/></list>
          <process>
            <operator class="x_validation" name="CV"/>
            <operator class="support_vector_machine_libsvm" name="SVM"/>
            <operator class="log" name="Log">
              <list key="log"><parameter key="n" value="operator.CV.parameter.number_of_validations"/>
                <parameter key="p" value="operator.CV.value.performance1"/>
                <parameter key="g" value="operator.Grid.value.best"/>
                <parameter key="o" value="operator.Gone.value.performance"/></list>
            </operator>
          </process></operator>"""
    )
    grid = process["Grid"]
    assert dict(grid.parameters["parameters"]) == {
        "CV.number_of_folds": "2,3",
        "SVM.epsilon": "0.1,0.2",
    }
    assert dict(grid.inner()["Log"].parameters["log"]) == {
        "n": "operator.CV.parameter.number_of_folds",
        "p": "operator.CV.value.performance",
    }


# --- connections ----------------------------------------------------------------------------------


def test_outputs_that_pass_an_input_on_are_connected_to_its_source(imported):
    process, report = imported(
        """<operator class="retrieve" name="Data"/>
        <operator class="weight_by_gini_index" name="Gini"/>
        <operator class="weight_by_deviation" name="Deviation"/>
        <operator class="select_by_weights" name="Select"/>
        <operator class="k_nn" name="Learner"/>
        <connect from_op="Data" from_port="output" to_op="Gini" to_port="example set"/>
        <connect from_op="Gini" from_port="example set" to_op="Deviation" to_port="example set"/>
        <connect from_op="Deviation" from_port="example set" to_op="Select" to_port="example set input"/>
        <connect from_op="Gini" from_port="weights" to_op="Select" to_port="weights"/>
        <connect from_op="Select" from_port="original" to_op="Learner" to_port="training set"/>
        <connect from_op="Select" from_port="weights" to_port="result 1"/>
        <connect from_op="Learner" from_port="exampleSet" to_port="result 2"/>"""
    )
    assert process.connections == [
        Connection("Data", "examples", "Gini", "examples"),
        Connection("Data", "examples", "Deviation", "examples"),
        Connection("Data", "examples", "Select", "examples"),
        Connection("Data", "examples", "Learner", "examples"),
        Connection("Data", "examples", SINK, "result 2"),
        Connection("Gini", "weights", "Select", "weights"),
        Connection("Gini", "weights", SINK, "result 1"),
    ]
    assert report.remarks == []


def test_an_output_that_would_pass_nothing_on_is_left_out(imported):
    process, report = imported(
        '<operator class="weight_by_gini_index" name="W"/>'
        '<connect from_op="W" from_port="example set" to_port="result 1"/>'
    )
    assert process.connections == []
    assert report.effects == [
        (
            "W",
            "The connection to the process.result 1 is left out: nothing comes out of W.example set.",
        )
    ]


def test_a_circle_of_outputs_that_pass_on_ends(imported):
    process, _ = imported(
        '<operator class="weight_by_gini_index" name="W"/>'
        '<connect from_op="W" from_port="example set" to_op="W" to_port="example set"/>'
    )
    assert len(process.connections) == 1


def test_training_means_another_port_inside_than_outside(imported):
    process, _ = imported(
        """<operator class="retrieve" name="Data"/>
        <operator class="x_validation" name="V">
          <process>
            <operator class="k_nn" name="Learner"/>
            <connect from_port="training" to_op="Learner" to_port="training set"/>
            <connect from_op="Learner" from_port="model" to_port="model"/>
          </process>
          <process>
            <operator class="apply_model" name="Apply"/>
            <operator class="performance" name="P"/>
            <connect from_port="model" to_op="Apply" to_port="model"/>
            <connect from_port="test set" to_op="Apply" to_port="unlabelled data"/>
            <connect from_op="Apply" from_port="labelled data" to_op="P" to_port="labelled data"/>
            <connect from_op="P" from_port="performance" to_port="averagable 1"/>
          </process>
        </operator>
        <connect from_op="Data" from_port="output" to_op="V" to_port="training"/>
        <connect from_op="V" from_port="training" to_port="result 1"/>
        <connect from_op="V" from_port="averagable 1" to_port="result 2"/>"""
    )
    assert process.connections == [
        Connection("Data", "examples", "V", "examples"),
        Connection("Data", "examples", SINK, "result 1"),
        Connection("V", "performance", SINK, "result 2"),
    ]
    training, testing = process["V"].subprocesses
    assert training.connections == [
        Connection(SOURCE, "training_set", "Learner", "examples"),
        Connection("Learner", "model", SINK, "model"),
    ]
    assert Connection("P", "performance", SINK, "performance") in testing.connections


def test_normalized_weights_become_an_operator_of_their_own(imported):
    process, report = imported(
        """<operator class="weight_by_gini_index" name="W" x="5" y="7">
          <parameter key="normalize_weights" value="true"/></operator>
        <operator class="weight_by_pca" name="P">
          <parameter key="normalize_weights" value="true"/></operator>
        <operator class="weights_to_data" name="D"/>
        <connect from_op="W" from_port="weights" to_op="D" to_port="attribute weights"/>"""
    )
    added = process["W (normalize weights)"]
    assert added.operator.key == "normalize_weights"
    assert added.position == {"x": 5, "y": 107}
    assert process.connections == [
        Connection("W", "weights", added.name, "weights"),
        Connection(added.name, "weights", "D", "weights"),
    ]
    assert "P (normalize weights)" not in process  # nothing comes out of it
    assert report.effects == []


def test_min_max_moves_behind_the_validation(imported):
    process, _ = imported(
        """<operator class="x_validation" name="V">
          <process/>
          <process>
            <operator class="performance" name="P"/>
            <operator class="performance_min_max" name="M"/>
            <connect from_op="P" from_port="performance" to_op="M" to_port="performance vector"/>
            <connect from_op="M" from_port="performance vector" to_port="averagable 1"/>
          </process>
        </operator>
        <connect from_op="V" from_port="averagable 1" to_port="result 1"/>"""
    )
    assert [node.name for node in process] == ["V", "M"]
    assert process.connections == [
        Connection("V", "performance", "M", "performance"),
        Connection("M", "performance", SINK, "result 1"),
    ]
    assert process["V"].subprocesses[1].connections == [
        Connection("P", "performance", SINK, "performance")
    ]


def test_the_model_of_a_grid_search_is_one_of_its_results(imported):
    process, _ = imported(
        """<operator class="concurrency:optimize_parameters_grid" name="Grid">
          <process>
            <operator class="multiply" name="M"/>
            <connect from_op="M" from_port="output 1" to_port="output 1"/>
            <connect from_op="M" from_port="output 2" to_port="model"/>
          </process>
        </operator>
        <connect from_op="Grid" from_port="model" to_port="result 1"/>
        <connect from_op="Grid" from_port="output 1" to_port="result 2"/>
        <connect from_op="Grid" from_port="parameter set" to_port="result 3"/>"""
    )
    assert process.connections == [
        Connection("Grid", "best", SINK, "result 3"),
        Connection("Grid", "result 1", SINK, "result 2"),
        Connection("Grid", "result 2", SINK, "result 1"),
    ]
    inside = process["Grid"].inner().connections
    assert [c.to_port for c in inside] == ["result 1", "result 2"]


def test_data_beside_the_process_is_reported():
    data = b"""<process version="9.7"><context><input><location/><location>//x/y</location></input>
      <output/></context><operator class="process" name="P"><process/></operator></process>"""
    report = translate(parse_xml(data), plugins().registry)
    assert report.effects == [
        ("Process", '"//x/y" at the port input 2 of the process is left out: put Retrieve there.')
    ]


# --- which files ----------------------------------------------------------------------------------


def test_our_files_are_not_translated(imported):
    process, _ = imported('<operator class="weight_by_relief" name="R"/>', version="fsops-1")
    assert process["R"].operator.key == "weight_by_relief"


def test_an_export_without_version_is_known_by_its_operators():
    data = b"""<operator class="process" name="P" compatibility="5.0"><process>
      <operator class="weight_by_relief" name="R"/></process></operator>"""
    assert parse_process(data)["R"].operator.key == "weight_by_relieff"
    plain = data.replace(b' compatibility="5.0"', b"")
    assert parse_process(plain)["R"].operator.key == "weight_by_relief"
