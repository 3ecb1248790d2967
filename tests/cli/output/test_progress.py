"""How far a run is, for terminals and pipes."""

import io
import itertools
import re

import pytest

from fsops.cli.output import progress
from fsops.cli.output.bars import BarProgress, clock_text
from fsops.cli.output.console import PlainConsole
from fsops.cli.output.display import progress_on
from fsops.cli.output.progress import LineProgress, QuietProgress
from fsops.core.frame.events import Failed, Finished, Progressed, Started

OUTER, INNER = ("CV",), ("CV", "Training", "RFE")
NESTED = [
    Started(OUTER),
    Progressed(OUTER, 0, 2, "Folds"),
    Started(INNER),
    Progressed(INNER, 0, 3, "Rounds"),
    Progressed(INNER, 1, 3, "Rounds"),
]


@pytest.fixture
def console(monkeypatch):
    monkeypatch.setattr("sys.stderr", io.StringIO())
    monkeypatch.delenv("COLUMNS", raising=False)
    return PlainConsole(stderr=True)


@pytest.fixture
def terminal(console, monkeypatch):
    monkeypatch.setattr(PlainConsole, "is_terminal", True)
    monkeypatch.setattr(PlainConsole, "is_dumb_terminal", False)
    return console


@pytest.fixture
def clock(monkeypatch):
    """Let every look at the clock be a second later."""
    seconds = itertools.count()
    monkeypatch.setattr(progress.time, "monotonic", lambda: float(next(seconds)))


def shown(bars):
    """Return the lines a terminal would show now."""
    canvas = io.StringIO()
    printer = PlainConsole(stderr=True)
    printer.file = canvas
    for renderable in bars._bars.get_renderables():
        printer.print(renderable)
    plain = re.sub(r"\x1b\[[\d;]*m", "", canvas.getvalue())
    return [line.strip() for line in plain.splitlines()]


def test_one_bar_per_loop_level(terminal, clock):
    bars = BarProgress(terminal, operators=3)
    for event in NESTED:
        bars(event)
    lines = shown(bars)
    assert len(lines) == 3
    assert "0/3" in lines[0]
    assert lines[0].endswith("CV › Training › RFE")
    assert "0/2" in lines[1]
    assert lines[1].endswith("CV: Folds")
    assert "1/3" in lines[2]
    assert lines[2].endswith("RFE: Rounds")


def test_bars_go_when_the_outer_operator_ends(terminal, clock):
    bars = BarProgress(terminal, operators=3)
    for event in NESTED:
        bars(event)
    bars(Failed(OUTER, RuntimeError()))
    assert len(shown(bars)) == 1
    assert "1/3" in shown(bars)[0]


def test_the_bar_of_an_inner_loop_waits_for_the_next_iteration(terminal, clock):
    bars = BarProgress(terminal, operators=3)
    for event in [*NESTED, Finished(INNER, 0.1, None), Progressed(OUTER, 1, 2, "Folds")]:
        bars(event)
    assert len(shown(bars)) == 3
    bars(Started(("CV", "Testing", "Apply")))  # by the clock a second later
    assert len(shown(bars)) == 2


def test_another_inner_loop_takes_the_place_of_one_that_is_over(terminal, clock):
    bars = BarProgress(terminal, operators=3)
    other = ("CV", "Testing", "Repeat")
    for event in [*NESTED, Finished(INNER, 0.1, None), Progressed(other, 0, 5, "Iterations")]:
        bars(event)
    assert [line.split()[-2] for line in shown(bars)[1:]] == ["CV:", "Repeat:"]


def test_only_the_outer_bar_moves_where_iterations_run_elsewhere(terminal, clock):
    bars = BarProgress(terminal, operators=1)
    told_late = [Started(INNER), Finished(INNER, 1.0, None)] * 2
    for event in [
        *NESTED[:2],
        Progressed(OUTER, 1, 2, ""),
        Progressed(OUTER, 2, 2, ""),
        *told_late,
    ]:
        bars(event)
    assert len(shown(bars)) == 2
    assert "2/2" in shown(bars)[1]


def test_long_names_are_cut(terminal, clock):
    name = "Cross Validation of everything there is to validate"
    bars = BarProgress(terminal, operators=1)
    bars(Started((name, "Training", "RFE")))
    bars(Progressed((name,), 1, 2, "Folds"))
    lines = shown(bars)
    assert lines[0].endswith("Cross Validation of everything … › Training › RFE")
    assert lines[1].endswith("Cross Validation of everything …: Folds")


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_nothing_is_wider_than_the_terminal(terminal, clock, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    bars = BarProgress(PlainConsole(stderr=True), operators=3)
    for event in NESTED:
        bars(event)
    lines = shown(bars)
    assert len(lines) == 3
    assert all(len(line) <= width - 3 for line in lines)
    assert "1/3" in lines[2]


def test_a_loop_of_unknown_length_shows_only_a_count(terminal, clock):
    bars = BarProgress(terminal, operators=1)
    bars(Progressed(OUTER, 7, None, "Steps"))
    assert " 7 " in shown(bars)[1]
    assert "left" not in shown(bars)[1]


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0:00"), (59.6, "1:00"), (754, "12:34"), (11_045, "3:04:05")]
)
def test_durations_are_shown_as_on_a_clock(seconds, text):
    assert clock_text(seconds) == text


def test_bars_say_that_the_run_will_stop(terminal):
    bars = BarProgress(terminal, operators=1)
    bars.announce_stop()
    assert "Stopping after this step" in shown(bars)[0]


def test_a_pipe_gets_a_line_now_and_then(console, clock):
    lines = LineProgress(console)
    lines(Started(OUTER))
    for done in range(11):
        lines(Progressed(OUTER, done, 10, "Folds"))
    lines(Finished(INNER, 1.0, None))
    lines(Finished(OUTER, 75.0, None))
    assert console.file.getvalue().splitlines() == [
        "CV: Folds 1/10",
        "CV: Folds 3/10, about 7 s left",
        "CV: Folds 7/10, about 3 s left",
        "CV: done in 1 min 15 s",
    ]


def test_loops_of_unknown_length(console, clock):
    lines = LineProgress(console)
    lines(Progressed(OUTER, 7, None, "Steps"))
    assert console.file.getvalue() == "CV: Steps 7\n"


def test_announcing_a_stop_never_fails(console):
    LineProgress(console).announce_stop()
    QuietProgress().announce_stop()


def test_the_display_suits_the_stream(console, monkeypatch):
    assert type(progress_on(console, 1, quiet=True)) is QuietProgress
    assert type(progress_on(console, 1, quiet=False)) is LineProgress
    monkeypatch.setattr(PlainConsole, "is_terminal", True)
    monkeypatch.setattr(PlainConsole, "is_dumb_terminal", True)
    assert type(progress_on(console, 1, quiet=False)) is LineProgress
    monkeypatch.setattr(PlainConsole, "is_dumb_terminal", False)
    assert type(progress_on(console, 1, quiet=False)) is BarProgress
