"""How long a loop may still take."""

import pytest

from fsops.runs.pace import LoopPace


def test_the_estimate_is_the_mean_over_the_iterations():
    pace = LoopPace(0.0)
    pace.note(0, 10, 0.0)
    assert pace.remaining(5.0) is None
    pace.note(2, 10, 8.0)
    assert pace.remaining(8.0) == pytest.approx(32.0)
    assert pace.remaining(10.0) == pytest.approx(30.0)


def test_one_odd_iteration_hardly_moves_the_estimate():
    pace = LoopPace(0.0)
    for done in range(51):
        pace.note(done, 100, float(done))
    before = pace.remaining(50.0)
    pace.note(51, 100, 55.0)  # five times as long
    assert pace.remaining(55.0) == pytest.approx(before, rel=0.07)


def test_an_iteration_that_takes_long_does_not_use_up_the_time_of_the_others():
    pace = LoopPace(0.0)
    pace.note(0, 10, 0.0)
    pace.note(5, 10, 5.0)
    assert pace.remaining(100.0) == pytest.approx(4.0)


def test_a_loop_that_runs_again_knows_its_pace_from_the_start():
    pace = LoopPace(0.0)
    pace.note(0, 4, 0.0)
    pace.note(4, 4, 8.0)
    assert pace.elapsed(20.0) == 8.0
    pace.note(0, 4, 20.0)
    assert pace.remaining(20.0) == pytest.approx(8.0)
    assert pace.elapsed(21.0) == 1.0


def test_iterations_from_a_cache_do_not_count():
    pace = LoopPace(0.0)
    for done in range(51):
        pace.note(done, 100, done / 1000)
    pace.note(51, 100, 4.05)
    assert pace.remaining(4.05) == pytest.approx(49 * 4.0)
    pace.note(52, 100, 7.05)
    assert pace.remaining(7.05) == pytest.approx(48 * 3.5)


def test_iterations_that_end_together_in_a_pool_all_count():
    pace = LoopPace(0.0)
    pace.note(0, 192, 0.0)
    for done in range(1, 65):
        pace.note(done, 192, 10 + done / 1000)
    pace.note(65, 192, 20.0)
    assert pace.remaining(20.0) == pytest.approx(127 * 20 / 65)


def test_the_first_iteration_alone_gives_no_estimate_because_it_compiles_code():
    pace = LoopPace(0.0)
    pace.note(0, 30, 0.0)
    pace.note(1, 30, 3.4)
    assert pace.remaining(3.4) is None
    pace.note(2, 30, 3.6)
    assert pace.remaining(3.6) == pytest.approx(28 * 0.2)
    pace.note(3, 30, 3.9)
    assert pace.remaining(3.9) == pytest.approx(27 * 0.25)


def test_even_iterations_all_count():
    pace = LoopPace(0.0)
    pace.note(0, 10, 0.0)
    pace.note(1, 10, 2.0)
    pace.note(2, 10, 3.0)
    assert pace.remaining(3.0) == pytest.approx(8 * 1.5)
