"""Ctrl-C."""

import signal
import threading

import pytest

from fsops.cli.interrupt import stoppable


def test_the_first_asks_and_the_second_stops():
    said = []
    before = signal.getsignal(signal.SIGINT)
    with stoppable(lambda: said.append("stopping")) as cancel:
        signal.raise_signal(signal.SIGINT)
        assert cancel.is_set()
        assert said == ["stopping"]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_gets_an_event_all_the_same():
    found = []

    def work():
        with stoppable(lambda: None) as cancel:
            found.append(cancel.is_set())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [False]


def test_a_third_signal_leaves_time_to_clean_up():
    with stoppable(lambda: None) as cancel:
        signal.raise_signal(signal.SIGINT)
        assert not cancel.has_interrupted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        assert cancel.has_interrupted
