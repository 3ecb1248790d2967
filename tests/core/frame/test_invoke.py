"""Operators called as Python functions: names, random numbers, macros and settings."""

import warnings
from contextlib import nullcontext
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
import pandas as pd
import pytest
from pydantic import Field

import fsops
from fsops import (
    AttributeWeights,
    Context,
    Criterion,
    ExampleSet,
    PerformanceVector,
    Subprocess,
    operator,
)
from fsops.core import File
from fsops.errors import DataError, OperatorWarning, ParameterError, PortError
from fsops.operators import (
    ensemble_feature_selection,
    loop,
    loop_parameters,
    naive_bayes,
    recall,
    remember,
    set_macro,
    subprocess,
    weight_by_sam,
    weight_by_surf,
)


@operator(group="Test", random=True)
def draw(
    examples: ExampleSet,
    *,
    scale: Annotated[int, Field(ge=1)] = 1,
    text: str = "",
    file: Annotated[str, File()] = "",
    ctx: Context,
) -> AttributeWeights:
    """Draw"""
    return examples.weights(scale * ctx.rng().random(len(examples.schema.regular)))


class Both(NamedTuple):
    weights: AttributeWeights
    more: AttributeWeights | None = None


@operator(group="Test")
def iterations(
    examples: ExampleSet, body: Subprocess[[ExampleSet], Both], *, ctx: Context
) -> AttributeWeights:
    """Iterations"""
    found = ctx.map(lambda _: body(examples), range(3), "Iterations")
    assert all(isinstance(item, Both | AttributeWeights) for item in found)
    weights = [item.weights if isinstance(item, Both) else item for item in found]
    return examples.weights(np.concatenate([w.values[:2] for w in weights]))


@pytest.fixture
def table(two_classes):
    return two_classes


def values(weights):
    return list(weights.values)


def performance_of(weights):
    return PerformanceVector([Criterion("sum", (float(weights.values.sum()),), True)])


def test_a_call_on_its_own_is_the_same_each_time(table):
    assert values(draw(table)) == values(draw(table))


def test_in_a_run_the_second_call_draws_other_numbers_and_a_second_run_the_same(table):
    def calls(seed):
        with fsops.running(seed=seed):
            return [values(draw(table)), values(draw(table))]

    first, second = calls(1)
    assert first != second
    assert calls(1) == [first, second]
    assert calls(2)[0] != first


def test_the_name_decides_not_the_order(table):
    with fsops.running(seed=1):
        a, b = draw(table, name="a"), draw(table, name="b")
    with fsops.running(seed=1):
        other_b, other_a = draw(table, name="b"), draw(table, name="a")
    assert (values(a), values(b)) == (values(other_a), values(other_b))
    assert values(a) != values(b)


def test_a_name_counts_without_a_run_too(table):
    assert values(draw(table, name="a")) != values(draw(table, name="b"))


@pytest.mark.parametrize("in_run", [True, False])
def test_a_function_draws_other_numbers_in_each_iteration(table, in_run):
    def body(rows):
        return draw(rows)

    with fsops.running(seed=1) if in_run else nullcontext():
        found = iterations(table, body)
    assert len(set(values(found))) == len(found)


def test_an_operator_as_function_draws_other_numbers_in_each_iteration(table):
    assert len(set(values(iterations(table, draw)))) == 6
    assert len(set(values(iterations(table, partial(draw, scale=2))))) == 6


def test_a_seed_of_its_own_is_for_the_operator_alone(table):
    with fsops.running(seed=1):
        own = draw(table, use_local_random_seed=True, local_random_seed=5)
        again = draw(table, use_local_random_seed=True, local_random_seed=5)
    assert values(own) == values(again)


@pytest.mark.usefixtures("several_threads")
def test_iterations_in_workers_draw_the_numbers_of_iterations_here(table, engines):
    with fsops.running(seed=1):
        here = loop([table], lambda inputs: [draw(inputs[0])], iterations=4)[0]
    with fsops.running(seed=1, engine=engines("threads")):
        there = loop([table], lambda inputs: [draw(inputs[0])], iterations=4)[0]
    assert here.equals(there)
    assert values(here[0]) != values(here[1])


def test_macros_are_replaced_and_can_be_set(table):
    with fsops.running(macros={"scale": "3"}):
        set_macro([table], macro="more", value="2")
        thrice = draw(table, scale="%{scale}", name="x")
        twice = draw(table, scale="%{more}", name="x")
    with fsops.running():
        once = draw(table, name="x")
    np.testing.assert_allclose(thrice.values, 3 * once.values)
    np.testing.assert_allclose(twice.values, 2 * once.values)


def test_a_macro_without_a_value_is_told_with_the_name_of_the_call(table):
    with fsops.running(), pytest.raises(ParameterError, match=r"^Mine: .*%\{scale\} has no value"):
        draw(table, scale="%{scale}", name="Mine")


def test_what_is_remembered_can_be_recalled(table):
    with fsops.running():
        remember(table, remember_as="it")
        assert recall(remembered_as="it").equals(table)


def test_file_names_start_at_the_folder(table, tmp_path):
    seen = []

    @operator(group="Test")
    def note(examples: ExampleSet, *, file: Annotated[str, File()]) -> ExampleSet:
        """Note"""
        seen.append(file)
        return examples

    with fsops.running(folder=tmp_path):
        note(table, file="a/b.csv")
    note(table, file="a/b.csv")
    assert seen == [str(tmp_path / "a" / "b.csv"), "a/b.csv"]


def test_a_search_sets_parameters_of_the_operator_of_that_name(table):
    def iteration(inputs):
        return performance_of(draw(inputs[0], name="Mine"))

    with fsops.running():
        trials = loop_parameters([table], iteration, parameters={"Mine.scale": "1,2"}).trials
    one, two = trials.to_pandas()["sum"]
    assert two == pytest.approx(2 * one)


def test_a_search_for_a_name_that_is_not_called_warns(table):
    def iteration(inputs):
        return performance_of(draw(inputs[0], name="Mine"))

    with fsops.running(), pytest.warns(OperatorWarning, match='called no operator "Mien"'):
        loop_parameters([table], iteration, parameters={"Mien.scale": "1,2"})


def test_functions_inside_need_not_call_what_a_search_sets(table):
    def iteration(inputs):
        (passed,) = subprocess(inputs, lambda values: values)
        other = subprocess([passed], lambda values: [draw(values[0], name="Other")])
        found = subprocess([passed], lambda values: [draw(values[0], name="Mine")])
        assert len(other) == 1
        return performance_of(found[0])

    with fsops.running(), warnings.catch_warnings():
        warnings.simplefilter("error")
        trials = loop_parameters([table], iteration, parameters={"Mine.scale": "1,2"}).trials
    one, two = trials.to_pandas()["sum"]
    assert two == pytest.approx(2 * one)


def test_a_weighting_computed_at_once_counts_as_called(table):
    def iteration(inputs):
        found = ensemble_feature_selection(inputs[0], partial(weight_by_sam, name="Mine"), k=2)
        return performance_of(found)

    with fsops.running(), warnings.catch_warnings():
        warnings.simplefilter("error")
        loop_parameters([table], iteration, parameters={"Mine.s0": "0,1"})


def test_a_search_of_a_function_without_operators_is_told(table):
    def iteration(inputs):
        return performance_of(inputs[0].weights(np.ones(len(inputs[0].schema.regular))))

    with fsops.running(), pytest.raises(PortError, match="must take: input, scale"):
        loop_parameters([table], iteration, parameters={"Mine.scale": "1,2"})


def test_a_search_for_a_parameter_that_is_not_there_is_told(table):
    def iteration(inputs):
        return performance_of(draw(inputs[0], name="Mine"))

    with fsops.running(), pytest.raises(ParameterError, match='no parameter "sclae"'):
        loop_parameters([table], iteration, parameters={"Mine.sclae": "1,2"})


def test_a_function_may_return_a_plain_tuple_for_several_ports(table):
    assert len(iterations(table, lambda t: (draw(t), draw(t)))) == 6
    assert len(iterations(table, lambda t: (draw(t),))) == 6
    with pytest.raises(PortError, match="must return attribute weights"):
        iterations(table, lambda t: None)


def test_an_ensemble_of_a_weighting_is_computed_at_once_with_the_same_figures(table):
    def one_by_one(rows):
        return weight_by_sam(rows)

    with fsops.running(seed=1):
        fast = ensemble_feature_selection(table, weight_by_sam, k=2)
        given = ensemble_feature_selection(
            table, partial(weight_by_sam, s0=0.0), k=2, name="Ensemble Feature Selection"
        )
    with fsops.running(seed=1):
        slow = ensemble_feature_selection(table, one_by_one, k=2)
    np.testing.assert_allclose(fast.values, slow.values)
    assert fast.selected() == given.selected()


def test_a_negative_seed_is_drawn_anew(table):
    with fsops.running(seed=-1) as one:
        first = values(draw(table))
    with fsops.running(seed=-1) as two:
        second = values(draw(table))
    assert one != two
    assert first != second
    with fsops.running(seed=one):
        assert values(draw(table)) == first


def test_row_weights_are_used_or_refused_by_name():
    frame = pd.DataFrame({"x": [0.0, 0, 1, 2], "y": list("aabb"), "w": [1.0, 1, 98, 1]})
    table = ExampleSet.from_pandas(frame, roles={"y": "label", "w": "weight"})
    prior = naive_bayes(table).predictor.log_prior
    assert np.exp(prior) == pytest.approx([2 / 101, 99 / 101])
    with pytest.raises(DataError, match='"w" has the role weight, but Weight by SURF cannot'):
        weight_by_surf(table)
