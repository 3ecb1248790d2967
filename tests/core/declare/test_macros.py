"""Macros in parameters."""

import pytest

from fsops.core.declare.macros import expand
from fsops.errors import ParameterError


def test_macros_are_replaced_everywhere_in_a_value():
    macros = {"k": "5", "name": "Iris"}
    assert expand("a %{k} %{name}", macros) == "a 5 Iris"
    assert expand(["%{k}", 3], macros) == ["5", 3]
    assert expand([("x", "%{k}")], macros) == [["x", "5"]]
    assert expand({"%{name}": "%{k}"}, macros) == {"Iris": "5"}
    assert expand(7, macros) == 7


def test_replacement_is_text_and_not_looked_at_again():
    assert expand("%{a}", {"a": "%{b}", "b": "no"}) == "%{b}"


def test_unknown_macro_is_named_with_a_suggestion():
    with pytest.raises(
        ParameterError, match=r'macro %\{krenel\} has no value. Did you mean "kernel"'
    ):
        expand("%{krenel}", {"kernel": "rbf"})


def test_a_macro_that_doubles_itself_is_refused_before_it_takes_memory():
    macros = {"m": "x"}
    for _ in range(19):
        macros["m"] = expand("%{m}%{m}", macros)
    assert len(macros["m"]) == 2**19
    with pytest.raises(ParameterError, match=r"characters with its macros, but at most 1,048,576"):
        expand("%{m}%{m}", macros)
