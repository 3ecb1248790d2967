"""Operators that break the contract, each in one way."""

import itertools
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator

from fsops import (
    Accepts,
    AttributeWeights,
    Context,
    ExampleSet,
    FlowObject,
    MetaData,
    Model,
    PerformanceVector,
    Subprocess,
    When,
    operator,
)
from fsops.data import ExampleSetMetaData, ModelMetaData, WeightsMetaData
from fsops.errors import DataError
from fsops.operators.weighting.scores import Multiclass

COUNTER = itertools.count()
NUMBERS = Accepts(attributes="numerical", missing=True)


def ranges(examples: ExampleSet) -> AttributeWeights:
    return AttributeWeights(examples.schema.regular_names, np.ones(len(examples.schema.regular)))


@operator(group="Bad")
def no_help(examples: ExampleSet) -> AttributeWeights:
    """No help"""
    return ranges(examples)


@operator(group="Bad")
def help_without_sentence(examples: ExampleSet) -> AttributeWeights:
    """Help without sentence

    weights of all the attributes
    """
    return ranges(examples)


@operator(group="Bad", role="weighting")
def weighs_nothing(examples: ExampleSet) -> ExampleSet:
    """Weighs nothing

    Says that it weighs attributes, but returns a table.
    """
    return examples


@operator(group="Bad", role="learner")
def learns_without_rows(weights: AttributeWeights) -> AttributeWeights:
    """Learns without rows

    Says that it trains a model, but takes no table and returns none.
    """
    return weights


@operator(group="Bad", role="source")
def source_with_input(examples: ExampleSet) -> ExampleSet:
    """Source with input

    Says that it reads data, but must be given a table.
    """
    return examples


@operator(group="Bad", role="search")
def hidden_validation(
    examples: ExampleSet,
    training: Subprocess[[ExampleSet], Model],
    testing: Subprocess[[Model, ExampleSet], PerformanceVector],
) -> PerformanceVector:
    """Hidden validation

    Says that it searches, but tests a model.
    """
    return testing(training(examples), examples)


@operator(group="Bad")
def undescribed_parameter(examples: ExampleSet, *, k: int = 3) -> AttributeWeights:
    """Undescribed parameter

    Nobody knows what k is.
    """
    return ranges(examples)


@operator(group="Bad")
def undescribed_ports(one: ExampleSet, two: ExampleSet) -> AttributeWeights:
    """Undescribed ports

    Nobody knows which table goes where.
    """
    return ranges(one)


@operator(group="Bad")
def changed_default(
    examples: ExampleSet, *, k: Annotated[float, BeforeValidator(lambda v: float(v) + 1)] = 1.0
) -> AttributeWeights:
    """Changed default"""
    return ranges(examples)


@operator(group="Bad")
def never_applies(
    examples: ExampleSet,
    *,
    method: Literal["top k", "all"] = "all",
    k: Annotated[int, When(method="top-k")] = 1,
) -> AttributeWeights:
    """Never applies"""
    return ranges(examples)


@operator(group="Bad")
def accepts_anything(
    examples: ExampleSet, *, k: Annotated[int, BeforeValidator(lambda v: 1)] = 1
) -> AttributeWeights:
    """Accepts anything"""
    return ranges(examples)


@operator(group="Bad")
def stops_at_a_value(examples: ExampleSet, *, k: int = 3) -> AttributeWeights:
    """Stops at a value"""
    return ranges(examples.take(np.zeros(k, dtype=int)))


@operator(group="Bad")
def stops_at_a_choice(
    examples: ExampleSet, *, how: Literal["well", "badly"] = "well"
) -> AttributeWeights:
    """Stops at a choice"""
    return {"well": ranges}[how](examples)


@operator(group="Bad")
def changes_its_input(weights: AttributeWeights) -> AttributeWeights:
    """Changes its input"""
    weights.values = np.ones(len(weights))
    return weights


@operator(group="Bad", accepts=NUMBERS)
def uses_global_random_numbers(examples: ExampleSet) -> AttributeWeights:
    """Uses global random numbers"""
    return examples.weights(np.random.random(len(examples.schema.regular)))  # noqa: NPY002


@operator(group="Bad", accepts=NUMBERS)
def remembers_calls(examples: ExampleSet) -> AttributeWeights:
    """Remembers calls"""
    return examples.weights(np.full(len(examples.schema.regular), float(next(COUNTER))))


@operator(group="Bad", accepts=NUMBERS)
def knows_where_it_runs(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Knows where it runs"""
    here = len(type(ctx.services).__name__)
    return examples.weights(np.full(len(examples.schema.regular), float(here)))


@operator(group="Bad", accepts=NUMBERS)
def counts_in_a_loop(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Counts in a loop"""
    seen: list[int] = []

    def iteration(index: int) -> float:
        seen.append(index)
        return float(len(seen))

    return examples.weights(ctx.map(iteration, range(len(examples.schema.regular))))


@operator(group="Bad", accepts=NUMBERS)
def loops_with_a_lock(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Loops with a lock"""
    lock = threading.Lock()

    def iteration(index: int) -> float:
        with lock:
            return 1.0

    return examples.weights(ctx.map(iteration, range(len(examples.schema.regular))))


@operator(group="Bad", accepts=NUMBERS)
def random_in_order(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Random in order"""
    rng = ctx.rng()
    iterations = range(len(examples.schema.regular))
    return examples.weights(ctx.map(lambda _: float(rng.random()), iterations))


@operator(group="Bad")
def prints(examples: ExampleSet) -> AttributeWeights:
    """Prints"""
    print("Hello")  # noqa: T201
    return ranges(examples)


@operator(group="Bad")
def writes_a_file(examples: ExampleSet) -> AttributeWeights:
    """Writes a file"""
    Path("cache.txt").write_text("mine")
    return ranges(examples)


@operator(group="Bad")
def sets_numpy(examples: ExampleSet) -> AttributeWeights:
    """Sets numpy"""
    np.seterr(divide="call" if np.geterr()["divide"] == "warn" else "warn")
    return ranges(examples)


@operator(group="Bad")
def leaves_a_thread(examples: ExampleSet) -> AttributeWeights:
    """Leaves a thread"""
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return ranges(examples)


class Closed(FlowObject):
    def __init__(self) -> None:
        self.lock = threading.Lock()


@operator(group="Bad")
def cannot_travel(examples: ExampleSet) -> Closed:
    """Cannot travel"""
    return Closed()


class Forgetful(FlowObject):
    def __init__(self, content: int = 0) -> None:
        self.content = content

    def __getstate__(self) -> dict[str, int]:
        return {"content": 0}


@operator(group="Bad")
def loses_something(examples: ExampleSet) -> Forgetful:
    """Loses something"""
    return Forgetful(7)


@operator(group="Bad")
def does_not_stop(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Does not stop"""
    try:
        for _ in ctx.progress(range(3)):
            pass
    except Exception:  # noqa: BLE001
        pass
    return ranges(examples)


@operator(group="Bad")
def cannot_be_stopped(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Cannot be stopped"""
    end = time.process_time() + 0.1
    while time.process_time() < end:
        pass
    return ranges(examples)


def wrong_names(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return WeightsMetaData(names=("nobody",))


@operator(group="Bad", describe=wrong_names)
def describes_others(examples: ExampleSet) -> AttributeWeights:
    """Describes others"""
    return ranges(examples)


def same_rows(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return inputs.get("examples", ExampleSetMetaData())


@operator(group="Bad", describe=same_rows)
def loses_a_row(examples: ExampleSet) -> ExampleSet:
    """Loses a row"""
    return examples.take(np.arange(1, len(examples)))


def all_attributes(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    meta = inputs.get("examples")
    return ModelMetaData(training=getattr(meta, "schema", None))


@operator(group="Bad", describe=all_attributes)
def learns_less(examples: ExampleSet, learner: Subprocess[[ExampleSet], Model]) -> Model:
    """Learns less"""
    return learner(examples.select_regular(examples.schema.regular_names[1:]))


def needs_a_schema(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return WeightsMetaData(names=inputs["examples"].schema.regular_names)  # type: ignore


@operator(group="Bad", describe=needs_a_schema)
def describes_the_known_only(examples: ExampleSet) -> AttributeWeights:
    """Describes the known only"""
    return ranges(examples)


@operator(group="Bad", describe=lambda inputs, parameters: {"nothing": MetaData()})
def describes_other_ports(examples: ExampleSet) -> AttributeWeights:
    """Describes other ports"""
    return ranges(examples)


@operator(group="Bad", describe=lambda inputs, parameters: MetaData(Model))
def describes_another_type(examples: ExampleSet) -> AttributeWeights:
    """Describes another type"""
    return ranges(examples)


@operator(group="Bad")
def strips_names(examples: ExampleSet) -> AttributeWeights:
    """Strips names"""
    names = [name.strip() for name in examples.schema.regular_names]
    return AttributeWeights(names, np.ones(len(names)))


@operator(group="Bad")
def judges_by_names(examples: ExampleSet) -> AttributeWeights:
    """Judges by names"""
    names = examples.schema.regular_names
    return AttributeWeights(names, [float(len(name)) for name in names])


@operator(group="Bad")
def renames(examples: ExampleSet) -> ExampleSet:
    """Renames"""
    return examples.rename({name: name.strip() for name in examples.schema.regular_names})


@operator(group="Bad", accepts=Accepts(attributes="numerical"))
def divides_by_zero(examples: ExampleSet) -> AttributeWeights:
    """Divides by zero"""
    return examples.weights(1 / examples.numeric().std(axis=0))


@operator(group="Bad", accepts=Accepts(attributes="numerical", blocks=True))
def needs_all_rows(examples: ExampleSet) -> AttributeWeights:
    """Needs all rows"""
    return examples.weights(np.ptp(examples.numeric(), axis=0))


@operator(group="Bad", accepts=Accepts(attributes="numerical", blocks=True))
def looks_at_the_first_rows(examples: ExampleSet) -> AttributeWeights:
    """Looks at the first rows"""
    first = min(3, len(examples)) if examples.values_known else min(2, len(examples))
    return examples.weights(np.ptp(examples.take(np.arange(first)).numeric(), axis=0))


@operator(
    group="Bad",
    role="weighting",
    accepts=Accepts(label="nominal", attributes="numerical"),
    row_weights="used",
)
def ignores_row_weights(examples: ExampleSet) -> AttributeWeights:
    """Ignores row weights

    It declares that it uses them.
    """
    return examples.weights(examples.numeric().mean(axis=0))


@operator(group="Bad", role="weighting")
def counts_rows_of_lists(
    tables: list[ExampleSet], weighting: Subprocess[[ExampleSet], AttributeWeights]
) -> AttributeWeights:
    """Counts rows of lists

    It gets a list of tables, in which nothing removes the rows with the weight 0.
    """
    found = weighting(tables[0])
    return AttributeWeights(found.names, found.values * len(tables[0]))


@operator(group="Bad", role="weighting", accepts=Accepts(label="nominal", attributes="numerical"))
def compares_the_first_class_only(
    examples: ExampleSet, *, multiclass: Multiclass = "maximum"
) -> AttributeWeights:
    """Compares the first class only

    It has the parameter of weightings that compare each class with the others.
    """
    first = examples.class_codes()[0] == 0
    values = examples.numeric()
    return examples.weights(np.abs(values[first].mean(axis=0) - values[~first].mean(axis=0)))


@operator(group="Bad", role="selection", bound_groups="together")
def takes_the_first(examples: ExampleSet) -> ExampleSet:
    """Takes the first

    It declares that it takes groups together.
    """
    return examples.drop(examples.schema.regular_names[1:])


@operator(group="Bad", role="weighting")
def weighs_the_forbidden(examples: ExampleSet) -> AttributeWeights:
    """Weighs the forbidden"""
    names = [name for name in examples.names if examples.schema.roles.get(name) != "label"]
    return AttributeWeights(names, np.ones(len(names)))


@operator(group="Bad", accepts=Accepts(attributes="numerical", sparse=True))
def forgets_the_zeros(examples: ExampleSet) -> AttributeWeights:
    """Forgets the zeros"""
    matrix = examples.matrix()
    if isinstance(matrix, np.ndarray):
        return examples.weights(np.abs(matrix.mean(axis=0)))
    stored = np.maximum(np.diff(matrix.indptr), 1)
    return examples.weights(np.abs(matrix.sum(axis=0)) / stored)


@operator(group="Bad", accepts=Accepts(attributes="numerical", sparse=True))
def refuses_what_it_accepts(examples: ExampleSet) -> AttributeWeights:
    """Refuses what it accepts"""
    if not isinstance(examples.matrix(), np.ndarray):
        raise DataError("No zeros.")
    return examples.weights(np.ptp(examples.numeric(), axis=0))


@operator(group="Bad", accepts=Accepts(attributes="numerical"))
def gives_nan(examples: ExampleSet) -> AttributeWeights:
    """Gives NaN"""
    with np.errstate(all="ignore"):
        spread = examples.numeric().std(axis=0)
        return examples.weights(spread / spread)


@operator(group="Bad", accepts=Accepts(attributes="numerical"))
def needs_two_rows(examples: ExampleSet) -> AttributeWeights:
    """Needs two rows"""
    return examples.weights(examples.numeric()[1])


@operator(group="Bad")
def needs_two_classes(examples: ExampleSet) -> AttributeWeights:
    """Needs two classes"""
    if examples.schema.label is not None:
        examples.classes.index("yes")
    return ranges(examples)


@operator(group="Bad")
def leaves(examples: ExampleSet) -> AttributeWeights:
    """Leaves"""
    raise SystemExit(3)


@operator(group="Bad")
def needs_all_weights(examples: ExampleSet, weights: AttributeWeights) -> AttributeWeights:
    """Needs all weights"""
    values = dict(weights)
    return AttributeWeights(weights.names, [values[n] for n in examples.schema.regular_names])


@operator(group="Bad")
def needs_an_optional_input(
    examples: ExampleSet, weights: AttributeWeights | None = None
) -> AttributeWeights:
    """Needs an optional input"""
    return weights.with_values(weights.values)  # type: ignore[union-attr]


@operator(group="Bad")
def needs_several(examples: list[ExampleSet]) -> ExampleSet:
    """Needs several"""
    return examples[1]


class Strange(FlowObject):
    """Something only its author can make."""


@operator(group="Bad")
def takes_the_strange(strange: Strange) -> AttributeWeights:
    """Takes the strange"""
    return AttributeWeights(["a"], [1.0])
