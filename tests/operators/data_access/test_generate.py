"""The operator that makes data up."""

import numpy as np
import pytest

from fsops import Context
from fsops.core.declare.parameters import check_parameters
from fsops.errors import ParameterError
from fsops.operators import generate_data

SPEC = generate_data.operator
FUNCTIONS = next(p for p in SPEC.parameters if p.name == "target_function").choices


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_delivers_what_was_described(function):
    given = {"target_function": function, "number_of_rows": 40, "number_of_attributes": 7}
    examples, truth = generate_data(**given)
    about = SPEC.describe({}, check_parameters(SPEC.parameters, given))
    assert about["examples"].schema == examples.schema
    assert about["examples"].rows == len(examples) == 40
    assert about["truth"].names == truth.names == tuple(f"att{j}" for j in range(1, 8))
    assert set(truth.values) <= {0.0, 1.0}
    examples.require_complete()


@pytest.mark.parametrize(
    ("function", "relevant"),
    [
        ("random", 0),
        ("random classification", 0),
        ("sum", 8),
        ("polynomial", 3),
        ("polynomial classification", 4),
        ("checkerboard classification", 2),
        ("gaussian mixture clusters", 8),
        ("knife linear", 5),
        ("knife orange", 4),
    ],
)
def test_the_truth_names_the_first_attributes(function, relevant):
    made = generate_data(target_function=function, number_of_attributes=8)
    assert made.truth.selected() == tuple(f"att{j}" for j in range(1, relevant + 1))


def test_the_label_follows_from_the_attributes():
    X, y = (
        (made := generate_data(target_function="polynomial")).examples.numeric(),
        made.examples.label_values(),
    )
    assert y == pytest.approx(X[:, 0] ** 3 + X[:, 1] ** 2 + X[:, 2], rel=1e-12)
    made = generate_data(target_function="sum classification", number_of_rows=50)
    classes = np.array(made.examples.nominal_values("label"))
    assert (
        classes == np.where(made.examples.numeric().sum(axis=1) > 0, "positive", "negative")
    ).all()


def test_a_seed_decides():
    def make(seed):
        return generate_data(target_function="gene expression", ctx=Context(seed))

    assert make(1).examples.equals(make(1).examples)
    assert not make(1).examples.equals(make(2).examples)


def test_bounds_are_kept():
    made = generate_data(
        target_function="sum", attributes_lower_bound=2.0, attributes_upper_bound=3.0
    )
    assert made.examples.numeric().min() >= 2
    assert made.examples.numeric().max() <= 3


def test_the_number_of_relevant_genes_is_kept():
    made = generate_data(
        target_function="gene expression",
        number_of_attributes=300,
        number_of_relevant_attributes=20,
    )
    assert len(made.truth.selected()) == 20


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"target_function": "polynomial", "number_of_attributes": 2}, ("2", "at least 3")),
        ({"target_function": "knife linear", "number_of_attributes": 4}, ("at least 5",)),
        (
            {"target_function": "random dots classification", "number_of_attributes": 1},
            ("least 2",),
        ),
        ({"attributes_lower_bound": 3.0, "attributes_upper_bound": 2.0}, ("must not be above",)),
        ({"attributes_lower_bound": -1e308, "attributes_upper_bound": 1e308}, ("too far",)),
        (
            {"target_function": "gene expression", "number_of_relevant_attributes": 9},
            ("is 9, but there are 5", "Raise number_of_attributes"),
        ),
        (
            {
                "target_function": "one variable non linear",
                "attributes_lower_bound": 0.0,
                "attributes_upper_bound": 0.0,
            },
            ("The label would be infinite", "other bounds"),
        ),
        ({"target_function": "checkerboard"}, ('Did you mean "checkerboard classification"',)),
    ],
)
def test_what_cannot_be_made_is_told(given, words, refused):
    with refused(*words, error=ParameterError):
        generate_data(**given)
