"""What has changed between two processes: in words, and which results are out of date."""

import pytest

from fsops import AttributeWeights, ExampleSet, PerformanceVector, Subprocess, operator
from fsops.core.graph.process import Note, Process
from fsops.core.graph.wiring import Connection
from fsops.editing.comparison import RAN_AS, changes_between, stale_operators
from fsops.operators import (
    apply_model,
    ensemble_feature_selection,
    naive_bayes,
    normalize,
    optimize_parameters_grid,
    optimize_selection_forward,
    performance,
    recall,
    recursive_feature_elimination,
    remember,
    retrieve,
    select_top_k,
    set_macro,
    weight_by_sam,
)


def edited(process, change):
    after = process.clone()
    change(after)
    return after


def set_(operator, **parameters):
    def change(process):
        for name, value in parameters.items():
            process.find(operator).set_parameter(name, value)

    return change


INNER = {
    "Weight by SAM",
    "Select Top k",
    "Select by Weights",
    "Naive Bayes",
    "Apply Model",
    "Performance",
}


def test_nothing_changed_is_nothing_stale(quickstart):
    assert stale_operators(quickstart, quickstart.clone()) == set()
    assert changes_between(quickstart, quickstart.clone()) == []


def test_a_parameter_makes_all_that_follows_stale(chain):
    after = edited(chain, set_("Normalize", method="range transformation"))
    assert stale_operators(chain, after) == {"Normalize", "Weight by SAM"}


def test_layout_notes_and_breakpoints_do_not_count(quickstart):
    def change(process):
        process["Retrieve"].position = {"x": 500, "y": 500}
        process["Retrieve"].note = Note("look")
        process["Retrieve"].breakpoints = frozenset({"before"})
        process.notes.append(Note("a remark"))

    after = edited(quickstart, change)
    assert stale_operators(quickstart, after) == set()
    assert changes_between(quickstart, after) == []


def test_a_change_inside_reaches_what_follows_there_and_the_operator_around(quickstart):
    after = edited(quickstart, set_("Select Top k", k=20))
    assert stale_operators(quickstart, after) == {
        "Select Top k",
        "Select by Weights",
        "Naive Bayes",
        "Apply Model",
        "Performance",
        "Cross Validation",
    }


def test_a_change_in_the_last_inner_process_leaves_the_first_alone(quickstart):
    after = edited(quickstart, set_("Performance", main_criterion="kappa"))
    assert stale_operators(quickstart, after) == {"Performance", "Cross Validation"}


def test_how_a_loop_is_set_decides_about_all_inside(quickstart):
    after = edited(quickstart, set_("Cross Validation", number_of_folds=5))
    assert stale_operators(quickstart, after) == {"Cross Validation"} | INNER


def test_what_a_loop_is_given_decides_about_all_inside(quickstart):
    after = edited(quickstart, set_("Retrieve", repository_entry="wine"))
    assert stale_operators(quickstart, after) == {"Retrieve", "Cross Validation"} | INNER


def test_wires_and_switches_count(chain):
    def rewire(process):
        process.connect_unchecked(Connection("Retrieve", "examples", "Weight by SAM", "examples"))

    assert stale_operators(chain, edited(chain, rewire)) == {"Weight by SAM"}

    def switch(process):
        process["Normalize"].enabled = False

    after = edited(chain, switch)
    assert stale_operators(chain, after) == {"Normalize", "Weight by SAM"}


def test_a_further_reader_changes_nothing_for_those_before(chain, registry):
    def change(process):
        process.add(registry["weight_by_correlation"], process["Normalize"])

    after = edited(chain, change)
    assert stale_operators(chain, after) == {"Weight by Correlation"}


def test_a_seed_counts_for_those_that_draw_and_a_macro_for_those_that_use_it(quickstart):
    def other_seed(process):
        process.seed = 7

    stale = stale_operators(quickstart, edited(quickstart, other_seed))
    assert "Cross Validation" in stale
    assert "Retrieve" not in stale

    then = edited(quickstart, set_("Select Top k", k="%{k}"))
    then.macros["k"] = "10"
    now = then.clone()
    now.macros["k"] = "20"
    assert "Select Top k" in stale_operators(then, now)
    assert "Weight by SAM" not in stale_operators(then, now)


def test_a_file_saved_elsewhere_is_not_out_of_date(registry, tmp_path):
    process = Process()
    process.folder = tmp_path / "a"
    process.add(registry["read_csv"], path="table.csv")
    after = process.clone()
    after.folder = tmp_path / "b"
    after["Read CSV"].parameters["path"] = "../a/table.csv"
    assert stale_operators(process, after) == set()


def test_circles_are_no_trouble(chain):
    def change(process):
        process.connect_unchecked(Connection("Weight by SAM", "weights", "Normalize", "examples"))

    after = edited(chain, change)
    assert stale_operators(chain, after) == {"Normalize", "Weight by SAM"}


# --- in words -------------------------------------------------------------------------------


def test_parameters_are_told_with_both_values(quickstart):
    after = edited(quickstart, set_("Select Top k", k=20))
    assert changes_between(quickstart, after) == ["k of Select Top k: 10 → 20"]
    after = edited(quickstart, set_("Cross Validation", number_of_folds=None))
    assert changes_between(quickstart, after) == []  # 10 is what it is by itself
    after = edited(quickstart, set_("Cross Validation", number_of_folds=5))
    assert changes_between(quickstart, after) == ["number_of_folds of Cross Validation: 10 → 5"]


def test_what_came_and_went_is_told_once_with_all_inside(quickstart, registry):
    def change(process):
        process.remove("Cross Validation")
        process.add(registry["weight_by_correlation"], process["Retrieve"])

    assert changes_between(quickstart, edited(quickstart, change)) == [
        "Cross Validation was removed",
        "Weight by Correlation was added",
    ]


def test_wires_switches_seed_and_macros_are_told(chain):
    def change(process):
        process.connect_unchecked(Connection("Retrieve", "examples", "Weight by SAM", "examples"))
        process["Normalize"].enabled = False
        process.seed = 7
        process.macros["k"] = "3"

    assert changes_between(chain, edited(chain, change)) == [
        "Normalize was switched off",
        "connection removed: Normalize.examples → Weight by SAM.examples",
        "connected: Retrieve.examples → Weight by SAM.examples",
        "Random seed: 2001 → 7",
        "Macro k: empty → 3",
    ]


def test_a_new_name_is_told_as_such(quickstart):
    def change(process):
        process.find("Select Top k").process.rename("Select Top k", "Best ten")
        process.find("Best ten").set_parameter("k", 12)

    assert changes_between(quickstart, edited(quickstart, change)) == [
        "Select Top k is now called Best ten",
        "k of Best ten: 10 → 12",
    ]


# --- what reaches others without a wire -------------------------------------------------------


@pytest.fixture
def by_macro():
    process = Process(macros={"k": "7"})
    process.add(set_macro, macro="k", value="3")
    weights = process.add(weight_by_sam, process.add(retrieve, repository_entry="iris"))
    process.result(process.add(select_top_k, weights, k="%{k}"))
    return process


def test_a_macro_that_an_operator_sets_reaches_those_that_use_it(by_macro):
    after = edited(by_macro, set_("Set Macro", value="5"))
    assert stale_operators(by_macro, after) == {"Set Macro", "Select Top k"}
    after = edited(by_macro, lambda process: process.remove("Set Macro"))
    assert stale_operators(by_macro, after) == {"Select Top k"}


def test_another_order_of_what_sets_and_uses_a_macro_counts(by_macro):
    def change(process):
        setter = process["Set Macro"]
        process.remove("Set Macro")
        process.insert(setter)

    assert "Select Top k" in stale_operators(by_macro, edited(by_macro, change))


def test_what_is_remembered_reaches_who_recalls_it():
    process = Process()
    scaled = process.add(normalize, process.add(retrieve, repository_entry="iris"))
    process.add(remember, scaled, remember_as="scaled")
    process.result(process.add(weight_by_sam, process.add(recall, remembered_as="scaled")))
    after = edited(process, set_("Normalize", method="range transformation"))
    found = stale_operators(process, after)
    assert found == {"Normalize", "Remember", "Recall", "Weight by SAM"}


def test_in_a_search_a_change_decides_about_all_that_is_tried_later():
    process = Process()
    search = process.add(optimize_selection_forward, process.add(retrieve, repository_entry="iris"))
    inner = search.inner()
    scaled = inner.add(normalize, inner.source("examples"))
    model = inner.add(naive_bayes, scaled)
    inner.result(inner.add(performance, inner.add(apply_model, model, scaled)))
    process.result(search)
    after = edited(process, set_("Performance", main_criterion="kappa"))
    names = {node.name for node in process.walk()}
    assert stale_operators(process, after) == names - {"Retrieve"}


@operator(group="Mine/Filters", role="search")
def search_of_mine(
    examples: ExampleSet, trial: Subprocess[[ExampleSet], PerformanceVector]
) -> AttributeWeights:
    """Search of mine"""
    raise NotImplementedError


@operator(group="Mine/Filters", role="selection")
def selection_of_mine(
    examples: ExampleSet, trial: Subprocess[[ExampleSet], PerformanceVector]
) -> AttributeWeights:
    """Selection of mine"""
    raise NotImplementedError


@pytest.mark.parametrize(
    ("around", "feeds_back"),
    [
        (search_of_mine, True),
        (selection_of_mine, False),
        (recursive_feature_elimination, True),
        (ensemble_feature_selection, False),
        (optimize_parameters_grid, False),
    ],
)
def test_the_role_says_whether_an_iteration_depends_on_the_last(around, feeds_back):
    process = Process()
    node = process.add(around, process.add(retrieve, repository_entry="iris"))
    inner = node.inner()
    weights = inner.add(weight_by_sam, inner.add(normalize, inner.source()))
    inner.add(select_top_k, weights, k=3)
    after = edited(process, set_("Select Top k", k=2))
    stale = stale_operators(process, after)
    assert {"Select Top k", node.name} <= stale
    assert ({"Normalize", "Weight by SAM"} <= stale) is feeds_back


def test_random_numbers_go_with_the_names_they_were_drawn_under(quickstart):
    process, renamed = quickstart.clone(), quickstart.clone()
    for each in (process, renamed):
        each.rename("Cross Validation", "Validation")
    renamed["Validation"].extras[RAN_AS] = "Cross Validation"
    assert stale_operators(renamed, process) == {*INNER, "Validation"}
    process.rename("Validation", "Cross Validation")
    renamed.rename("Validation", "Cross Validation")
    assert stale_operators(renamed, process) == set()
