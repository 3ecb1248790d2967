"""Quick fixes that put operators into a process: each makes its problem go away."""

import pytest

from fsops import Process, run, validate
from fsops.core.checks.problems import Kind, Severity
from fsops.core.checks.propagation import Memory
from fsops.core.checks.validation import examine
from fsops.errors import UsageError
from fsops.plugins import plugins

ROWS = ["a,b,c,kind,y"] + [
    f"{i * 7 % 11},{'' if i == 5 else i},{i % 4 / 2},{'xyz'[i % 3]},{i % 2}" for i in range(40)
]


@pytest.fixture(scope="module")
def registry():
    return plugins().registry


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(ROWS))
    return path


PARAMETERS = {"select_by_mrmr_cfs": {"k": 2}}


def chain(registry, file, *keys, label="y", **reading):
    process = Process()
    node = process.add(registry["read_csv"], path=str(file), **reading)
    if label:
        node.set_parameter("label", label)
    for key in keys:
        node = process.add(registry[key], node, **PARAMETERS.get(key, {}))
    process.result(node)
    return process


def mended(process, registry, kind=Kind.UNSUITABLE_DATA, words=""):
    """Apply fixes until no such problem is left; return what was done."""
    done = []
    for _ in range(4):
        problem = next((p for p in validate(process, registry) if p.kind is kind), None)
        if problem is None:
            return done
        fix = next(f for f in problem.fixes if words in f.label)
        fix.apply(process)
        done.append(fix.label)
    raise AssertionError(done)


def test_numbers_where_classes_are_needed(registry, file):
    process = chain(registry, file, "select_by_ib")
    title = registry["select_by_ib"].title
    assert mended(process, registry) == [
        f'Insert "Numerical to Binominal" before {title}: 0 of "y" becomes false',
        f'Insert "Replace Missing Values" before {title}',
    ]
    assert run(process).results


def test_what_is_inserted_stands_where_its_follower_stood(registry, file):
    process = chain(registry, file, "naive_bayes")
    for x, node in enumerate(process):
        node.position = {"x": 45 + 180 * x, "y": 85}
    problem = next(p for p in validate(process, registry) if p.kind is Kind.UNSUITABLE_DATA)
    problem.fixes[0].apply(process)
    assert [(node.name, node.position["x"]) for node in process] == [
        ("Read CSV", 45),
        ("Naive Bayes", 405),
        ("Numerical to Binominal", 225),
    ]


def test_more_than_two_numbers_become_classes_of_their_own(registry, file):
    process = chain(registry, file, "naive_bayes", label="c", skip=["b"])
    assert mended(process, registry) == [
        'Insert "Numerical to Polynominal" before Naive Bayes: each number of "c" is a class'
    ]
    assert run(process).results


@pytest.mark.parametrize(
    ("words", "title"),
    [
        ("Replace Missing", "Replace Missing Values"),
        ("Filter Examples", "Filter Examples"),
        ("Select Attributes", "Select Attributes"),
    ],
)
def test_missing_values_are_told_before_the_run(registry, file, words, title):
    process = chain(registry, file, "select_by_mrmr_cfs", label="kind")
    problem = next(p for p in validate(process, registry) if p.kind is Kind.UNSUITABLE_DATA)
    assert problem.message.startswith(
        'Values are missing in "b", but missing values are not allowed.'
    )
    assert problem.severity is Severity.ERROR
    mended(process, registry, words=words)
    assert title in process
    assert run(process).results


@pytest.mark.parametrize(
    ("validation", "severity"),
    [("cross_validation", Severity.ERROR), ("split_validation", Severity.WARNING)],
)
def test_missing_values_are_an_error_if_every_row_reaches_a_training(
    registry, file, validation, severity
):
    process = chain(registry, file, "filter_examples", "select_by_mrmr_cfs", label="kind")
    assert [p for p in validate(process, registry) if p.kind is Kind.UNSUITABLE_DATA] == []
    process = chain(registry, file, validation, label="kind")
    node = next(n for n in process if n.operator.key == validation)
    training = node.inner("training")
    training.add(registry["select_by_ib"], training.source())
    problem = next(p for p in validate(process, registry) if p.kind is Kind.UNSUITABLE_DATA)
    assert problem.severity is severity
    problem.fixes[0].apply(process)
    assert problem.fixes[0].label == f'Insert "Replace Missing Values" before {node.name}'
    assert "Replace Missing Values" in process


def test_nominal_attributes_are_converted(registry, file):
    process = chain(registry, file, "linear_regression", skip=["b"])
    assert mended(process, registry) == ['Insert "Nominal to Numerical" before Linear Regression']
    assert run(process).results


def test_the_label_is_named_where_the_table_is_read(registry, file):
    process = chain(registry, file, "naive_bayes", label="", skip=["b"])
    problem = next(p for p in validate(process, registry) if p.kind is Kind.UNSUITABLE_DATA)
    labels = [fix.label for fix in problem.fixes]
    assert labels == ['Set label of Read CSV to "y"', 'Set label of Read CSV to "kind"']
    problem.fixes[1].apply(process)
    assert run(process).results


def test_a_role_is_set_where_the_reader_cannot_do_it(registry, file):
    process = chain(registry, file, "normalize", "naive_bayes", label="", skip=["b"])
    assert mended(process, registry, words='"kind" is the label') == [
        'Insert "Set Role" before Naive Bayes: "kind" is the label'
    ]
    assert run(process).results


def test_a_label_of_two_numbers_is_asked_about_once(registry, file):
    process = chain(registry, file, "k_nn")
    process.result(process.add(registry["decision_tree"], process["Read CSV"]))
    told = [p for p in validate(process, registry) if p.kind is Kind.NUMBERS_AS_LABEL]
    assert len(told) == 2  # each has a wire of its own
    assert "has only the values 0 and 1" in told[0].message
    told[0].fixes[0].apply(process)
    assert len([p for p in validate(process, registry) if p.kind is Kind.NUMBERS_AS_LABEL]) == 1


def test_more_classes_than_an_operator_takes_are_a_warning(registry):
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="iris")
    process.result(process.add(registry["weight_by_relief"], table))
    (problem,) = validate(process, registry)
    assert problem.severity is Severity.WARNING
    assert problem.message.startswith('Exactly two classes are needed, but "label" has 3')


def test_what_is_missing_inside_is_added(registry):
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="iris")
    validation = process.add(registry["cross_validation"], table)
    process.result(validation["performance"])
    done = mended(process, registry, Kind.MISSING_RESULT)
    assert done == ['Add "Naive Bayes"', 'Add "Apply Model" and "Performance"']
    assert validate(process, registry) == []
    assert run(process).results[0].main.mean > 0.9


def test_an_input_that_nothing_gives_gets_its_operator(registry):
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="iris")
    process.result(process.add(registry["select_by_weights"], table))
    assert mended(process, registry, Kind.MISSING_INPUT) == ['Add "Weight by Information Gain"']
    assert run(process).results


def test_what_is_not_used_is_removed_or_becomes_a_result(registry, file):
    process = chain(registry, file)
    process.add(registry["normalize"], process["Read CSV"])
    problem = next(p for p in validate(process, registry) if p.kind is Kind.UNUSED)
    assert [fix.label for fix in problem.fixes] == [
        "Connect Normalize.examples → result 2",
        "Remove Normalize",
    ]
    problem.fixes[1].apply(process)
    assert "Normalize" not in process


def test_a_process_without_result_gets_one(registry, file):
    process = chain(registry, file, "normalize")
    for connection in [c for c in process.connections if c.to_port == "result 1"]:
        process.disconnect(connection.to_node, connection.to_port)
    problem = next(p for p in validate(process, registry) if p.kind is Kind.NO_RESULT)
    problem.fixes[0].apply(process)
    assert validate(process, registry) == []


def test_a_macro_that_has_no_value_is_added_or_corrected(registry):
    process = Process(macros={"size": "5"})
    table = process.add(registry["retrieve"], repository_entry="iris")
    weights = process.add(registry["weight_by_information_gain"], table)
    top = process.add(registry["select_top_k"], weights, k="%{siez}")
    process.result(top)
    problem = next(p for p in validate(process, registry) if p.kind is Kind.UNKNOWN_MACRO)
    labels = [fix.label for fix in problem.fixes]
    assert labels == [
        "Use the macro size",
        "Add the macro siez to the process, with the value 10",
    ]
    problem.fixes[0].apply(process)
    assert top.parameters["k"] == "%{size}"
    assert validate(process, registry) == []


def test_names_in_a_list_are_corrected_one_by_one(registry):
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="golf")
    node = process.add(
        registry["select_attributes"], table,
        attribute_filter_type="subset", attributes=["Outlok", "Wind"],
    )  # fmt: skip
    process.result(node)
    problem = next(p for p in validate(process, registry) if p.kind is Kind.MISSING_COLUMN)
    assert [fix.label for fix in problem.fixes] == [
        'Use "Outlook" for "Outlok"',
        'Leave "Outlok" out',
    ]
    assert problem.parameter == "attributes"
    problem.fixes[0].apply(process)
    assert node.parameters["attributes"] == ["Outlook", "Wind"]


def test_a_number_beyond_its_bound_gets_the_bound(registry):
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="golf")
    node = process.add(registry["cross_validation"], table, number_of_folds=1)
    problem = next(p for p in validate(process, registry) if p.kind is Kind.BAD_PARAMETER)
    assert [fix.label for fix in problem.fixes] == [
        "Set number_of_folds to 10",
        "Set number_of_folds to 2",
    ]
    assert problem.parameter == "number_of_folds"
    assert problem.path == node.path


def test_a_parameter_that_must_be_set_gets_an_example(registry):
    process = Process()
    node = process.add(registry["retrieve"])
    process.result(node)
    problem = next(p for p in validate(process, registry) if p.kind is Kind.BAD_PARAMETER)
    assert (problem.parameter, [f.label for f in problem.fixes]) == (
        "repository_entry",
        ["Set repository_entry to iris"],
    )


# --- memory ------------------------------------------------------------------------------------


def test_only_what_has_changed_is_asked_again(registry, file, monkeypatch):
    process = chain(registry, file, "normalize", "select_by_mrmr_cfs", label="kind")
    memory = Memory()
    first = examine(process, registry, memory=memory)
    again = examine(process.clone(), registry, memory=memory)
    assert again.problems == first.problems
    assert again.known.outputs["Normalize"] is first.known.outputs["Normalize"]
    changed = process.clone()
    changed.find("Normalize").set_parameter("method", "range transformation")
    third = examine(changed, registry, memory=memory)
    assert third.known.outputs["Read CSV"] is first.known.outputs["Read CSV"]


def test_a_file_that_has_changed_is_read_again(registry, file):
    import os

    process = chain(registry, file, "select_by_mrmr_cfs", label="kind")
    memory = Memory()
    assert len(examine(process, registry, memory=memory).problems) > 0
    file.write_text("\n".join(row for row in ROWS if ",," not in row))
    os.utime(file, ns=(1, 10**18))
    found = examine(process, registry, memory=memory)
    assert [p for p in found.problems if p.kind is Kind.UNSUITABLE_DATA] == []
    assert found.known.outputs["Read CSV"]["examples"].rows == 39


def test_a_memory_says_the_same_as_a_fresh_look(registry):
    from pathlib import Path

    from fsops.storage import read_process

    memory = Memory()
    for path in sorted((Path(__file__).parents[3] / "processes").glob("*.xml"))[:8]:
        process = read_process(path)
        for _ in range(2):
            one = examine(process, registry, memory=memory)
            two = examine(process, registry)
            assert (one.problems, one.known) == (two.problems, two.known)


@pytest.mark.parametrize("now", ["loop", "retrieve"])
def test_a_fix_inside_an_operator_of_another_kind_by_now_is_an_error(registry, now):
    process = Process()
    validation = process.add(registry["cross_validation"], name="Inside")
    validation.subprocesses[0].add(registry["naive_bayes"])
    fix = next(
        fix for p in validate(process, registry) if p.path[:2] == ("Inside", "Training")
        for fix in p.fixes
    )  # fmt: skip
    other = Process()
    other.add(registry[now], name="Inside")
    with pytest.raises(UsageError, match="has changed since this problem was found: 'Training'"):
        fix.apply(other)
