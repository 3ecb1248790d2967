"""How far a run is, for terminals and pipes."""

import io
import itertools

import pytest

from fsops.cli import progress
from fsops.cli.console import PlainConsole
from fsops.cli.progress import BarProgress, LineProgress, QuietProgress, Warnings, progress_on
from fsops.core.events import Failed, Finished, Logged, Progressed, Started

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
    return [line.strip() for line in canvas.getvalue().splitlines()]


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


def test_a_bar_goes_when_its_operator_ends(terminal, clock):
    bars = BarProgress(terminal, operators=3)
    for event in [*NESTED, Finished(INNER, 0.1, None)]:
        bars(event)
    assert len(shown(bars)) == 2
    bars(Failed(OUTER, RuntimeError()))
    assert len(shown(bars)) == 1
    assert "1/3" in shown(bars)[0]


def test_bars_say_that_the_run_will_stop(terminal):
    bars = BarProgress(terminal, operators=1)
    bars.announce_stop()
    assert "Stopping after this step" in shown(bars)[0]


def test_a_pipe_gets_a_line_now_and_then(console, clock):
    lines = LineProgress(console)
    lines(Started(OUTER))
    for done in range(6):
        lines(Progressed(OUTER, done, 5, "Folds"))
    lines(Finished(INNER, 1.0, None))
    lines(Finished(OUTER, 75.0, None))
    assert console.file.getvalue().splitlines() == [
        "CV: Folds 1/5",
        "CV: Folds 3/5",
        "CV: Folds 5/5",
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


def test_warnings_are_counted():
    warnings = Warnings()
    for path, name in ((OUTER, "warning"), (INNER, "warning"), (OUTER, "warning"), (OUTER, "loss")):
        warnings(Logged(path, name, "odd"))
    assert warnings.items() == [(OUTER, "odd", 2), (INNER, "odd", 1)]
    assert warnings.as_json()[0] == {"path": ["CV"], "message": "odd", "count": 2}
