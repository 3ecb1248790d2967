"""Cautions about tables and selections, each with a fix that leaves the process as it was meant."""

import numpy as np
import pytest

from fsops import operators
from fsops.core.checks.problems import Kind, Severity
from fsops.core.checks.validation import validate
from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK
from fsops.data import ExampleSet, metadata_of
from fsops.errors import FsopsError
from fsops.plugins import plugins


@pytest.fixture
def registry():
    return plugins().registry


@pytest.fixture
def process():
    return Process()


def table(rows=60, minority=None, leak=False, names="abcd"):
    """Return noise; with a leak the first attribute separates the classes."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, len(names)))
    first = rows // 2 if minority is None else rows - minority
    labels = np.where(np.arange(rows) < first, "no", "yes")
    if leak:
        values[:, 0] = np.abs(values[:, 0]) * np.where(labels == "yes", 1, -1)
    return ExampleSet.from_numpy(values, labels, names=list(names))


def validated(process, registry, *, selects=False):
    """Add a cross-validation of Naive Bayes; with a weighting inside it that nothing uses."""
    node = process.add(registry["cross_validation"], process.source(), number_of_folds=5)
    training, testing = node.subprocesses
    if selects:
        weights = training.add(registry["weight_by_sam"], training.source())
        training.connect(weights, SINK, "weights")
    model = training.add(registry["naive_bayes"], training.source())
    training.connect(model, SINK, "model")
    applied = testing.add(
        registry["apply_model"], testing.source("model"), testing.source("test_set")
    )
    testing.connect(testing.add(registry["performance"], applied), SINK, "performance")
    process.result(node)
    return node


def found(process, registry, data):
    given = {"input 1": metadata_of(data)}
    return validate(process, registry, given=given)


def test_a_column_that_separates_the_classes_is_reported_with_a_fix(process, registry):
    validated(process, registry)
    assert found(process, registry, table()) == []
    [problem] = found(process, registry, table(leak=True))
    assert problem.kind is Kind.LABEL_LEAK
    assert problem.severity is Severity.WARNING
    assert '"a" alone separates the classes of "label" without error' in problem.message
    problem.fixes[0].apply(process)
    assert found(process, registry, table(leak=True)) == []
    inserted = next(n for n in process if n.operator.key == "select_attributes")
    assert inserted.parameters["attributes"] == ["a"]
    assert inserted.parameters["invert_selection"] is True


def test_the_column_of_a_drawn_process_is_reported_at_its_reader(process, registry, tmp_path):
    data = table(leak=True)
    file = tmp_path / "table.csv"
    data.to_pandas().to_csv(file, index=False)
    read = process.add(registry["read_csv"], path=str(file), label="label")
    process.result(process.add(registry["naive_bayes"], read))
    [problem] = validate(process, registry)
    assert (problem.kind, problem.path) == (Kind.LABEL_LEAK, read.path)
    assert problem.parameter == "skip"
    problem.fixes[0].apply(process)
    assert read.parameters["skip"] == ["a"]
    assert validate(process, registry) == []


def test_a_column_is_reported_once_however_many_operators_learn_from_it(process, registry):
    replaced = process.add(registry["replace_missing_values"], process.source())
    for key in ("weight_by_sam", "weight_by_relief", "naive_bayes"):
        process.result(process.add(registry[key], replaced["examples"]))
    [problem] = found(process, registry, table(leak=True))
    assert problem.kind is Kind.LABEL_LEAK
    problem.fixes[0].apply(process)
    assert found(process, registry, table(leak=True)) == []
    assert [n.operator.key for n in process].count("select_attributes") == 1


def test_all_that_a_leaking_output_feeds_takes_the_table_without_the_column(process, registry):
    read = process.add(registry["materialize_data"], process.source())
    for key in ("weight_by_sam", "naive_bayes"):
        process.result(process.add(registry[key], process.source()))
    process.result(read)
    [problem] = found(process, registry, table(leak=True))
    problem.fixes[0].apply(process)
    assert found(process, registry, table(leak=True)) == []
    (inserted,) = [n for n in process if n.operator.key == "select_attributes"]
    assert {c.to_node for c in process.connections if c.from_node == inserted.name} == {
        "Weight by SAM", "Naive Bayes", read.name,
    }  # fmt: skip


def test_a_small_sample_names_its_uncertainty(process, registry):
    validated(process, registry)
    [problem] = found(process, registry, table(24))
    assert problem.kind is Kind.SMALL_SAMPLE
    assert "about 20 percentage points" in problem.message  # 1.96 sqrt(0.25 / 24)
    assert problem.parameter == "number_of_folds"


def test_unequal_classes_are_compared_with_always_predicting_the_largest(process, registry):
    validated(process, registry)
    assert found(process, registry, table(100, minority=15)) == []
    [problem] = found(process, registry, table(100, minority=8))
    assert problem.kind is Kind.IMBALANCE
    assert '92% of the rows have the class "no"' in problem.message


def test_class_counts_are_forgotten_where_rows_may_have_been_chosen(process, registry):
    source = process.add(registry["filter_examples"], process.source())
    source.set_parameter("condition_class", "no_missing_attributes")
    meta = metadata_of(table(100, minority=8))
    assert meta.counts() == (92, 8)
    assert meta.with_schema(meta.schema.with_roles({"label": "regular"})).counts() == ()


@pytest.mark.parametrize(
    ("output", "index", "sink", "giver"),
    [
        ("test_result_set", 1, "test_set_results", ("Apply Model", "examples")),
        ("weights", 0, "weights", ("Weight by SAM", "weights")),
    ],
)
def test_a_result_that_a_validation_does_not_return_inside_is_reported(
    process, registry, output, index, sink, giver
):
    node = validated(process, registry, selects=True)
    inner = node.subprocesses[index]
    if sink in inner.incoming(SINK):
        inner.disconnect(SINK, sink)
    process.result(node[output])
    [problem] = [p for p in found(process, registry, table()) if p.kind is Kind.NO_RESULT]
    assert f'"{output}" of "Cross Validation" is empty' in problem.message
    problem.fixes[0].apply(process)
    assert inner.incoming(SINK)[sink] == giver
    assert Kind.NO_RESULT not in {p.kind for p in found(process, registry, table())}


def test_weights_that_nothing_uses_get_a_selection_before_the_learner(process, registry):
    node = validated(process, registry, selects=True)
    [problem] = found(process, registry, table())
    assert problem.kind is Kind.BYPASSED
    assert '"Naive Bayes" trains on all attributes' in problem.message
    problem.fixes[0].apply(process)
    assert found(process, registry, table()) == []
    training = node.subprocesses[0]
    (name, port) = training.incoming("Naive Bayes")["examples"]
    assert training[name].operator.key == "select_by_weights"
    assert training.incoming(name)["weights"] == ("Weight by SAM", "weights")


def test_a_missing_model_is_added_behind_the_selection(process, registry):
    node = process.add(registry["cross_validation"], process.source())
    training = node.subprocesses[0]
    training.add(registry["weight_by_sam"], training.source())
    problems = found(process, registry, table())
    missing = next(p for p in problems if p.kind is Kind.MISSING_RESULT and "model" in p.message)
    fix = next(f for f in missing.fixes if "Naive Bayes" in f.label)
    assert fix.label == 'Add "Select by Weights" and "Naive Bayes"'
    fix.apply(process)
    (name, _) = training.incoming("Naive Bayes")["examples"]
    assert training[name].operator.key == "select_by_weights"
    assert training[name].parameters["weight_relation"] == "top k"
    assert training.incoming(SINK)["model"][0] == "Naive Bayes"
    assert training.incoming(SINK)["weights"][0] == "Weight by SAM"
    inside = {p.kind for p in found(process, registry, table()) if "Training" in p.path}
    assert not inside & {Kind.UNUSED, Kind.BYPASSED, Kind.MISSING_RESULT}


def test_a_size_set_by_hand_needs_a_validation(process, registry):
    weights = process.add(registry["weight_by_sam"], process.source())
    chosen = process.add(registry["select_by_weights"], process.source(), weights)
    chosen.set_parameter("weight_relation", "top k")
    chosen.set_parameter("k", 3)
    process.result(process.add(registry["naive_bayes"], chosen))
    [problem] = found(process, registry, table())
    assert (problem.kind, problem.parameter) == (Kind.SIZE_NOT_VALIDATED, "k")
    assert "k=3 was set by hand" in problem.message


def test_missing_values_that_certainly_fail_are_an_error(process, registry, tmp_path):
    frame = table().to_pandas()
    frame.loc[3, "b"] = np.nan
    file = tmp_path / "gaps.csv"
    frame.to_csv(file, index=False)
    read = process.add(registry["read_csv"], path=str(file), label="label")
    process.result(process.add(registry["weight_by_relief"], read))
    problems = [p for p in validate(process, registry) if p.kind is Kind.UNSUITABLE_DATA]
    assert [p.severity for p in problems] == [Severity.ERROR]
    assert "Replace Missing Values" in problems[0].fixes[0].label


def test_missing_values_in_the_training_of_folds_certainly_fail_too(process, registry):
    node = validated(process, registry)
    training = node.subprocesses[0]
    training.connect(training.add(registry["weight_by_relief"], training.source()), SINK, "weights")
    values = table().numeric().copy()
    values[7, 2] = np.nan
    data = ExampleSet.from_numpy(values, np.repeat(["no", "yes"], 30), names=list("abcd"))
    problems = found(process, registry, data)
    [gap] = [p for p in problems if p.kind is Kind.UNSUITABLE_DATA]
    assert gap.severity is Severity.ERROR
    gap.fixes[0].apply(process)
    assert Kind.UNSUITABLE_DATA not in {p.kind for p in found(process, registry, data)}


REFUSING = [o for o in plugins().registry if any(p.name == "missing" for p in o.parameters)]
"""Operators that refuse missing values unless their parameter says otherwise."""


@pytest.mark.parametrize("spec", REFUSING, ids=lambda spec: spec.key)
def test_a_filter_that_refuses_missing_values_says_so_before_the_run(process, registry, spec):
    values = table().numeric().copy()
    values[7, 2] = np.nan
    data = ExampleSet.from_numpy(values, np.repeat(["no", "yes"], 30), names=list("abcd"))
    node = process.add(spec, process.source())
    process.result(node)
    gaps = [p for p in found(process, registry, data) if p.parameter == "missing"]
    if not gaps:  # it needs another label, which is reported first
        assert Kind.UNSUITABLE_DATA in {p.kind for p in found(process, registry, data)}
        return
    assert gaps[0].severity is Severity.ERROR
    with pytest.raises(FsopsError, match="missing"):
        getattr(operators, spec.key)(data)
    fix = next(f for f in gaps[0].fixes if "pairwise" in f.label)
    fix.apply(process)
    assert Kind.UNSUITABLE_DATA not in {p.kind for p in found(process, registry, data)}


def test_unequal_classes_can_be_judged_by_kappa(process, registry):
    node = validated(process, registry)
    [problem] = found(process, registry, table(100, minority=8))
    assert [fix.label for fix in problem.fixes] == [
        'Replace Performance by "Performance (Classification)" with kappa as main_criterion'
    ]
    problem.fixes[0].apply(process)
    measure = next(n for n in node.subprocesses[1] if n.name == "Performance")
    assert (measure.operator.key, measure.parameters["main_criterion"]) == (
        "performance_classification",
        "kappa",
    )
    assert found(process, registry, table(100, minority=8)) == []
    measure.set_parameter("main_criterion", "accuracy")
    [again] = found(process, registry, table(100, minority=8))
    assert again.fixes[0].label == "Set main_criterion of Performance to kappa"
