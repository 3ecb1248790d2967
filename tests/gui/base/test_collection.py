"""Garbage is collected in the thread of the window, and in no other."""

import gc
import threading
import weakref

import pytest
from PyQt6.QtCore import QObject

from fsops_gui.base.collection import Collector, collect_some


@pytest.fixture
def collector():
    made = Collector()
    yield made
    made.close()


def unused_cycle():
    """A weak reference to an object of Qt that only a cycle keeps."""
    thing = QObject()
    thing.cycle = [thing]
    return weakref.ref(thing)


def many_objects():
    """Many more objects than the threshold allows."""
    return [[number] for number in range(200_000)]


def test_a_thread_in_the_background_collects_nothing(collector):
    thing = unused_cycle()
    thread = threading.Thread(target=many_objects)
    thread.start()
    thread.join()
    assert thing() is not None


def test_the_thread_of_the_window_collects_after_a_moment(collector, qtbot):
    thing, kept = unused_cycle(), many_objects()
    qtbot.waitUntil(lambda: thing() is None)
    assert len(kept) == 200_000


def test_only_what_has_reached_its_threshold_is_collected():
    limits = gc.get_threshold()
    gc.collect()
    try:
        gc.set_threshold(10**6, 10, 10)
        thing = unused_cycle()
        collect_some()
        assert thing() is not None
        gc.set_threshold(1, 10, 10)
        collect_some()
        assert thing() is None
    finally:
        gc.set_threshold(*limits)


def test_python_collects_by_itself_again_after_it_is_closed():
    gc.enable()  # off in tests, where one collector works for all
    try:
        made = Collector()
        assert not gc.isenabled()
        made.close()
        assert gc.isenabled()
    finally:
        gc.disable()
