"""Frames: one context variable, and what travels to another process."""

import pickle
from dataclasses import replace

import pytest

from fsops.core.frame.events import Logged
from fsops.core.frame.frame import CallNames, Frame, current, current_state, entered, recorded
from fsops.core.frame.services import Services
from fsops.core.frame.state import RunState


@pytest.fixture
def frame():
    return Frame(Services(), seed=7, path=("A",), key=("A", 1), state=RunState({"k": "3"}))


def test_outside_of_a_run_there_is_no_frame_and_the_state_is_not_kept():
    assert current() is None
    current_state().macros["k"] = "3"
    assert current_state().macros == {}


def test_the_frame_before_comes_back_also_after_an_error(frame):
    def fail():
        with entered(frame):
            assert current() is frame
            raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        fail()
    assert current() is None


def test_an_operator_has_the_path_and_key_of_its_place(frame):
    inside = frame.operator("B", {"weights"})
    assert (inside.path, inside.key, inside.wanted) == (("A", "B"), ("A", 1, "B"), {"weights"})
    assert inside.state is frame.state


def test_runs_of_an_inner_process_are_counted_and_have_different_keys(frame):
    with entered(frame):
        keys = [frame.inner_run("Body")[0].key for _ in range(2)]
    assert keys == [("A", 1, "Body", 0), ("A", 1, "Body", 1)]


def test_an_inner_process_that_is_called_later_sees_the_memory_of_that_time(frame):
    later = replace(frame, state=RunState({"k": "5"}), sink=[])
    with entered(later):
        inside, _ = frame.inner_run("Body")
    assert inside.state.macros == {"k": "5"}
    assert inside.sink is later.sink


def test_only_the_place_is_pickled_not_what_is_running(frame):
    busy = replace(frame, sink=[Logged((), "warning", "x")], calls=CallNames({"B"}))
    again = pickle.loads(pickle.dumps(busy))
    assert (again.seed, again.path, again.key) == (7, ("A",), ("A", 1))
    assert (again.state, again.sink, again.calls) == (RunState(), None, CallNames())


def test_settings_of_a_search_are_added_to_those_around(frame):
    outer = frame.configured({"SVM.C": 1, "Select.k": 3})
    inner = outer.configured({"SVM.C": 2})
    assert inner.settings == {"SVM": {"C": 2}, "Select": {"k": 3}}
    assert outer.settings["SVM"] == {"C": 1}


def test_messages_are_recorded_by_all_that_are_around(frame):
    with entered(frame), recorded() as outer, recorded() as inner:
        frame.services.emit(Logged((), "value", 1))
    assert len(outer) == len(inner) == 1


def test_calls_at_the_same_place_get_different_names():
    names = CallNames()
    titles = [names.unique(None, "SAM"), names.unique(None, "SAM"), names.unique("mine", "SAM")]
    assert titles == ["SAM", "SAM (2)", "mine"]
