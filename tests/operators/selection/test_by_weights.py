"""From weights to a selection, against a straightforward reading of the rules."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops import AttributeWeights, ExampleSet
from fsops.data import ExampleSetMetaData, WeightsMetaData
from fsops.errors import OperatorWarning, ParameterError, PortError
from fsops.operators import (
    select_by_weights,
    select_top_k,
    weight_by_f_test,
    weight_by_lal_score,
)

QUICK = settings(deadline=None, max_examples=80)
VALUES = st.lists(st.integers(-3, 3).map(float) | st.just(np.nan), min_size=1, max_size=8)


def named(values):
    return AttributeWeights([f"a{j}" for j in range(len(values))], values)


def table(names):
    labels = np.array(["n", "y"])[np.arange(3) % 2]
    return ExampleSet.from_numpy(np.zeros((3, len(names))), labels, names=names)


# --- top k ----------------------------------------------------------------------------------


@given(VALUES, st.integers(1, 10), st.booleans())
@QUICK
def test_the_best_k_get_1_and_all_others_0(values, k, absolute):
    weights = named(values)
    found = select_top_k(weights, k=k, use_absolute_weights=absolute)
    size = [-math.inf if math.isnan(v) else abs(v) if absolute else v for v in values]
    best = sorted(range(len(values)), key=lambda j: (-size[j], j))[:k]
    assert found.names == weights.names
    assert found.values.tolist() == [float(j in best) for j in range(len(values))]
    assert found.origin == "Select Top k"


@pytest.mark.parametrize(
    ("n", "p", "kept"),
    [(10, 10.0, 1), (10, 19.9, 1), (10, 20.0, 2), (3, 1.0, 1), (3, 100.0, 3), (30, 70.0, 21),
     (100, 29.0, 29), (1000, 0.7, 7)],
)  # fmt: skip
def test_a_share_is_rounded_down_but_never_to_nothing(n, p, kept):
    found = select_top_k(named(np.arange(float(n))), method="top p%", p=p)
    assert found.values.sum() == kept
    assert found.top(1) == (f"a{n - kept}",)


def test_more_than_there_are_keeps_all_with_a_warning(listening):
    ctx = listening()
    found = select_top_k(named([1, 2]), k=5, ctx=ctx)
    assert found.values.tolist() == [1, 1]
    assert ctx.warnings == ["k is 5, but there are only 2 attributes: all are kept."]
    quiet = listening()
    select_top_k(named([1, 2]), k=2, ctx=quiet)
    select_top_k(named([1, 2]), method="top p%", k=5, p=50, ctx=quiet)
    assert quiet.warnings == []


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"k": 0}, ["k is 0", "whole number", "at least 1"]),
        ({"k": 2.5}, ["k is 2.5", "whole number"]),
        ({"k": "many"}, ["k is", '"many"', "whole number"]),
        ({"p": 0}, ["p is 0", "greater than 0", "at most 100"]),
        ({"p": 101}, ["p is 101", "at most 100"]),
        ({"method": "top"}, ["method is", '"top"', '"top k"', "Did you mean"]),
    ],
)
def test_wrong_parameters_are_told_with_what_is_allowed(parameters, words, refused):
    with refused(*words, error=ParameterError):
        select_top_k(named([1, 2]), **parameters)


def test_a_wrong_input_is_told(refused):
    with refused('"weights"', "takes attribute weights", "a data table", error=PortError):
        select_top_k(table(["a"]))
    with refused('"weights"', "missing", error=PortError):
        select_top_k()


# --- select by weights ----------------------------------------------------------------------


def chosen_by_the_book(names, weights, relation, *, weight, k, p, absolute, drop_unknown):
    """Return what the rules of RapidMiner's operator say, word by word."""
    known = [n for n in names if n in weights and not math.isnan(weights[n])]
    value = {n: abs(weights[n]) if absolute else weights[n] for n in known}
    descending = sorted(known, key=lambda n: -value[n])
    ascending = sorted(known, key=lambda n: value[n])
    share = math.floor(len(known) * p + 0.5)

    def first(ordered, count):
        return ordered[: min(max(count, 1), len(known))]

    keep = {
        "greater": lambda: [n for n in known if value[n] > weight],
        "greater equals": lambda: [n for n in known if value[n] >= weight],
        "equals": lambda: [n for n in known if value[n] == weight],
        "less equals": lambda: [n for n in known if value[n] <= weight],
        "less": lambda: [n for n in known if value[n] < weight],
        "top k": lambda: first(descending, k),
        "bottom k": lambda: first(ascending, k),
        "all but top k": lambda: first(ascending, len(known) - k),
        "all but bottom k": lambda: first(descending, len(known) - k),
        "top p%": lambda: first(descending, share),
        "bottom p%": lambda: first(ascending, share),
    }[relation]()
    if not drop_unknown:
        keep = [*keep, *(n for n in names if n not in known)]
    return [n for n in names if n in keep]


RELATIONS = [
    "greater", "greater equals", "equals", "less equals", "less", "top k", "bottom k",
    "all but top k", "all but bottom k", "top p%", "bottom p%",
]  # fmt: skip


@given(
    values=VALUES,
    missing=st.sets(st.integers(0, 7)),
    relation=st.sampled_from(RELATIONS),
    weight=st.integers(-2, 2).map(float),
    k=st.integers(1, 9),
    p=st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]),
    absolute=st.booleans(),
    drop_unknown=st.booleans(),
)
@settings(deadline=None, max_examples=400)
def test_every_relation_keeps_what_the_rules_say(
    values, missing, relation, weight, k, p, absolute, drop_unknown
):
    names = [f"a{j}" for j in range(len(values))]
    weights = AttributeWeights(
        [n for j, n in enumerate(names) if j not in missing] + ["elsewhere"],
        [v for j, v in enumerate(values) if j not in missing] + [9.0],
    )
    found = select_by_weights(
        table(names),
        weights,
        weight_relation=relation,
        threshold=weight,
        k=k,
        p=p,
        use_absolute_weights=absolute,
        deselect_unknown=drop_unknown,
    )
    expected = chosen_by_the_book(
        names, weights, relation, weight=weight, k=k, p=p, absolute=absolute,
        drop_unknown=drop_unknown,
    )  # fmt: skip
    assert list(found.names) == [*expected, "label"]


def test_by_default_attributes_of_weight_1_are_kept():
    weights = named([1.0, 0.0, -1.0, 0.5])
    found = select_by_weights(table(["a0", "a1", "a2", "a3"]), weights)
    assert found.names == ("a0", "a2", "label")


@pytest.mark.parametrize(("n", "p", "kept"), [(5, 0.5, 3), (7, 0.5, 4), (4, 0.5, 2), (4, 0.1, 1)])
def test_half_an_attribute_counts_up(n, p, kept):
    names = [f"a{j}" for j in range(n)]
    found = select_by_weights(table(names), named(range(n)), weight_relation="top p%", p=p)
    assert len(found.schema.regular) == kept


def test_relations_with_k_and_p_always_leave_one():
    two = table(["a0", "a1"])
    for relation in RELATIONS[5:]:
        found = select_by_weights(two, named([1, 2]), weight_relation=relation, k=5, p=0.0)
        assert len(found.schema.regular) >= 1


def test_values_are_shared_and_not_changed():
    examples = table(["a0", "a1", "a2"])
    found = select_by_weights(examples, named([5, 7, 1]), weight_relation="greater", threshold=2)
    assert np.shares_memory(found.numeric(), examples.numeric())


@pytest.mark.parametrize(
    ("values", "absolute", "told"),
    [([3, 1, 1, 0], False, True), ([3, 2, 1, 1], False, False), ([3, -1, 1, 0], True, True),
     ([3, 1, -1, 0], False, False), ([3, math.inf, math.inf, math.inf], False, True),
     ([math.nan, 1, math.nan, math.nan], False, False)],
)  # fmt: skip
def test_it_is_told_where_only_the_order_of_the_data_decides(values, absolute, told, listening):
    ctx = listening()
    select_top_k(named(values), k=2, use_absolute_weights=absolute, ctx=ctx)
    if not np.isnan(values).any():  # they are left out before
        select_by_weights(
            table([f"a{i}" for i in range(4)]),
            named(values),
            weight_relation="top k",
            k=2,
            use_absolute_weights=absolute,
            ctx=ctx,
        )
        assert len(ctx.warnings) == 2 * told
    assert all("the order of the data decides" in warning for warning in ctx.warnings)
    assert bool(ctx.warnings) == told


def test_nothing_left_is_told(listening):
    ctx = listening()
    found = select_by_weights(table(["a0"]), named([0.5]), ctx=ctx)
    assert found.names == ("label",)
    assert ctx.warnings == ["No attribute has a weight greater equals 1: none is left."]
    ctx = listening()
    other = AttributeWeights(["x"], [1])
    select_by_weights(table(["a0"]), other, weight_relation="top k", ctx=ctx)
    assert ctx.warnings == ["No attribute has a weight at all: none is left."]


def test_a_share_is_a_fraction(refused):
    with refused("p is 50", "between 0 and 1", error=ParameterError):
        select_by_weights(table(["a0"]), named([1]), weight_relation="top p%", p=50)


def test_top_k_and_selection_fit_together():
    weights = named([3.0, 1.0, 2.0])
    found = select_by_weights(table(["a0", "a1", "a2"]), select_top_k(weights, k=2))
    assert found.schema.regular_names == ("a0", "a2")


# --- before the run -------------------------------------------------------------------------


def test_what_a_selection_will_give_is_known_as_far_as_it_can_be():
    names = WeightsMetaData(names=("a", "b"))
    assert select_top_k.operator.describe({"weights": names}, {}) == names
    examples = table(["a", "b"])
    about = ExampleSetMetaData(schema=examples.schema, rows=3)
    described = select_by_weights.operator.describe({"examples": about, "weights": names}, {})
    assert described.rows == 3


@pytest.mark.parametrize(
    ("ties", "kept"), [("order of the data", ["d", "c"]), ("name", ["a", "b"])]
)
def test_equal_weights_at_the_cut_are_kept_by_the_rule(ties, kept):
    weights = AttributeWeights(list("dcbae"), [1.0, 1.0 + 2e-13, 1.0 - 2e-13, 1.0, 0.5])
    with pytest.warns(OperatorWarning, match="4 attributes inside and outside"):
        chosen = select_top_k(weights, k=2, ties=ties)
    assert sorted(chosen.selected()) == sorted(kept)


def test_equal_weights_at_the_cut_are_drawn_at_random_with_the_seed():
    weights = AttributeWeights([f"g{number}" for number in range(40)], np.ones(40))
    drawn = set()
    for seed in (1, 1, 2):
        with pytest.warns(OperatorWarning, match="40 attributes"):
            drawn.add(select_top_k(weights, k=5, ties="random", ties_seed=seed).selected())
    assert len(drawn) == 2
    assert all(len(chosen) == 5 for chosen in drawn)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([3.0, 1 / 3, 1e-9, 7e11]))
def test_scaling_and_reordering_the_rows_do_not_change_the_selection(seed, factor):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(30, 25)).astype(float)  # many equal scores
    label = np.array(list("ab") * 15)
    order = rng.permutation(30)
    chosen = set()
    with warnings.catch_warnings(action="ignore"):
        for values, labels in ((X, label), (X * factor, label), (X[order], label[order])):
            table = ExampleSet.from_numpy(values, labels)
            for weighting in (weight_by_f_test, weight_by_lal_score):
                chosen.add((weighting.__name__, select_top_k(weighting(table), k=7).selected()))
    assert len(chosen) == 2
