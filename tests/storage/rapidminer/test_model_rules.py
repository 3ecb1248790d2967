"""RapidMiner's operators around models, clusters and thresholds run with their ports and settings."""

import pytest

from fsops import run
from fsops.core import validate
from fsops.core.checks.problems import Severity
from fsops.plugins import plugins

DATA = (
    '<operator class="generate_data" name="R"><parameter key="target_function" '
    'value="sum classification"/><parameter key="number_examples" value="40"/></operator>'
)
TO = '<connect from_op="R" from_port="output" to_op="{}" to_port="{}"/>'
OUT = '<connect from_op="{}" from_port="{}" to_port="result {}"/>'
BAYES = '<operator class="naive_bayes" name="{0}"/>'
INNER = (
    '<process><operator class="naive_bayes" name="B"/>'
    '<connect from_port="training set" to_op="B" to_port="training set"/>'
    '<connect from_op="B" from_port="model" to_port="model"/></process>'
)


@pytest.fixture
def results(imported):
    """Return a function that imports operators behind R, runs them, and returns the results."""

    def read(content):
        process, report = imported(DATA + content)
        assert [item.theirs for item in report.missing] == []
        problems = validate(process, plugins().registry)
        assert [p.message for p in problems if p.severity is Severity.ERROR] == []
        return run(process).results

    return read


@pytest.mark.parametrize(
    ("key", "settings"),
    [
        ("adaboost", '<parameter key="iterations" value="3"/>'),
        ("metacost", '<parameter key="cost_matrix" value="[0 1; 2 0]"/>'),
        (
            "polynomial_by_binomial_classification",
            '<parameter key="classification_strategies" value="random code (ECOC)"/>',
        ),
    ],
)
def test_learners_with_one_inner_process_get_their_ports(results, key, settings):
    (model,) = results(
        f'<operator class="{key}" name="A">{settings}{INNER}</operator>'
        + TO.format("A", "training set")
        + OUT.format("A", "model", 1)
    )
    assert model.label.name == "label"


def test_the_learners_of_stacking_are_divided_and_the_last_comes_first(results):
    (model,) = results(
        '<operator class="stacking" name="A"><parameter key="keep_all_attributes" value="false"/>'
        "<process>" + BAYES.format("B1") + '<operator class="k_nn" name="B2"/>'
        '<connect from_port="training set 1" to_op="B1" to_port="training set"/>'
        '<connect from_port="training set 2" to_op="B2" to_port="training set"/>'
        '<connect from_op="B1" from_port="model" to_port="base model 1"/>'
        '<connect from_op="B2" from_port="model" to_port="base model 2"/></process>'
        "<process>" + BAYES.format("L") + '<connect from_port="stacking examples" to_op="L" '
        'to_port="training set"/><connect from_op="L" from_port="model" to_port="stacking model"/>'
        "</process></operator>" + TO.format("A", "training set") + OUT.format("A", "model", 1)
    )
    assert [base.name for base in model.predictor.bases] == ["Naive Bayes", "k-NN"]


def test_clusters_are_measured_and_hierarchies_cut(results):
    measured, flat = results(
        '<operator class="multiply" name="M"/>'
        '<operator class="concurrency:k_means" name="A"><parameter key="k" value="2"/>'
        '<parameter key="measure_types" value="BregmanDivergences"/></operator>'
        '<operator class="cluster_distance_performance" name="P"/>'
        '<operator class="agglomerative_clustering" name="H"/>'
        '<operator class="flatten_clustering" name="F">'
        '<parameter key="number_of_clusters" value="4"/></operator>'
        + TO.format("M", "input")
        + '<connect from_op="M" from_port="output 1" to_op="A" to_port="example set"/>'
        '<connect from_op="M" from_port="output 2" to_op="H" to_port="example set"/>'
        '<connect from_op="A" from_port="cluster model" to_op="P" to_port="cluster model"/>'
        '<connect from_op="A" from_port="clustered set" to_op="P" to_port="example set"/>'
        '<connect from_op="H" from_port="cluster model" to_op="F" to_port="hierarchical"/>'
        '<connect from_op="H" from_port="example set" to_op="F" to_port="example set"/>'
        + OUT.format("P", "performance", 1)
        + OUT.format("F", "example set", 2)
    )
    assert measured.main.name == "avg_within_centroid_distance"
    assert len(flat.schema.attribute("cluster").categories) == 4


def test_thresholds_keep_rapidminers_formula_and_class_names(single):
    node, report = single(
        "find_threshold", define_labels="false", first_label="x", second_label="y"
    )
    assert node.parameters["compatibility"] == "rapidminer"
    assert "first_label" not in node.parameters
    assert report.ignored == []
    node, _ = single("find_threshold", define_labels="true", first_label="x", second_label="y")
    assert node.parameters["first_label"] == "x"


def test_confidences_are_rescaled_and_outliers_marked(results):
    scaled, rows = results(
        '<operator class="multiply" name="M"/>'
        + BAYES.format("A")
        + '<operator class="rescale_confidences" name="S"/>'
        '<operator class="detect_outlier_distances" name="D"><parameter key="distance_function" '
        'value="euclidian distance"/></operator>'
        + TO.format("M", "input")
        + '<connect from_op="M" from_port="output 1" to_op="A" to_port="training set"/>'
        '<connect from_op="M" from_port="output 2" to_op="D" to_port="example set input"/>'
        '<connect from_op="A" from_port="model" to_op="S" to_port="prediction model"/>'
        '<connect from_op="A" from_port="exampleSet" to_op="S" to_port="example set"/>'
        + OUT.format("S", "model", 1)
        + OUT.format("D", "example set output", 2)
    )
    assert scaled.name == "Naive Bayes, rescaled"
    assert rows.nominal_values("outlier").count("true") == 10


@pytest.mark.parametrize(
    ("key", "setting", "neutral", "other"),
    [
        ("k_means", "measure_types", "NumericalMeasures", "NominalMeasures"),
        ("gaussian_process", "kernel_bias", "0", "1"),
        ("h2o:generalized_linear_model", "use_regularization", "false", "true"),
        ("h2o:generalized_linear_model", "alpha", "0.0", "0.5"),
    ],
)
def test_a_setting_that_changes_a_number_is_reported(imported, key, setting, neutral, other):
    def reported(value):
        parameter = f'<parameter key="{setting}" value="{value}"/>'
        _, report = imported(f'<operator class="{key}" name="A">{parameter}</operator>')
        return any(setting in text for _, text in report.effects)

    assert reported(other)
    assert not reported(neutral)
