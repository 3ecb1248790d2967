"""Does the designer answer at once? ``python benchmarks/designer.py [--quick]``.

Every figure is taken in a fresh process with a window that is really painted (offscreen unless
QT_QPA_PLATFORM says otherwise), and is the best of several rounds: other work on the machine only
ever adds. Settings of the user are neither read nor written. Leaves with 1 if a goal is missed.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

OPERATORS, COLUMNS = 500, 25
RATE = 10_000
"""Events in a second."""
ENOUGH = 0.8 * RATE
"""A run that was held up below this shows nothing."""
TICK = 0.005
MEASURED = ("window", "open", "block", "stop", "charts")
"""What is measured in a process of its own."""
GOALS = {
    "window": ("window to first usable, fresh process", "s", 1.5),
    "cpu": ("CPU time of that, closing included", "s", 1.5),
    "open": ("open a file of 500 operators, painted", "s", 0.5),
    "open_cpu": ("CPU time of that", "s", 0.5),
    "memory": ("memory for them", "MB", 60.0),
    "drag": ("drag step at 100 %, median", "ms", 16.0),
    "drag_worst": ("drag step at 100 %, worst", "ms", 33.0),
    "drag_cpu": ("CPU time of a drag step, median", "ms", 16.0),
    "edit": ("one edit of 500 operators (parameter)", "ms", 100.0),
    "undo": ("undo it", "ms", 100.0),
    "edit_cpu": ("CPU time of the edit, thread of the window", "ms", 100.0),
    "undo_cpu": ("CPU time of the undo, thread of the window", "ms", 100.0),
    "idle": ("longest block of an idle window", "ms", None),
    "block": (f"longest block at {RATE:,} events/s", "ms", 50.0),
    "block_cpu": ("most CPU time between two ticks of it", "ms", 50.0),
    "rate": ("events/s that the run got rid of", "", ENOUGH),
    "stop": ("stop a run deep inside a validation", "s", 1.0),
    "pan": ("pan a plot of 20,000 points, CPU", "ms", 1000 / 60),
    "pan_pyqtgraph": ("the same in pyqtgraph, if installed", "ms", None),
    "volcano": ("volcano of 200,000: pan, CPU", "ms", 100.0),
    "volcano_pyqtgraph": ("the same in pyqtgraph, if installed", "ms", None),
    "volcano_zoom": ("volcano of 200,000: zoom, CPU", "ms", 100.0),
    "volcano_hover": ("volcano of 200,000: hover, CPU", "ms", 100.0),
    "volcano_click": ("volcano of 200,000: click, 4 views, CPU", "ms", 100.0),
    "volcano_lasso": ("volcano of 200,000: lasso, 4 views, CPU", "ms", 100.0),
}

# Stands where `python -m fsops run … --events -` looks for fsops; writes as many events as asked.
TALKER = """
import json, sys, time
names, rate, seconds = json.load(open({settings!r}))
write = sys.stdout.write
def tell(event, **fields):
    line = {{"event": event, "time": "2026-11-16T00:00:00.000+00:00", **fields}}
    write(json.dumps(line) + "\\n")
tell("run_started", schema=1, fsops="0", process="Looped", file="-", seed=1, operators=2)
began, told, total = time.perf_counter(), 0, int(rate * seconds)
while told < total:
    due = min(int((time.perf_counter() - began) * rate), total)
    for told in range(told, due):
        turn, kind = divmod(told, 4)
        path = ["Loop", "Iteration", names[turn % len(names)]]
        if kind == 0: tell("started", path=path)
        elif kind == 1: tell("progress", path=["Loop"], label="Iterations", done=told, total=total)
        elif kind == 2: tell("finished", path=path, seconds=0.001, peak_memory=2 * 10**8)
        elif turn % 5: tell("progress", path=path, label="Steps", done=turn % 7, total=7)
        elif turn % 50: tell("log", path=path, name="accuracy", value=turn / total)
        else: tell("warning", path=path, message="k is 40, but there are only 30 attributes.")
    told = due
    sys.stdout.flush()
    time.sleep(0.01)
tell("run_ended", schema=1, status="finished", exit_code=0, seed=1,
     seconds=time.perf_counter() - began)
"""


# --- the processes that are shown ----------------------------------------------------------------


def many(count: int) -> Any:
    """Return a process with rows of Normalize, Weight by SAM and Select by Weights."""
    from fsops import Process
    from fsops.operators import normalize, retrieve, select_by_weights, weight_by_sam

    process = Process("Many")
    table = scaled = weights = None
    for number in range(count):
        row, column = divmod(number, COLUMNS)
        if column == 0:
            node = process.add(retrieve, repository_entry="breast cancer")
            table = node["examples"]
        elif column % 3 == 1:
            node = process.add(normalize, table)
            scaled = node["examples"]
        elif column % 3 == 2:
            node = process.add(weight_by_sam, scaled)
            weights = node["weights"]
        else:
            node = process.add(select_by_weights, scaled, weights)
            table = node["examples"]
        node.position = {"x": 45 + 140 * column, "y": 45 + 110 * row}
    return process


def looped() -> Any:
    """Return a loop with a chain inside, whose names the events carry."""
    from fsops import Process
    from fsops.operators import loop, normalize, retrieve

    process = Process("Looped")
    node = process.add(loop, process.add(retrieve, repository_entry="breast cancer"))
    inner = node.inner()
    last = inner.source("input 1")
    for _ in range(8):
        last = inner.add(normalize, last)["examples"]
    inner.result(last)
    process.result(node["output 1"])
    return process


# --- what is measured; each runs in a process of its own -----------------------------------------


@contextmanager
def shown_window(path: Path | None = None) -> Iterator[Any]:
    """Yield a window that has been painted, with a file if one is given."""
    from fsops.plugins import plugins
    from fsops_gui.document.document import Document
    from fsops_gui.shell.app import application
    from fsops_gui.shell.window import Window

    app = application()
    window = Window(plugins().registry, Document.open(path) if path else None)
    window.resize(1360, 860)
    window.show()
    settle(app)
    window.files.may_leave = lambda: True  # nobody is there to be asked
    yield window
    window.close()


def settle(app: Any, seconds: float = 0.3) -> None:
    """Let the window do what it still has to do."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.002)


def wait_for_check(window: Any, app: Any) -> None:
    """Wait until the process as it is now has been checked in the background."""
    for _ in range(300):
        settle(app, 0.1)
        if window.session.checker.findings.process is window.session.document.process:
            return
    raise RuntimeError("the check did not end")


def timed(act: Callable[[], Any], app: Any) -> float:
    """Return how long it takes until an act is done and painted."""
    began = time.perf_counter()
    act()
    app.processEvents()
    return time.perf_counter() - began


def memory() -> float:
    """Return the memory of this process in MB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def measure_open(folder: Path, _seconds: float) -> dict[str, float]:
    from PyQt6.QtWidgets import QApplication

    file = folder / "many.xml"
    # Elsewhere, so that nothing of it is in the memory of this process.
    subprocess.run([sys.executable, __file__, "--write", str(file)], check=True)
    with shown_window(Path("processes/quickstart.xml")) as window:
        app = QApplication.instance()
        settle(app, 1.0)
        before = memory()
        spent = time.process_time()
        seconds = timed(lambda: window.files.open_file(file), app)
        spent = time.process_time() - spent
        wait_for_check(window, app)  # it has its part of the memory
        taken = memory() - before
        assert len(window.session.editor.scene.frames[0].operators) == OPERATORS
        figures = {"open": seconds, "open_cpu": spent, "memory": taken}
        figures |= drag(window, app) | edit(window, app)
    return figures


def drag(window: Any, app: Any, steps: int = 120) -> dict[str, float]:
    """Move an operator in the middle with the mouse, in the size it is drawn in."""
    from PyQt6.QtCore import QEvent, QPointF, Qt
    from PyQt6.QtGui import QMouseEvent
    from PyQt6.QtWidgets import QApplication

    view, scene = window.session.editor.view, window.session.editor.scene
    name = list(scene.frames[0].operators)[OPERATORS // 2 + COLUMNS // 2]
    item = scene.item_of(name)
    view.set_zoom(1.0)
    view.centerOn(item)
    settle(app)
    port, left, none = view.viewport(), Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    at = QPointF(view.mapFromScene(item.mapToScene(QPointF(40, 10))))

    def mouse(kind: QEvent.Type, point: QPointF, button: Any, held: Any) -> None:
        there = QPointF(port.mapToGlobal(point.toPoint()))
        keys = Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(port, QMouseEvent(kind, point, there, button, held, keys))

    before = item.pos()
    mouse(QEvent.Type.MouseButtonPress, at, left, left)
    times, spent = [], []
    for step in range(steps):
        began = time.thread_time()
        at += QPointF(2, 1) if step < steps / 2 else QPointF(-3, -1)
        times.append(
            timed(lambda point=at: mouse(QEvent.Type.MouseMove, point, none, left), app)  # type: ignore[misc]
        )
        spent.append(time.thread_time() - began)
    moved = item.pos()
    mouse(QEvent.Type.MouseButtonRelease, at, left, none)
    app.processEvents()
    assert moved != before, "nothing was dragged"
    return {
        "drag": 1000 * statistics.median(times),
        "drag_worst": 1000 * max(times),
        "drag_cpu": 1000 * statistics.median(spent),
    }


def edit(window: Any, app: Any) -> dict[str, float]:
    """Set a parameter, and take it back."""
    document = window.session.document
    name = next(node.name for node in document.process if node.operator.key == "normalize")
    window.session.editor.scene.select([name])
    wait_for_check(window, app)
    before = document.process
    spent = time.thread_time()
    seconds = timed(lambda: document.set_parameter(name, "method", "range transformation"), app)
    spent = time.thread_time() - spent
    assert document.process != before
    wait_for_check(window, app)
    spent_back = time.thread_time()
    back = timed(document.undo_stack.undo, app)
    spent_back = time.thread_time() - spent_back
    assert document.process == before
    return {
        "edit": 1000 * seconds,
        "undo": 1000 * back,
        "edit_cpu": 1000 * spent,
        "undo_cpu": 1000 * spent_back,
    }


def measure_block(folder: Path, seconds: float) -> dict[str, float]:
    """Run a process whose child talks without end, and see how long the window is deaf."""
    from PyQt6.QtCore import QEventLoop, Qt, QTimer
    from PyQt6.QtWidgets import QApplication

    process = looped()
    names = [node.name for node in process.walk() if node.name != "Loop"]
    (folder / "settings.json").write_text(json.dumps([names, RATE, seconds]))
    stub = folder / "stub" / "fsops"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("")
    (stub / "__main__.py").write_text(TALKER.format(settings=str(folder / "settings.json")))
    with shown_window() as window:
        app = QApplication.instance()
        window.session.document.take_over("Take over", process)
        window.session.editor.scene.enter("Loop")
        wait_for_check(window, app)
        settle(app, 1.0)
        gaps: list[float] = []
        spent: list[float] = []
        last = [time.perf_counter(), time.thread_time()]

        def tick() -> None:
            now, used = time.perf_counter(), time.thread_time()
            gaps.append(now - last[0] - TICK)
            spent.append(used - last[1])
            last[:] = now, used

        timer = QTimer()
        timer.setTimerType(Qt.TimerType.PreciseTimer)
        timer.timeout.connect(tick)
        timer.start(round(1000 * TICK))
        loop = QEventLoop()
        QTimer.singleShot(round(1000 * seconds), loop.quit)
        loop.exec()
        idle = max(gaps)
        gaps.clear()
        spent.clear()
        os.environ["PYTHONPATH"] = str(stub.parent)
        os.chdir(stub.parent)  # where `python -m` looks first
        window.session.run_ended.connect(lambda: QTimer.singleShot(1000, loop.quit))
        QTimer.singleShot(60_000, loop.quit)
        window.runs.run()
        loop.exec()
        report = window.session.run.report
        assert report.status == "finished", (report.status, report.message, report.hint)
        assert report.operators["Loop"].total == RATE * seconds, "another child has run"
    return {
        "idle": 1000 * idle,
        "block": 1000 * max(gaps),
        "block_cpu": 1000 * max(spent),
        "rate": RATE * seconds / report.seconds,
    }


def measure_stop(_folder: Path, _seconds: float) -> dict[str, float]:
    """Stop a run that grows large forests in the folds of a validation."""
    from PyQt6.QtWidgets import QApplication

    from fsops import Process
    from fsops.operators import apply_model, cross_validation, performance, random_forest, retrieve

    process = Process("Forests")
    loop = process.add(cross_validation, process.add(retrieve, repository_entry="breast cancer"))
    training, testing = loop.subprocesses
    forest = training.add(random_forest, training.source("training_set"), number_of_trees=20_000)
    training.result(forest, "model")
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(testing.add(performance, applied), "performance")
    process.result(loop)
    with shown_window() as window:
        app = QApplication.instance()
        window.session.document.take_over("Take over", process)
        window.runs.run()
        run = window.session.run
        while "Random Forest" not in run.report.ran:
            settle(app, 0.05)
            assert run.running, run.report.message
        settle(app, 1.0)  # well inside of the first forest
        began = time.perf_counter()
        run.stop()
        while run.running:
            app.processEvents()
        seconds = time.perf_counter() - began
        assert run.report.status == "cancelled", run.report.status
    return {"stop": seconds}


def measure_charts(_folder: Path, _seconds: float) -> dict[str, float]:
    """Return the CPU time of interactions with plots of many points, each painted completely."""
    from PyQt6.QtWidgets import QApplication

    from fsops_gui.base.theme import LIGHT, apply_theme

    app = QApplication(["fsops"])
    apply_theme(LIGHT)
    found = panned(app, 20_000, "pan") | panned(app, 200_000, "volcano")
    found |= explored(app)
    return found


def cpu_of(act: Callable[[], object], rounds: int = 15) -> float:
    """Return the median CPU time of an act in milliseconds, of the thread of the window."""
    spent = []
    for _ in range(rounds):
        began = time.thread_time()
        act()
        spent.append(time.thread_time() - began)
    return 1000 * statistics.median(spent)


def panned(app: Any, count: int, key: str) -> dict[str, float]:
    """Return the time of moving a plot by some pixels: ours, and pyqtgraph's."""
    import numpy as np
    from PyQt6.QtGui import QColor

    from fsops_gui.widgets.charts.points import DotChart

    rng = np.random.default_rng(0)
    x, y = rng.normal(size=count), rng.exponential(size=count)
    chart = DotChart("Points")
    chart.resize(700, 500)
    chart.colours = lambda: [QColor("#3566c8"), QColor("#c8641a")]
    chart.set_points(x, y, (x > 1).astype(np.intp))
    chart.show()
    app.processEvents()

    def move() -> None:
        chart.move_by(3, 1)
        chart.grab()

    found = {key: cpu_of(move), f"{key}_pyqtgraph": float("nan")}
    try:
        import pyqtgraph
    except ImportError:
        return found
    other = pyqtgraph.PlotWidget()
    other.resize(700, 500)
    brushes = [pyqtgraph.mkBrush(c) for c in ("#3566c8", "#c8641a")]
    for code, brush in enumerate(brushes):
        part = (x > 1) == bool(code)
        points = pyqtgraph.ScatterPlotItem(x=x[part], y=y[part], size=5, pen=None, brush=brush)
        other.addItem(points)
    other.show()
    app.processEvents()

    def move_other() -> None:
        other.getViewBox().translateBy(x=0.02, y=0.01)
        other.grab()

    return found | {f"{key}_pyqtgraph": cpu_of(move_other)}


def explored(app: Any) -> dict[str, float]:
    """Return the times of interactions with linked views of 200,000 attributes of 60 rows."""
    import numpy as np
    from PyQt6.QtCore import QPointF
    from PyQt6.QtGui import QPolygonF

    from fsops.data import ExampleSet
    from fsops_gui.panels.explore.explorer import Explorer
    from fsops_gui.panels.explore.material import PortValue, gather
    from fsops_gui.widgets.charts.chart import How

    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 200_000))
    values[:30, :500] += 1.5
    table = ExampleSet.from_numpy(values, np.repeat(["a", "b"], 30))
    material = gather([PortValue("Table", "examples", table)], "Wide")
    assert material is not None
    page = Explorer(material)
    page.resize(1366, 700)
    page.show()
    settle(app, 2.0)
    chart = page.cards[0].view.charts[0]
    steps = iter(range(10_000))

    def painted(act: Callable[[], object]) -> Callable[[], None]:
        def both() -> None:
            act()
            app.processEvents()
            page.grab()

        return both

    def hover() -> None:
        chart.hover = chart.hit(QPointF(100 + next(steps) % 200, 100))

    def click() -> None:
        page.selection.choose_attributes(np.array([next(steps)]))

    def lasso() -> None:
        n = next(steps) % 50
        way = [QPointF(60 + n, 20), QPointF(200, 20), QPointF(200, 190), QPointF(60 + n, 190)]
        chart.choose_inside(QPolygonF(way), How.REPLACE)

    found = {
        "volcano_zoom": cpu_of(painted(lambda: chart.zoom(0.99))),
        "volcano_hover": cpu_of(painted(hover)),
    }
    chart.go_home()
    found["volcano_click"] = cpu_of(painted(click))
    found["volcano_lasso"] = cpu_of(painted(lasso))
    page.close()
    return found


def measure_window(_folder: Path, _seconds: float) -> dict[str, float]:
    """Start as the command does; tell when the window is painted and has nothing more to do."""
    sys.argv = ["fsops", "gui", "processes/quickstart.xml"]
    from fsops.cli import main

    def look() -> None:
        from PyQt6.QtCore import QTimer
        from PyQt6.QtWidgets import QApplication

        shown = [w for w in QApplication.topLevelWidgets() if w.objectName() == "designer"]
        if shown and shown[0].isVisible() and shown[0].isActiveWindow():
            app = QApplication.instance()
            app.processEvents()
            # Not sys.stdout, which is another stream while a thread loads plugins.
            print(json.dumps({"window": time.monotonic()}), file=sys.__stdout__, flush=True)
            shown[0].close()
        else:
            QTimer.singleShot(0, look)

    from fsops_gui.shell import app as program

    made = program.application

    def application() -> Any:
        from PyQt6.QtCore import QTimer

        app = made()
        QTimer.singleShot(0, look)
        return app

    program.application = application  # the one place where a visitor can get in
    main()
    return {}


# --- rounds ---------------------------------------------------------------------------------------


def one(name: str, seconds: float, folder: Path) -> dict[str, float]:
    """Run a measurement in a fresh process and return what it found."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    for place in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment[place] = str(folder / "home")
    command = [sys.executable, __file__, "--one", name, "--seconds", str(seconds)]
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = spent.ru_utime + spent.ru_stime
    began = time.monotonic()
    root = Path(__file__).parents[1]
    done = subprocess.run(
        command, check=False, cwd=root, env=environment, capture_output=True, text=True, timeout=90
    )
    if done.returncode:
        raise SystemExit(f"{name} could not be measured:\n{done.stderr[-3000:]}")
    # While plugins are loaded for the first time, standard output goes to standard error.
    said = [line for line in (done.stderr + done.stdout).splitlines() if line.startswith("{")]
    figures: dict[str, float] = json.loads(said[-1])
    if "window" in figures:
        figures["window"] -= began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        figures["cpu"] = used.ru_utime + used.ru_stime - before
    return figures


def best(rounds: list[dict[str, float]]) -> dict[str, float]:
    """Return the smallest of each figure; those of a run belong together."""
    if "block" in rounds[0]:
        return min(rounds, key=lambda found: (found["rate"] < ENOUGH, found["block"]))
    return {key: min(found[key] for found in rounds) for key in rounds[0]}


def verdict(key: str, value: float) -> tuple[str, bool]:
    """Return the goal of a figure in words, and whether it is missed."""
    _, unit, goal = GOALS[key]
    if goal is None:
        return "", False
    missed = value < goal if key == "rate" else value >= goal
    words = f"{'≥' if key == 'rate' else '<'} {goal:,g} {unit}"
    return f"{words:11} {'MISSED' if missed else 'reached'}", missed


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="one round, two seconds of events")
    parser.add_argument("--one", choices=MEASURED, help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--seconds", type=float, default=5.0, help="how long events come")
    asked = parser.parse_args()
    if asked.write:
        from fsops.storage import write_process

        write_process(many(OPERATORS), asked.write)
        return 0
    if asked.one:
        with tempfile.TemporaryDirectory() as place:
            measured = globals()[f"measure_{asked.one}"](Path(place), asked.seconds)
        if measured:
            print(json.dumps(measured))
        return 0
    rounds, seconds = (1, 2.0) if asked.quick else (5, asked.seconds)
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        one("window", seconds, folder)  # compiles the modules
        for name in MEASURED:
            found |= best([one(name, seconds, folder) for _ in range(rounds)])
    missed = 0
    print(f"{'':40}  {'best':>9}     goal       ({rounds} rounds)")
    for key, (words, unit, _) in GOALS.items():
        said, late = verdict(key, found[key])
        missed += late
        digits = 2 if unit == "s" else 1 if unit else 0
        print(f"{words:40}  {found[key]:9,.{digits}f} {unit:3} {said}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
