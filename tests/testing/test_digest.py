"""Equal content gives an equal digest, and nothing else does."""

import threading
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier

from fsops.data import AttributeWeights, Collection, ExampleSet, FlowObject
from fsops.testing import digest, make_examples


@dataclass(frozen=True, slots=True)
class Slotted:
    value: object


class Cached:
    def __init__(self, value: object) -> None:
        self.value = value

    @cached_property
    def expensive(self) -> str:
        return repr(self.value)


class Own(FlowObject):
    def __init__(self, content: int, hits: int) -> None:
        self.content, self.hits = content, hits

    def fingerprint(self) -> str:
        return str(self.content)


DIFFERENT = [
    (1, 2),
    (1, 1.0),
    (1, True),
    (0.0, -0.0),
    ("a", "b"),
    ("1", 1),
    ([1, 2], [2, 1]),
    ([1, 2], (1, 2)),
    ([[1], 2], [[1, 2]]),
    ({"a": 1}, {"a": 2}),
    ({1}, {2}),
    (None, False),
    (np.zeros(2), np.zeros(3)),
    (np.zeros(2), np.zeros(2, dtype=np.float32)),
    (np.zeros((1, 4)), np.zeros((2, 2))),
    (np.array(["a", None], dtype=object), np.array(["b", None], dtype=object)),
    (Slotted(1), Slotted(2)),
    (Cached(1), Cached(2)),
    (partial(int, "1"), partial(int, "2")),
    (len, max),
    (make_examples(seed=1), make_examples(seed=2)),
    (make_examples(), make_examples().rename({"num1": "x"})),
    (AttributeWeights(["a"], [1.0]), AttributeWeights(["a"], [2.0])),
    (AttributeWeights(["a"], [1.0]), AttributeWeights(["b"], [1.0])),
    (AttributeWeights(["a"], [1.0]), AttributeWeights(["a"], [1.0], details={"p": [0.1]})),
    (Collection([]), Collection([AttributeWeights(["a"], [1.0])])),
    (Own(1, 1), Own(2, 1)),
    (lambda: 1, digest),
]


@pytest.mark.parametrize(("one", "two"), DIFFERENT, ids=range(len(DIFFERENT)))
def test_different_content_is_told_apart(one, two):
    assert digest(one) != digest(two)
    assert digest(one) == digest(one)


def test_view_and_copy_of_the_same_rows_are_the_same():
    table = make_examples(6)
    view = table.take([4, 2])
    copy = ExampleSet.from_columns(
        [(a, np.array(view.column(a.name))) for a in view.attributes], len(view)
    )
    assert digest(view) == digest(copy)


def test_tables_without_attributes_have_rows():
    empty = make_examples(4).select([])
    assert digest(empty) != digest(empty.take([0]))


def test_nan_equals_nan():
    assert digest(float("nan")) == digest(float("nan"))


def test_what_is_cached_does_not_count():
    used = Cached(1)
    assert used.expensive == "1"
    assert digest(used) == digest(Cached(1))


def test_an_object_tells_what_makes_it_the_same():
    assert digest(Own(1, hits=0)) == digest(Own(1, hits=7))


def test_order_of_sets_does_not_count():
    assert digest({"a", "b", "c"}) == digest({"c", "b", "a"})


def test_origin_of_weights_does_not_count():
    assert digest(AttributeWeights(["a"], [1.0], origin="x")) == digest(
        AttributeWeights(["a"], [1.0])
    )


def test_circle():
    circle: list[object] = [1]
    circle.append(circle)
    assert digest(circle) == digest(circle)


def test_lock():
    assert digest(threading.Lock()) == digest(threading.Lock())


def test_closure():
    def adder(number):
        return lambda value: value + number

    assert digest(adder(1)) == digest(adder(1))
    assert digest(adder(1)) != digest(adder(2))


def test_fitted_estimator():
    X, y = make_examples(30, 3, 0).numeric(), np.arange(30) % 2
    fitted = [RandomForestClassifier(3, random_state=seed).fit(X, y) for seed in (1, 1, 2)]
    assert digest(fitted[0]) == digest(fitted[1])
    assert digest(fitted[0]) != digest(fitted[2])
