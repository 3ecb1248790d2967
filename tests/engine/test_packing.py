"""Arrays on the way to other processes keep their bits and their layout."""

import numpy as np
import pytest

from fsops.data import AttributeWeights
from fsops.data.names import Names
from fsops.engine import packing
from fsops.engine.engines.processes import SharedArrays, _mapped
from fsops.engine.packing import pack, pack_result, unpack, unpack_result


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setattr(packing, "LARGE", 1000)
    arrays = SharedArrays()
    yield arrays
    arrays.close()


def there_and_back(value, arrays):
    return unpack(pack(value, arrays.share)[0], _mapped)[0]


BASE = np.random.default_rng(0).normal(size=(40, 60))


@pytest.mark.parametrize(
    "array",
    [
        BASE,
        np.asfortranarray(BASE),
        BASE.T,
        BASE[:, ::2],
        BASE[5:9, 3:50],
        BASE[::-1],
        BASE[:3, :3],
        np.asfortranarray(BASE)[2:30],
        np.arange(3),
        np.zeros((0, 5)),
        np.broadcast_to(np.arange(5.0), (4, 5)),
        np.array(["a", None], dtype=object),
    ],
    ids=lambda a: f"{a.shape}{a.strides}",
)
def test_values_shape_and_strides_are_kept(array, shared):
    found = there_and_back({"x": array}, shared)["x"]
    assert found.shape == array.shape
    assert found.dtype == array.dtype
    assert np.array_equal(found, array)
    if array.size and array.dtype != object and 0 not in array.strides:
        assert found.strides == array.strides


def test_large_arrays_are_stored_once(shared):
    first, _ = pack([BASE, BASE], shared.share)
    second, _ = pack(BASE, shared.share)
    assert len(first) + len(second) < BASE.nbytes
    assert len(list(shared.folder.iterdir())) == 1


def test_arrays_that_are_gone_leave_no_file(shared):
    array = np.ones(5000)
    pack(array, shared.share)
    assert list(shared.folder.iterdir())
    del array
    assert not list(shared.folder.iterdir())


def test_what_arrives_cannot_be_changed(shared):
    found = there_and_back(np.ones(5000), shared)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 2


def test_folders_of_runs_that_were_killed_are_swept():
    arrays = SharedArrays()
    left = arrays.folder.parent / "fsops-run-999999999-x"
    left.mkdir()
    other = SharedArrays()
    assert not left.exists()
    assert arrays.folder.exists()
    for each in (arrays, other):
        each.close()
        assert not each.folder.exists()


def test_long_tuples_of_the_work_are_not_sent_back_with_results(shared):
    names = tuple(f"gene {number}" for number in range(5000))
    packed, known = pack({"names": names, "again": [names]}, shared.share)
    work, known_there = unpack(packed, _mapped)
    assert work["names"] is work["again"][0] is known_there[0]
    answer = pack_result(("found", work["names"]), known_there)
    assert len(answer) < 100
    assert unpack_result(answer, known)[1] is names


def test_names_of_the_work_are_not_sent_back_with_weights(shared):
    names = Names.of([f"gene {number}" for number in range(5000)])
    weights = AttributeWeights(names, np.arange(5000.0))
    packed, known = pack({"weights": weights}, shared.share)
    work, there = unpack(packed, _mapped)
    result = pack_result(work["weights"], there)
    assert len(result) < 45_000  # the numbers only
    assert unpack_result(result, known).names.is_aligned(names)


def test_tuples_that_only_a_result_has_are_sent_with_it(shared):
    _, known = pack("work", shared.share)
    own = tuple(range(1000))
    assert unpack_result(pack_result(own, known), known) == own


def test_long_tuples_of_what_can_change_come_back_as_the_worker_left_them(shared):
    given = tuple([number] for number in range(500))
    packed, known = pack(given, shared.share)
    work, known_there = unpack(packed, _mapped)
    work[0].append("changed")
    answer = unpack_result(pack_result(work, known_there), known)
    assert answer[0] == [0, "changed"]
    assert given[0] == [0]


def test_an_error_that_carries_a_long_tuple_arrives_with_it(shared):
    names = tuple(f"gene {number}" for number in range(500))
    packed, known = pack(names, shared.share)
    there, known_there = unpack(packed, _mapped)
    error = unpack_result(pack_result(ValueError("these", there), known_there), known)
    assert error.args == ("these", names)


def test_equal_tuples_stay_as_many_as_they_were(shared):
    one, two = (tuple(f"gene {number}" for number in range(500)) for _ in range(2))
    packed, known = pack([one, two], shared.share)
    (_, there), known_there = unpack(packed, _mapped)
    assert unpack_result(pack_result(there, known_there), known) is two
