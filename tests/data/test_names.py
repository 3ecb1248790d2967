"""Names that tables, subsets and weights share."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops.data import names as module
from fsops.data.names import Names


def texts(count, prefix="gene "):
    return [f"{prefix}{number}" for number in range(count)]


@pytest.mark.parametrize("names", [Names.numbered("att", 5), Names.of(texts(5)), Names.of([])])
def test_names_behave_like_the_tuple_of_texts(names):
    plain = tuple(names)
    assert names == plain
    assert plain == names
    assert hash(names) == hash(plain)
    assert len(names) == len(plain)
    assert [names[place] for place in range(len(names))] == list(plain)
    assert names[1:4:2] == plain[1:4:2]
    assert names[-2:] == plain[-2:]
    assert np.array(names, dtype=object).tolist() == list(plain)
    assert (*names, "x") == names + ("x",)
    assert all(name in names for name in plain)
    assert "no such name" not in names


def test_a_place_beyond_the_end_is_an_error():
    with pytest.raises(IndexError):
        Names.numbered("att", 3)[3]


@given(st.lists(st.text(max_size=4), unique=True, max_size=12), st.data())
def test_subsets_and_joins_are_those_of_lists(given_texts, data):
    names, plain = Names.of(given_texts), list(given_texts)
    order = data.draw(st.permutations(range(len(plain))))
    kept = order[: data.draw(st.integers(0, len(plain)))]
    names, plain = names.take(np.array(kept, dtype=np.intp)), [plain[place] for place in kept]
    more = [
        text for text in data.draw(st.lists(st.text(max_size=3), unique=True)) if text not in plain
    ]
    names, plain = names.joined(Names.of(more)), plain + more
    assert names.texts() == plain
    for text in (*plain, "\0 none"):
        assert names.position(text) == (plain.index(text) if text in plain else -1)


@pytest.mark.parametrize(
    "name", ["att0", "att01", "att6", "att", "att-1", "att1.0", "att٣", "x1", "att 1"]
)
def test_a_number_that_was_not_given_is_no_name(name):
    assert Names.numbered("att", 5).position(name) == -1


def test_names_of_one_origin_are_located_without_a_look_at_them(monkeypatch):
    whole = Names.of(texts(100))
    some = whole.take(np.array([7, 3, 50]))
    monkeypatch.setattr(module.GivenNames, "texts", None)
    monkeypatch.setattr(module.GivenNames, "find", None)
    assert some.locate(whole)[[3, 7, 50, 9]].tolist() == [1, 0, 2, -1]
    assert whole.locate(some).tolist() == [7, 3, 50]


def test_a_column_that_was_replaced_is_found_by_its_name():
    old = Names.of(texts(6))
    new = old.take(np.array([0, 1, 3, 4, 5])).joined(Names.of(["gene 2", "label"]))
    assert new.locate(old).tolist() == [0, 1, 5, 2, 3, 4]
    assert old.locate(new).tolist() == [0, 1, 3, 4, 5, 2, -1]


@pytest.mark.parametrize("many", [module.MANY, 10])
def test_unrelated_names_are_found_by_name(monkeypatch, many):
    monkeypatch.setattr(module, "MANY", many)
    rng = np.random.default_rng(0)
    here = Names.of(texts(500))
    order = rng.permutation(500)[:300]
    there = Names.of([f"gene {place}" for place in order] + ["gene 1000"])
    assert here.locate(there).tolist() == [*order.tolist(), -1]


def test_names_that_come_back_from_another_process_are_the_same_part():
    whole = Names.of(texts(1000))
    back = pickle.loads(pickle.dumps(whole))
    assert back._parts[0] is whole._parts[0]
    assert whole.is_aligned(back)


def test_a_small_selection_travels_without_the_names_of_the_others():
    some = Names.of(texts(100_000)).take(np.array([1, 5]))
    packed = pickle.dumps(some)
    assert len(packed) < 500
    assert pickle.loads(packed) == ("gene 1", "gene 5")


def test_joining_again_and_again_keeps_the_names_short():
    names = Names.of(["a"])
    for number in range(50):
        names = names.joined(Names.of([f"b{number}"]))
    assert len(names._parts) <= module.MOST_PARTS
    assert names[-1] == "b49"


@pytest.mark.parametrize("count", [5, 300])
def test_numbered_names_are_found_one_by_one_and_at_once(count):
    names = Names.numbered("att", 400)
    wanted = [*(f"att{number}" for number in range(1, count)), "att0", "att01", "att401", "at"]
    assert names.find(wanted).tolist() == [*range(count - 1), -1, -1, -1, -1]


def test_names_are_found_in_any_of_several_common_parts():
    one, two = Names.of(["id", "x", "c"]), Names.of(["id", "y", "c"])
    left = one.joined(two.take(np.array([1])))
    right = two.joined(one.take(np.array([1])))
    assert right.locate(left).tolist() == [0, 3, 2, 1]
    assert left.find(right).tolist() == [0, 3, 2, 1]
