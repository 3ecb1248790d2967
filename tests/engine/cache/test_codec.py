"""Results as bytes: nothing is lost, and nothing is run."""

import functools
import json
import math
import os
import pickle

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops import AttributeWeights, Collection, ExampleSet, PerformanceVector
from fsops.data import Criterion
from fsops.engine.cache.codec import CannotKeep, decode, encode
from fsops.operators import (
    apply_model,
    feature_selection_stability_validation,
    k_nn,
    lars,
    logistic_regression,
    naive_bayes,
    normalize,
    performance,
    replace_missing_values,
    retrieve,
    select_by_svm_rfe,
    weight_by_correlation,
)

BASE = np.random.default_rng(0).normal(size=(4, 6))
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


def same(a, b):
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or (
            a == b and math.copysign(1, a) == math.copysign(1, b)
        )
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@given(PLAIN)
@settings(max_examples=60, deadline=None)
def test_plain_values_come_back(value):
    assert same(decode(encode(value)), value)


@pytest.mark.parametrize(
    "array",
    [
        BASE,
        np.asfortranarray(BASE),
        BASE[:, ::2],
        BASE[1:3, 2:5],
        np.array(["a", None, "b"], dtype=object),
        np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"),
        np.float64("nan"),
        np.int32(3),
    ],
    ids=str,
)
def test_arrays_keep_bits_and_layout(array):
    found = decode(encode(array))
    assert found.dtype == array.dtype
    if array.dtype == object:
        assert found.tolist() == array.tolist()
        return
    assert found.tobytes() == array.tobytes()
    if isinstance(array, np.ndarray):
        assert found.strides == array.strides


def test_what_occurs_twice_is_stored_once():
    once, twice = encode([np.ones(1000)]), np.ones(1000)
    assert len(encode([twice, twice, {"again": twice}])) < 1.1 * len(once)
    a, b, c = decode(encode([twice, twice, {"again": twice}]))
    assert a is b is c["again"]


@pytest.fixture(scope="module")
def iris():
    return retrieve(repository_entry="iris")


def results(iris):
    diabetes = retrieve(repository_entry="diabetes")
    model = naive_bayes(iris)
    yield iris
    yield iris.take(np.arange(20, 80))
    yield weight_by_correlation(diabetes)
    yield performance(apply_model(model, iris))
    yield Collection([AttributeWeights(["a"], [1.0]), iris])
    yield select_by_svm_rfe(iris, k=2).trace
    yield feature_selection_stability_validation(diabetes, weight_by_correlation, iterations=3)[0]
    yield PerformanceVector([Criterion("auc", (float("nan"), 0.5))])


def test_results_of_every_kind_come_back(iris):
    for value in results(iris):
        found = decode(encode(value))
        assert type(found) is type(value)
        assert found.equals(value)


def test_models_come_back_and_predict_the_same(iris):
    diabetes = retrieve(repository_entry="diabetes")
    models = [
        (naive_bayes(iris), iris),
        (normalize(iris).model, iris),
        (replace_missing_values(iris).model, iris),
        (lars(diabetes)[0], diabetes),
        (logistic_regression(iris).model, iris),
    ]
    for model, table in models:
        found = decode(encode(model))
        assert found.apply(table).equals(model.apply(table))


def test_estimators_that_skops_does_not_trust_are_not_kept(iris):
    with pytest.raises(CannotKeep, match="sklearn"):
        encode(k_nn(iris, metric="EuclideanDistance"))


@pytest.mark.parametrize(
    "value",
    [object(), lambda: 0, functools.partial(os.system, "true"), os.system, {1, object()}],
    ids=["object", "lambda", "partial", "function", "set"],
)
def test_strange_things_are_not_kept(value):
    with pytest.raises((CannotKeep, TypeError)):
        encode(value)


@pytest.mark.parametrize(
    "tree",
    [
        {"name": "os:system"},
        {"partial": [{"name": "os:system"}, {"tuple": ["true"]}, {"dict": []}]},
        {"object": ["subprocess:Popen", [["args", "true"]]]},
        {"object": ["fsops.engine.cache.codec:os", []]},
        {"named": ["fsops.data:ExampleSet", []]},
        {"enum": ["fsops.data.schema:Schema", "x"]},
        {"__class__": []},
        {"value": []},
    ],
    ids=json.dumps,
)
def test_bytes_of_a_stranger_name_nothing_outside(tree):
    text = json.dumps(tree).encode()
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever it is, the store drops the file
        decode(len(text).to_bytes(8, "little") + text)


def test_pickles_are_refused(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "evil"),)

    for content in (pickle.dumps(Evil()), pickle.dumps(np.array([Evil()], dtype=object))):
        with pytest.raises(Exception):  # noqa: B017, PT011
            decode(content)
    assert not (tmp_path / "evil").exists()


def test_tables_stay_read_only(iris):
    assert isinstance(iris, ExampleSet)
    column = decode(encode(iris)).numeric()
    assert not column.flags.writeable or column.base is None


@pytest.mark.parametrize(
    "place",
    [
        "fsops.engine.packing:unpack",
        "fsops.operators.data_access.write:write_csv",
        "fsops.cli.__main__:main",
        "fsops.data.columns:math",
    ],
)
def test_functions_that_do_more_than_compute_are_never_found_in_a_file(place):
    function = json.dumps({"partial": [{"name": place}, {"tuple": []}, {"dict": []}]}).encode()
    with pytest.raises(CannotKeep):
        decode(len(function).to_bytes(8, "little") + function)


def test_objects_that_run_things_are_never_found_in_a_file():
    tree = json.dumps({"object": ["fsops.engine.services:TurnWork", []]}).encode()
    with pytest.raises(CannotKeep):
        decode(len(tree).to_bytes(8, "little") + tree)
