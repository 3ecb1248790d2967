"""Peak memory while something runs."""

import sys

import numpy as np
import pytest

from fsops.engine.memory import PeakMemory

MIB = 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets the peak be reset")
def test_inner_peak_counts_for_the_outer_but_not_the_other_way_round():
    memory = PeakMemory()
    memory.start()
    big = np.ones(64 * MIB // 8)
    del big
    memory.start()
    small = np.ones(MIB // 8)
    inner = memory.stop()
    outer = memory.stop()
    assert small.nbytes == MIB
    assert inner is not None
    assert outer is not None
    assert outer - inner > 40 * MIB


def test_peak_is_plausible():
    memory = PeakMemory()
    memory.start()
    held = np.ones(32 * MIB // 8)
    peak = memory.stop()
    assert peak is None or peak > held.nbytes
