"""Parameters: checking, words for people, and text in files."""

from typing import Annotated, Literal

import pytest
from hypothesis import given, strategies as st
from pydantic import AfterValidator, Field

from fsops import AttributeName, AttributeNames, Expert, File, When
from fsops.core.declare.parameters import (
    REQUIRED,
    check_parameters,
    has_macro,
    join_names,
    read_parameter,
    split_names,
    value_text,
)
from fsops.errors import ParameterError


def read(annotation, default=REQUIRED):
    return read_parameter("k", annotation, default)


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (bool, "boolean"),
        (int, "integer"),
        (float, "number"),
        (str, "text"),
        (Literal["a", "b"], "choice"),
        (float | Literal["auto"], "number"),
        (int | None, "integer"),
        (list[int], "list"),
        (dict[str, float], "pairs"),
        (list[tuple[str, str]], "pairs"),
        (Annotated[str, File((".csv",))], "file"),
        (Annotated[str, AttributeName], "attribute"),
        (Annotated[list[str], AttributeNames()], "attributes"),
    ],
)
def test_kind_follows_from_the_annotation(annotation, kind):
    assert read(annotation).kind == kind


@pytest.mark.parametrize(
    ("annotation", "text", "value"),
    [
        (int, "12", 12),
        (float, "0.1", 0.1),
        (bool, "true", True),
        (bool, "false", False),
        (float | Literal["auto"], "auto", "auto"),
        (float | Literal["auto"], "0.5", 0.5),
        (int | None, "", None),
        (list[int], "50, 10,1", [50, 10, 1]),
        (list[float], ["1", "2.5"], [1.0, 2.5]),
        (dict[str, float], [("a", "1")], {"a": 1.0}),
        (list[tuple[str, str]], [("a", "1"), ("a", "2")], [("a", "1"), ("a", "2")]),
        (Annotated[list[str], AttributeNames()], "a|b\\|c", ["a", "b|c"]),
    ],
)
def test_text_from_a_file_becomes_the_value(annotation, text, value):
    assert read(annotation).check(text) == value


@pytest.mark.parametrize(
    ("annotation", "value", "sentence"),
    [
        (Annotated[int, Field(ge=1)], 0, "k is 0, but must be a whole number of at least 1."),
        (Annotated[float, Field(ge=0, le=1)], "2", 'k is "2", but must be a number between 0 and 1.'),
        (Annotated[float, Field(gt=0, lt=1)], 1, "k is 1, but must be a number greater than 0 and less than 1."),
        (int, "many", 'k is "many", but must be a whole number.'),
        (float, "nan", 'k is "nan", but must be a number.'),
        (float, float("inf"), "k is inf, but must be a number."),
        (bool, "perhaps", 'k is "perhaps", but must be true or false.'),
        (Literal["top k", "top p%"], "topk", 'k is "topk", but must be one of "top k", "top p%". Did you mean "top k"'),
        (Annotated[int, Field(ge=1)] | Literal["all"], 0, 'k is 0, but must be a whole number of at least 1 or "all".'),
        (Annotated[int | Literal["all"], Field(ge=1)], 0, 'k is 0, but must be a whole number of at least 1 or "all".'),
    ],
)  # fmt: skip
def test_refusal_says_what_was_given_and_what_is_allowed(annotation, value, sentence):
    with pytest.raises(ParameterError) as caught:
        read(annotation).check(value)
    assert str(caught.value).startswith(sentence)


def test_bounds_of_a_union_do_not_apply_to_its_words():
    assert read(Annotated[int | Literal["all"], Field(ge=1)]).check("all") == "all"


def test_a_validators_own_words_are_used():
    def odd(value: int) -> int:
        if value % 2 == 0:
            raise ValueError("must be odd")
        return value

    with pytest.raises(ParameterError, match="k is 4, but must be odd"):
        read(Annotated[int, AfterValidator(odd)]).check(4)


def test_markers_and_description_are_kept():
    parameter = read(Annotated[int, Expert, When(m="x"), Field(description="Words.")], 3)
    assert parameter.expert
    assert parameter.description == "Words."
    assert str(parameter.when) == 'm is "x"'
    assert not parameter.required


def parameters():
    return [
        read_parameter("method", Literal["k", "p"], "k"),
        read_parameter("k", Annotated[int, When(method="k")], REQUIRED),
        read_parameter("p", Annotated[float, When(method="p")], REQUIRED),
    ]


def test_required_parameter_is_needed_only_where_it_applies():
    assert check_parameters(parameters(), {"k": 2}) == {"method": "k", "k": 2}
    with pytest.raises(ParameterError, match="p is not set; it must be a number"):
        check_parameters(parameters(), {"method": "p"})


def test_of_several_conditions_one_is_enough_and_within_one_all_must_hold():
    when = When(method="k") | When(method=("p", "q"), exact=True)
    values = [("k", False), ("p", True), ("q", True), ("p", False), ("r", True)]
    held = [when.holds({"method": method, "exact": exact}) for method, exact in values]
    assert held == [True, True, True, False, False]
    assert str(when) == 'method is "k", or method is "p" or "q" and exact is true'
    assert when.names == ["method", "exact"]
    assert read(Annotated[int, when]).when is when


def test_unknown_parameter_is_refused_with_a_suggestion():
    with pytest.raises(ParameterError, match='no parameter "metod". Did you mean "method"'):
        check_parameters(parameters(), {"metod": "k", "k": 1})


def test_values_with_macros_wait_when_checking_in_part():
    assert check_parameters(parameters(), {"k": "%{k}"}, partial=True) == {"method": "k"}


@pytest.mark.parametrize("value", ["%{a}", ["x", "%{a}"], {"x": "%{a}"}, [("%{a}", "x")]])
def test_macros_are_seen_inside_lists_and_pairs(value):
    assert has_macro(value)


@given(st.lists(st.text(min_size=1), max_size=5))
def test_names_survive_joining_and_splitting(names):
    assert split_names(join_names(names)) == names


@given(st.floats(allow_nan=False))
def test_numbers_keep_every_bit_as_text(number):
    assert float(value_text(number)) == number


@pytest.mark.parametrize(
    ("annotation", "value", "said"),
    [
        (list[float], ["0.7", "x"], 'holds "x", but it must be a number'),
        (list[int], "1,b", 'holds "b", but it must be a whole number'),
        (dict[str, float], {"low": "a"}, 'holds "a" for "low", but it must be a number'),
        (list[Literal["u", "v"]], ["w"], 'holds "w", but it must be one of "u" or "v"'),
    ],
)
def test_the_wrong_item_of_a_list_is_named(annotation, value, said):
    parameter = read_parameter("parts", annotation, [])
    with pytest.raises(ParameterError, match=said):
        parameter.check(value)
