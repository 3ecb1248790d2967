"""Problems that only a run shows: equal weights at the cut."""

import numpy as np
import pytest

from fsops import ExampleSet, Process, run
from fsops.core.checks.problems import Kind, Severity
from fsops.core.checks.run_advice import RunCaution, problems_of_run
from fsops.core.frame.events import Cautioned
from fsops.errors import OperatorWarning
from fsops.operators import select_by_weights, select_top_k
from fsops.plugins import plugins


def table():
    """Return a table with one good attribute, three equal ones, and one that is constant."""
    rng = np.random.default_rng(0)
    labels = np.array(["no", "yes"] * 20)
    good = (labels == "yes") + 0.1 * rng.normal(size=40)
    fair = (labels == "yes") + 1.5 * rng.normal(size=40)
    values = np.column_stack([fair, good, fair, fair, np.ones(40)])
    return ExampleSet.from_numpy(values, labels, names=list("abcde"))


def cautions_of(k, **settings):
    """Run a selection of the k best attributes; return its cautions."""
    registry = plugins().registry
    process = Process()
    weights = process.add(registry["weight_by_f_test"], process.source())
    chosen = process.add(registry["select_by_weights"], process.source(), weights)
    chosen.parameters |= {"weight_relation": "top k", "k": k} | settings
    process.result(chosen)
    events = []
    run(process, table(), listener=events.append)
    return process, [event for event in events if isinstance(event, Cautioned)]


@pytest.mark.parametrize(("k", "sizes"), [(2, (1, 4)), (3, (1, 4))])
def test_a_cut_through_equal_weights_names_the_sizes_that_avoid_it(k, sizes):
    _, [caution] = cautions_of(k)
    assert (caution.kind, caution.parameter, caution.values) == (Kind.TIES, "k", sizes)
    assert caution.value.startswith("3 attributes inside and outside the selection")


@pytest.mark.parametrize("k", [1, 4, 5])
def test_no_caution_where_the_cut_divides_nothing(k):
    assert cautions_of(k)[1] == []


@pytest.mark.parametrize(
    ("settings", "parameter"),
    [
        ({"weight_relation": "top p%", "p": 0.4}, "p"),
        ({"weight_relation": "all but bottom k"}, "k"),
    ],
)
def test_other_rules_lead_to_their_field_without_a_size(settings, parameter):
    _, [caution] = cautions_of(2 if parameter == "p" else 3, **settings)
    assert (caution.parameter, caution.values) == (parameter, ())


def test_a_caution_becomes_a_problem_with_fixes():
    process, [event] = cautions_of(2)
    name = event.path[-1]
    caution = RunCaution(event.kind, event.value, event.parameter, event.values)
    [problem] = problems_of_run(process, {name: {caution: 1}, "gone": {caution: 1}})
    assert (problem.kind, problem.severity, problem.parameter) == (Kind.TIES, Severity.WARNING, "k")
    assert problem.path == process[name].path
    assert [fix.label for fix in problem.fixes] == [f"Set k of {name} to {k}" for k in (1, 4)]
    problem.fixes[1].apply(process)
    assert process[name].parameters["k"] == 4


def test_folds_with_other_ties_have_only_the_sizes_that_suit_all():
    process = Process()
    node = process.add(select_top_k)
    cautions = {
        RunCaution(Kind.TIES, "3 attributes", "k", (1, 4)): 7,
        RunCaution(Kind.TIES, "2 attributes", "k", (2, 4)): 3,
    }
    [problem] = problems_of_run(process, {node.name: cautions})
    assert [fix.label for fix in problem.fixes] == [f"Set k of {node.name} to 4"]
    assert problem.message.endswith("The last run reported this 10 times.")


def test_both_selections_say_so_in_a_call():
    weights = table().weights([2, 3, 2, 2, 0])
    for call in (
        lambda: select_top_k(weights, k=2),
        lambda: select_by_weights(table(), weights, weight_relation="top k", k=2),
    ):
        with pytest.warns(OperatorWarning, match="3 attributes inside and outside"):
            call()
