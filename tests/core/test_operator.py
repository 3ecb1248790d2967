"""The declaration language: what a signature means, and what cannot be declared."""

import copy
from typing import Annotated, Literal, NamedTuple, TypedDict, Unpack

import numpy as np
import pytest
from pydantic import Field

from fsops import (
    Accepts,
    AttributeWeights,
    Collection,
    Context,
    ExampleSet,
    FlowObject,
    Model,
    Named,
    Subprocess,
    When,
    operator,
)
from fsops.core.operator import operator_of, placeholder
from fsops.errors import DataError, DeclarationError, ParameterError, PortError
from fsops.operators import weight_by_sam


class Pair(NamedTuple):
    best: AttributeWeights
    rest: AttributeWeights | None


@operator(group="Test", tags=("spread",))
def weight_by_range(
    examples: ExampleSet,
    *,
    scale: Annotated[float, Field(gt=0, description="Factor.")] = 1.0,
) -> AttributeWeights:
    """Weight by range

    Gives largest minus smallest value. Not for outliers.
    """
    return examples.weights(scale * np.ptp(examples.numeric(), axis=0))


@operator(group="Test")
def everything(
    examples: ExampleSet,
    model: Model | None,
    tables: list[ExampleSet],
    inner: Subprocess[[ExampleSet, Annotated[ExampleSet, Named("test_set")]], AttributeWeights],
    choices: list[Subprocess[[ExampleSet], Pair]],
    *,
    mode: Literal["fast", "exact"] = "fast",
    rounds: Annotated[int, When(mode="exact"), Field(ge=1)],
    ctx: Context,
) -> Pair:
    """Everything"""
    raise AssertionError


@pytest.fixture
def examples():
    X = np.random.default_rng(0).normal(size=(6, 3))
    return ExampleSet.from_numpy(X, ["a", "b"] * 3)


def test_function_is_called_as_a_plain_function(examples):
    weights = weight_by_range(examples, scale=2)
    assert weights.values == pytest.approx(2 * np.ptp(examples.numeric(), axis=0))
    assert weights.names == ("att1", "att2", "att3")


def test_docstring_gives_title_help_and_summary():
    spec = operator_of(weight_by_range)
    assert spec.title == "Weight by range"
    assert spec.summary == "Gives largest minus smallest value."
    assert weight_by_range.__name__ == "weight_by_range"


def test_weights_remember_which_operator_made_them(examples):
    assert weight_by_range(examples).origin == "Weight by range"


def test_ports_and_parameters_are_read_from_the_signature():
    spec = operator_of(everything)
    assert [(p.name, p.type, p.optional, p.many) for p in spec.inputs] == [
        ("examples", ExampleSet, False, False),
        ("model", Model, True, False),
        ("tables", ExampleSet, True, True),
    ]
    assert [p.name for p in spec.outputs] == ["best", "rest"]
    assert [p.optional for p in spec.outputs] == [False, True]
    inner, choices = spec.subprocesses
    assert [p.name for p in inner.sources] == ["examples", "test_set"]
    assert [p.name for p in inner.sinks] == ["weights"]
    assert choices.many
    assert choices.result is Pair
    assert spec.context == "ctx"
    assert [p.name for p in spec.parameters] == ["mode", "rounds"]


def test_bad_parameter_from_python_says_what_is_allowed(examples):
    with pytest.raises(ParameterError, match="scale is 0, but must be a number greater than 0"):
        weight_by_range(examples, scale=0)


def test_unknown_argument_from_python_suggests_the_right_one(examples):
    with pytest.raises(TypeError, match="scale"):
        weight_by_range(examples, scael=1)


def test_wrong_type_at_a_port_is_named(examples):
    with pytest.raises(PortError, match='"examples" takes a data table, but got attribute weights'):
        weight_by_range(weight_by_range(examples))


def test_missing_input_is_named():
    with pytest.raises(PortError, match='"examples" is missing; it takes a data table'):
        weight_by_range()


def test_accepts_is_checked_before_the_function_runs(examples):
    @operator(group="Test", accepts=Accepts(label="numerical"))
    def needs_number(examples: ExampleSet) -> ExampleSet:
        """Needs number"""
        raise AssertionError("never reached")

    with pytest.raises(DataError, match='numerical label is needed, but "label" is binominal'):
        needs_number(examples)


def test_wrong_result_type_is_the_operators_fault(examples):
    @operator(group="Test")
    def liar(examples: ExampleSet) -> Model:
        """Liar"""
        return examples  # type: ignore[return-value]

    with pytest.raises(PortError, match='"model" takes a model, but got a data table'):
        liar(examples)


def test_context_is_made_where_none_is_given(examples):
    @operator(group="Test")
    def draw(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
        """Draw"""
        return examples.weights(ctx.rng().random(3))

    assert draw(examples).equals(draw(examples))
    assert not draw(examples).equals(draw(examples, ctx=Context(seed=5, path=("Draw",))))


def test_defaults_cannot_be_changed_by_the_operator(examples):
    @operator(group="Test")
    def greedy(examples: ExampleSet, *, names: list[str] = ["a"]) -> AttributeWeights:  # noqa: B006
        """Greedy"""
        names.append("b")
        return examples.weights([len(names)] * 3)

    assert greedy(examples).equals(greedy(examples))


def test_copying_keeps_the_operator_itself():
    spec = operator_of(weight_by_range)
    assert copy.deepcopy(spec) is spec


def test_something_else_is_not_an_operator():
    with pytest.raises(DeclarationError, match="not an operator"):
        operator_of(len)


# --- what cannot be declared: the message names function and argument --------------------------


def declaration(function, **options):
    with pytest.raises(DeclarationError) as caught:
        operator(group="Test", **options)(function)
    message = str(caught.value)
    assert function.__qualname__ in message
    return message


def test_unknown_port_annotation_is_refused():
    def f(data: dict) -> ExampleSet:
        """F"""

    message = declaration(f)
    assert "argument data" in message
    assert "dict cannot flow through a port" in message


def test_missing_annotation_is_refused():
    def f(data) -> ExampleSet:
        """F"""

    assert "argument data has no annotation" in declaration(f)


def test_unresolvable_annotation_is_refused():
    def f(data: "Nowhere") -> ExampleSet:  # noqa: F821
        """F"""

    assert "Nowhere" in declaration(f)


def test_unknown_parameter_annotation_is_refused():
    def f(*, when: complex = 1j) -> ExampleSet:
        """F"""

    message = declaration(f)
    assert "argument when" in message
    assert "cannot be a parameter" in message


def test_missing_return_annotation_is_refused():
    def f(data: ExampleSet):
        """F"""

    assert "return annotation" in declaration(f)


def test_missing_docstring_is_refused():
    def f(data: ExampleSet) -> ExampleSet:
        return data

    assert "docstring is missing" in declaration(f)


def test_star_arguments_are_refused():
    def f(*tables: ExampleSet) -> ExampleSet:
        """F"""

    assert "list[...] for many inputs" in declaration(f)


def test_two_outputs_of_one_name_are_refused():
    class Twice(NamedTuple):
        one: Annotated[Model, Named("same")]
        two: Annotated[Model, Named("same")]

    def f() -> Twice:
        """F"""

    f.__annotations__["return"] = Twice
    assert 'two outputs are called "same"' in declaration(f)


def test_two_inner_inputs_of_one_type_need_names():
    def f(inner: Subprocess[[ExampleSet, ExampleSet], Model]) -> Model:
        """F"""

    assert 'two inner inputs are called "examples"' in declaration(f)


def test_default_that_is_no_choice_is_refused():
    def f(*, mode: Literal["a", "b"] = "c") -> ExampleSet:  # type: ignore[assignment]
        """F"""

    assert "default of mode is 'c'" in declaration(f)


def test_condition_on_an_unknown_parameter_is_refused():
    def f(*, k: Annotated[int, When(method="top")] = 1) -> ExampleSet:
        """F"""

    assert "depends on method" in declaration(f)


def test_field_as_default_is_refused():
    def f(*, k: int = Field(ge=1)) -> ExampleSet:
        """F"""

    assert "Annotated[type, Field(...)]" in declaration(f)


def test_key_with_odd_characters_is_refused():
    def f(data: ExampleSet) -> ExampleSet:
        """F"""

    assert "cannot be a key" in declaration(f, key="Weight It!")


def test_accepts_without_a_table_is_refused():
    def f(model: Model) -> Model:
        """F"""

    with pytest.raises(DeclarationError, match="accepts needs an input that takes a table"):
        operator(group="Test", accepts=Accepts())(f)


def test_a_plugin_may_let_its_own_kind_flow():
    class Pathway(FlowObject):
        port_name = "pathway"
        title = "Pathway"

    def f(data: ExampleSet) -> Pathway:
        """F"""

    f.__annotations__["return"] = Pathway
    assert operator_of(operator(group="Test")(f)).outputs[0].name == "pathway"


def test_collections_name_their_port():
    @operator(group="Test")
    def collect(tables: list[ExampleSet]) -> Collection[ExampleSet]:
        """Collect"""
        return Collection(tables)

    assert operator_of(collect).outputs[0].name == "collection"
    assert len(collect([])) == 0


def test_operators_travel_by_their_place():
    import pickle

    spec = operator_of(weight_by_sam)
    assert pickle.loads(pickle.dumps(spec)) is spec
    unknown = pickle.loads(pickle.dumps(placeholder("x:y")))
    assert unknown.is_placeholder
    assert unknown.key == "x:y"


def test_input_cannot_have_another_name_than_its_argument():
    def f(data: Annotated[ExampleSet, Named("table")]) -> ExampleSet:
        """F"""

    assert "the input table must have its argument's name" in declaration(f)


def test_named_tuple_of_one_output_is_taken_apart(examples):
    class Only(NamedTuple):
        best: AttributeWeights

    def f(examples: ExampleSet) -> Only:
        """F"""
        return Only(examples.weights([1, 2, 3]))

    f.__annotations__["return"] = Only
    spec = operator_of(operator(group="Test")(f))
    assert spec.run({"examples": examples}, {}, Context())["best"].values.tolist() == [1, 2, 3]


def test_weights_that_only_pass_through_are_left_as_they_are():
    @operator(group="Test")
    def through(weights: AttributeWeights) -> AttributeWeights:
        """Through"""
        return weights

    assert through(AttributeWeights("a", [1])).origin == ""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda table: "x", 'given as "body" must return attribute weights, but returned a str'),
        (lambda table: None, "but returned a NoneType"),
        (lambda: None, 'The function given as "body" must take: examples'),
    ],
)
def test_function_in_the_place_of_an_inner_process_is_checked(examples, function, words):
    @operator(group="Test")
    def once(
        examples: ExampleSet, body: Subprocess[[ExampleSet], AttributeWeights]
    ) -> AttributeWeights:
        """Once"""
        return body(examples)

    assert once(examples, weight_by_range).names == ("att1", "att2", "att3")
    with pytest.raises(PortError, match=words):
        once(examples, function)


def test_data_frames_and_matrices_are_refused_with_how_to_convert_them():
    with pytest.raises(PortError, match="from_numpy"):
        weight_by_range(np.eye(3))


def test_name_in_the_place_of_a_function_is_refused_with_the_import():
    with pytest.raises(DeclarationError, match="from fsops.operators import weight_by_sam"):
        operator_of("weight_by_sam")


class Shared(TypedDict, total=False):
    kind: Annotated[Literal["all", "some"], Field(default="all", description="Which.")]
    share: Annotated[float, When(kind="some"), Field(default=0.5, gt=0, description="How many.")]
    names: Annotated[list[str], Field(default=[], description="Names.")]


@operator(group="Test")
def with_shared(
    examples: ExampleSet, *, own: int = 1, **shared: Unpack[Shared]
) -> AttributeWeights:
    """With shared parameters"""
    assert shared["kind"] in ("all", "some")
    return examples.weights(np.full(len(examples.schema.regular), shared["share"] * own))


def test_shared_parameters_are_parameters_like_any_other():
    spec = operator_of(with_shared)
    assert [p.name for p in spec.parameters] == ["own", "kind", "share", "names"]
    assert spec.parameter("share").default == 0.5
    assert spec.parameter("share").bounds == {"gt": 0}
    assert spec.parameter("kind").choices == ("all", "some")


def test_shared_parameters_reach_the_function_with_their_defaults():
    table = ExampleSet.from_numpy(np.eye(3))
    assert with_shared(table, own=2).values[0] == 1.0
    assert with_shared(table, share=0.25).values[0] == 0.25


def test_wrong_shared_parameters_are_refused():
    table = ExampleSet.from_numpy(np.eye(3))
    with pytest.raises(ParameterError, match="greater than 0"):
        with_shared(table, share=0)
    with pytest.raises(TypeError, match="Did you mean"):
        with_shared(table, shares=1)
    with pytest.raises(TypeError, match="twice"):
        with_shared(table, examples=table)


def test_a_parameter_without_its_name_is_told():
    table = ExampleSet.from_numpy(np.eye(3))
    with pytest.raises(TypeError, match='given 2 values .* its inputs .* "examples".*by name'):
        with_shared(table, 2)


def test_other_keyword_collections_are_refused():
    with pytest.raises(DeclarationError, match="Unpack"):

        @operator(group="Test")
        def wrong(examples: ExampleSet, **rest: int) -> ExampleSet:
            """Wrong"""
            return examples


def test_many_ports_with_gaps_keep_their_places():
    @operator(group="Test")
    def places(
        given: list[ExampleSet | None],
    ) -> Annotated[list[ExampleSet | None], Named("taken")]:
        """Places"""
        return given

    spec = operator_of(places)
    assert spec.inputs[0].gaps
    assert spec.outputs[0].gaps
    table = ExampleSet.from_numpy(np.eye(3))
    assert places([None, table]) == [None, table]
