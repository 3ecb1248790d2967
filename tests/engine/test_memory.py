"""Peak memory while something runs."""

import subprocess
import sys

import numpy as np
import pytest

from fsops.engine import memory as memory_module
from fsops.engine.memory import PeakMemory

MIB = 2**20


def measured_inside_and_out():
    """Write the peaks of a small allocation and of the span around it, where 64 MiB were used."""
    memory = PeakMemory()
    memory.start()
    big = np.ones(64 * MIB // 8)
    del big
    memory.start()
    small = np.ones(MIB // 8)
    inner = memory.stop()
    outer = memory.stop()
    assert small.nbytes == MIB
    sys.stdout.write(f"{inner or 0} {outer or 0}")


def test_inner_peak_counts_for_the_outer_but_not_the_other_way_round():
    # In a process of its own: threads left by other tests would allocate at the same time.
    printed = subprocess.run(
        [sys.executable, __file__], capture_output=True, text=True, check=True
    ).stdout
    inner, outer = map(int, printed.split())
    if not inner:
        pytest.skip("this machine does not let a process lower its own peak")
    assert outer - inner > 40 * MIB


class Proc:
    """The two files of /proc, as a kernel that lowers the mark, or refuses to, would fill them."""

    def __init__(self, folder, monkeypatch, *, lowers):
        self.status = folder / "status"
        self.use = self.mark = 100 * MIB
        self.set(100)
        monkeypatch.setattr(memory_module, "_STATUS", self.status)
        monkeypatch.setattr(memory_module, "_CLEAR", self)
        self.lowers = lowers

    def set(self, use):
        self.use = use * MIB
        self.mark = max(self.mark, self.use)
        self._write()

    def write_text(self, _text, encoding):
        if self.lowers:
            self.mark = self.use
            self._write()

    def _write(self):
        text = f"VmHWM: {self.mark // 1024} kB\nVmRSS: {self.use // 1024} kB\n"
        self.status.write_text(text)


def peaks(proc, *uses):
    """Return the peaks of an outer span and of one inside it that sees the middle use."""
    memory = PeakMemory()
    memory.start()
    proc.set(uses[0])
    memory.start()
    proc.set(uses[1])
    inner = memory.stop()
    proc.set(uses[2])
    return inner, memory.stop()


def in_mib(values):
    return [value and value // MIB for value in values]


@pytest.mark.parametrize(
    ("uses", "expected"),
    [((300, 200, 150), [300, 300]), ((120, 400, 100), [400, 400]), ((100, 90, 500), [100, 500])],
)
def test_peaks_nest_where_the_mark_can_be_lowered(tmp_path, monkeypatch, uses, expected):
    assert in_mib(peaks(Proc(tmp_path, monkeypatch, lowers=True), *uses)) == expected


def test_freed_memory_does_not_count_for_what_runs_later(tmp_path, monkeypatch):
    proc = Proc(tmp_path, monkeypatch, lowers=True)
    proc.set(900)
    proc.set(100)
    assert in_mib(peaks(proc, 110, 120, 110)) == [120, 120]


def test_a_peak_below_an_earlier_one_is_unknown_where_the_mark_stays(tmp_path, monkeypatch):
    proc = Proc(tmp_path, monkeypatch, lowers=False)
    proc.set(900)
    proc.set(100)
    assert in_mib(peaks(proc, 110, 120, 110)) == [None, None]


def test_a_record_peak_is_known_even_where_the_mark_stays(tmp_path, monkeypatch):
    proc = Proc(tmp_path, monkeypatch, lowers=False)
    assert in_mib(peaks(proc, 300, 200, 500)) == [300, 500]


def test_peak_is_plausible():
    memory = PeakMemory()
    memory.start()
    held = np.ones(32 * MIB // 8)
    peak = memory.stop()
    assert peak is None or peak > held.nbytes


if __name__ == "__main__":
    measured_inside_and_out()
