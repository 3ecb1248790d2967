"""Makes the pictures of the designer in docs/designer/: python tools/make_screenshots.py [NAME …].

Each picture is taken from a window that was used as a person would use it: files opened, operators
entered, the process run. Light and dark, at 1440 × 900. Look at every picture before you keep it.
``--all-sizes DIR`` writes every state at 1366 × 768, 1920 × 1080 and at twice the resolution to a
folder, to look at; nothing in docs/ changes.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "designer"
WIDTH, HEIGHT = 1440, 900
SIZES = ((1366, 768, 1.0), (1920, 1080, 1.0), (1440, 900, 2.0))
"""Width, height and pixels for each point, of the pictures to look at."""
SHARPNESS = (1.5, 1.0)
"""Pixels for each point of the window; the next one is taken where a file would be too large."""
LARGEST = 200_000
SCREEN = {
    "name": "screen", "x": 0, "y": 0, "width": 1920, "height": 1080,
    "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1,
}  # fmt: skip
PATIENCE = 150.0
SAMPLE = "breast cancer"
"""The table of the guided study."""


class Stage:
    """A window, and what somebody does with it."""

    def __init__(self, registry: Any, size: tuple[int, int] = (WIDTH, HEIGHT)) -> None:
        from PyQt6.QtWidgets import QApplication

        from fsops_gui.shell.window import Window

        self.app = QApplication.instance()
        self.window = Window(registry)
        self.window.resize(*size)
        self.window.files.may_leave = lambda: True  # nobody is there to be asked
        self.window.show()
        self.settle()

    def close(self) -> None:
        """End everything the window does."""
        self.window.close()
        self.window.deleteLater()
        self.settle()

    def settle(self, seconds: float = 0.6) -> None:
        """Let the window do what it still has to do."""
        self.wait(lambda: False, seconds)

    def wait(self, happened: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Wait until something has happened; return whether it has."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.app.processEvents()
            if happened():
                return True
            time.sleep(0.005)
        return False

    def open(self, name: str) -> None:
        """Open a ready process and wait until it is checked."""
        self.window.files.open_file(Path.home() / "processes" / f"{name}.xml")
        self.window.views.show_process()
        self.settle(1.5)

    def act(self, name: str) -> None:
        """Do what an entry of the menus does."""
        self.window.actions_table.by_name[name].trigger()
        self.settle()

    def enter(self, operator: str) -> None:
        """Open the inner processes of an operator."""
        self.window.session.editor.scene.select([operator])
        self.act("enter")

    def run(self) -> None:
        """Run the whole process to its end, whatever earlier pictures have left in the store."""
        ended: list[bool] = []
        self.window.session.run_ended.connect(lambda: ended.append(True))
        self.act("run_again")
        if not self.wait(lambda: bool(ended)):
            raise SystemExit("The run did not end.")
        self.settle(2.0)

    def look_at_the_beginning(self, zoom: float) -> None:
        """Show the upper left corner of a level."""
        view = self.window.session.editor.view
        view.set_zoom(zoom)
        for bar in (view.horizontalScrollBar(), view.verticalScrollBar()):
            bar.setValue(bar.minimum())

    def make_room(self, *panels: str) -> None:
        """Close panels that have nothing to say."""
        for name in panels:
            self.window.docks[name].close()
        self.settle()

    def click(self, widget: Any, point: Any) -> None:
        """Click with the left button."""
        from PyQt6.QtCore import Qt
        from PyQt6.QtTest import QTest

        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)
        self.settle()


# --- the pictures; each brings a window into a state worth showing --------------------------------


def start_page(stage: Stage) -> None:
    """The first thing one sees."""
    for name in ("wrapper_validation", "mrmr", "quickstart"):
        stage.open(name)  # so that there are recent files
    stage.window.files.new()
    stage.act("show_start")
    stage.settle(4.0)  # the pictures of the examples are drawn one by one


def nested(stage: Stage) -> None:
    """The inside of a cross-validation: training and testing side by side."""
    stage.open("quickstart")
    stage.enter("Cross Validation")
    stage.make_room("overview", "help", "parameters")
    stage.run()
    stage.act("show_process")
    stage.window.session.editor.scene.select(["Weight by SAM"])
    stage.look_at_the_beginning(0.9)
    stage.settle(2.0)


def live(stage: Stage) -> None:
    """A process after a run: small plots, counts on wires, and a result that is out of date."""
    stage.open("ensemble_and_stability")
    stage.run()
    stage.act("show_process")
    stage.make_room("overview", "help", "parameters")
    process = stage.window.session.document.process
    names = [n.name for n in process if n.operator.role in ("validation", "selection", "weighting")]
    stage.window.session.editor.scene.select(names[:1])
    stage.look_at_the_beginning(0.85)
    stage.settle(2.5)


def overview(stage: Stage) -> None:
    """A large process from far away: every name can be read."""
    stage.open("filters")
    stage.run()
    stage.act("show_process")
    stage.act("toggle_panels")
    stage.window.session.editor.view.set_zoom(0.4)
    stage.settle()


def empty(stage: Stage) -> None:
    """A new process says what to do."""
    stage.act("new")
    stage.settle()


def problems(stage: Stage) -> None:
    """Mistakes are told where they are, with what would mend them."""
    from PyQt6.QtCore import QPointF

    stage.open("quickstart")
    stage.enter("Cross Validation")
    session = stage.window.session
    scene, view = session.editor.scene, session.editor.view
    training = scene.frames[0].level
    wires = session.document.level(training).connections
    session.document.remove_wires(training, [w for w in wires if w.to_node == "Naive Bayes"])
    session.document.set_parameter("Select Top k", "k", "-3")
    stage.make_room("overview")
    stage.window.docks["problems"].raise_()
    stage.settle(2.0)
    item = scene.item_of("Select Top k")
    stage.click(
        view.viewport(), view.mapFromScene(item.mapToScene(QPointF(item.bubble().center())))
    )


def running(stage: Stage) -> None:
    """A run: what is done, how far a loop is, how long it took."""
    stage.open("compare_selections")
    stage.make_room("overview", "help", "parameters")
    stage.act("run_again")  # whatever the picture before has left in the store
    report = stage.window.session.run.report

    def halfway() -> bool:
        states = report.operators.values()
        return any(s.state == "running" and 0.3 * s.total <= s.done < s.total for s in states)

    stage.wait(halfway)
    stage.settle(0.1)


def weights(stage: Stage) -> None:
    """Several weightings side by side."""
    from PyQt6.QtCore import QPoint

    stage.open("filters")
    stage.run()
    stage.make_room(*stage.window.docks)
    results = stage.window.results
    results.compare_menu.popup(results.compare_button.mapToGlobal(QPoint(0, 30)))
    stage.settle()
    first = results.compare_menu.actions()[0]
    results.compare_menu.close()
    first.trigger()
    stage.settle(2.0)


def results(stage: Stage) -> None:
    """The results of a run, with a figure."""
    stage.open("lars")
    stage.run()
    stage.make_room(*stage.window.docks)
    panel = stage.window.results
    for index in range(panel.tabs.count()):
        panel.tabs.setCurrentIndex(index)
        stage.settle(1.0)
        view = panel.current_tab().view
        figures = [i for i in range(view.count()) if is_figure(view, i)]
        if figures:
            view.setCurrentIndex(figures[0])
            break
    stage.settle(4.0)


def explore(stage: Stage) -> None:
    """Linked views of a run: one attribute is marked in all of them."""
    stage.open("ensemble_and_stability")
    stage.run()
    stage.act("show_results")
    stage.window.results.explore()
    stage.settle(2.0)
    page = stage.window.results.current_tab().view
    page.choose_names(["worst radius"])
    stage.settle(2.0)


def explore_rows(stage: Stage) -> None:
    """Rows chosen in a projection, marked in the other views."""
    import numpy as np

    explore(stage)
    page = stage.window.results.current_tab().view
    for card, key in zip(
        page.cards, ("projection", "scatter", "by_class", "heat_map"), strict=True
    ):
        card.show_view(key)
    stage.settle(2.0)
    places = page.cards[0].view.chart
    page.selection.choose_rows(np.flatnonzero(places.xs > 5))
    stage.settle(1.0)


def tutorial(stage: Stage) -> None:
    """The tutorial after its first run: a high score on noise."""
    stage.window.tutorials.begin_leak()
    stage.settle()
    stage.run()
    stage.wait(lambda: stage.window.tutorials.number == 1)
    stage.settle(1.0)


def begin_study(stage: Stage) -> Any:
    """Begin the study of a table with an id, gaps and a column that gives the label away."""
    from fsops.operators import retrieve

    frame = retrieve(repository_entry=SAMPLE).to_pandas().iloc[:240].copy()
    frame.columns = [name.replace(" ", "_") for name in frame.columns]
    frame.insert(0, "sample_id", [f"S{number:03d}" for number in range(len(frame))])
    frame.insert(1, "diagnosis", frame.pop("label"))
    frame.insert(2, "grade", (frame["diagnosis"] == "malignant") * 2 + frame["mean_radius"] / 100)
    frame.loc[frame.index[::3], "mean_texture"] = None
    frame.insert(5, "device", "A")
    file = Path.home() / "biopsies.csv"
    frame.to_csv(file, index=False)
    stage.window.studies.begin(file)
    page = stage.window.studies.page
    stage.wait(lambda: page.study is not None)
    stage.settle()
    return page


def study_table(stage: Stage) -> None:
    """The first screen of the guided study."""
    begin_study(stage)


def study_methods(stage: Stage) -> Any:
    """The third screen: the methods with their cost."""
    page = begin_study(stage)
    page.table_screen.summaries["error"].button.click()
    stage.settle(2.0)
    page.show_screen(3)
    screen = page.methods_screen
    stage.wait(lambda: screen.costs is not None)
    stage.wait(lambda: all(screen.cost(key) is not None for key in screen.cards))
    return page


def study_answer(stage: Stage) -> None:
    """The last screen: the answer."""
    page = study_methods(stage)
    page.next.click()
    stage.wait(lambda: page.answer_screen.answer is not None, 3 * PATIENCE)
    stage.settle(2.0)


def is_figure(view: Any, index: int) -> bool:
    """Return whether a view of a result is a figure."""
    from fsops_gui.panels.results.figures import FigurePage

    return isinstance(view.page(index), FigurePage)


PICTURES: dict[str, Callable[[Stage], None]] = {
    "start": start_page,
    "nested": nested,
    "live": live,
    "overview": overview,
    "empty": empty,
    "problems": problems,
    "running": running,
    "weights": weights,
    "results": results,
    "explore": explore,
    "explore_rows": explore_rows,
    "tutorial": tutorial,
    "study_table": study_table,
    "study_methods": study_methods,
    "study_answer": study_answer,
}


IN_MANUAL = (
    "start", "nested", "live", "problems", "running", "weights", "results", "explore", "tutorial",
    "study_table", "study_methods", "study_answer",
)  # fmt: skip
"""The pictures that docs/designer.md shows; the others are only to look at."""


# --- taking them ----------------------------------------------------------------------------------


def picture_of(window: Any, sharpness: float) -> Any:
    """Return a window, with the menu that is open over it, as a picture of Pillow."""
    from PIL import Image
    from PyQt6.QtCore import QPoint
    from PyQt6.QtGui import QImage, QPainter
    from PyQt6.QtWidgets import QApplication

    width, height = round(window.width() * sharpness), round(window.height() * sharpness)
    image = QImage(width, height, QImage.Format.Format_RGB888)
    image.setDevicePixelRatio(sharpness)
    window.render(image)
    popup = QApplication.activePopupWidget()
    if popup is not None:
        painter = QPainter(image)
        popup.render(painter, popup.pos() - window.mapToGlobal(QPoint(0, 0)))
        painter.end()
    pixels = image.constBits()
    pixels.setsize(image.sizeInBytes())
    size = (image.width(), image.height())
    return Image.frombytes("RGB", size, bytes(pixels), "raw", "RGB", image.bytesPerLine())


def photograph(window: Any, sharpness: float) -> bytes:
    """Return a window as a small PNG."""
    from PIL import Image

    plain = picture_of(window, sharpness)
    # Exact colors where most of the picture is; nearest ones only at the edges of letters.
    few = plain.quantize(256, method=Image.Quantize.MEDIANCUT, kmeans=3, dither=Image.Dither.NONE)
    file = io.BytesIO()
    few.save(file, "PNG", optimize=True)
    return file.getvalue()


def staged(
    name: str, theme: str, registry: Any, size: tuple[int, int], sharpness: tuple[float, ...]
) -> bytes:
    """Bring a window into a state and return its picture; the sharpest that is small enough."""
    from PyQt6.QtWidgets import QApplication

    from fsops_gui.base import settings
    from fsops_gui.base.theme import apply_theme

    settings.FILE = Path.home() / f"{name}_{theme}_{size[0]}.ini"  # a window nobody has rearranged
    apply_theme(theme)
    stage = Stage(registry, size)
    try:
        PICTURES[name](stage)
        pictures = [photograph(stage.window, dots) for dots in sharpness]
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
    finally:
        stage.close()
    return next((p for p in pictures if len(p) <= LARGEST), pictures[-1])


def take(name: str, theme: str, registry: Any) -> Path:
    """Take one picture of the manual and return its file."""
    data = staged(name, theme, registry, (WIDTH, HEIGHT), SHARPNESS)
    if len(data) > LARGEST:
        raise SystemExit(f"{name} takes more than {LARGEST:,} bytes.")
    file = FOLDER / f"{name}_{theme}.png"
    FOLDER.mkdir(exist_ok=True)
    file.write_bytes(data)
    return file


def take_all_sizes(name: str, theme: str, registry: Any, folder: Path) -> Iterator[Path]:
    """Write a state in every size to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for width, height, sharpness in SIZES:
        file = folder / f"{name}_{theme}_{width}x{height}@{sharpness:g}.png"
        file.write_bytes(staged(name, theme, registry, (width, height), (sharpness,)))
        yield file


@contextmanager
def program() -> Iterator[Any]:
    """Start the designer in an empty home folder and yield its operators."""
    with tempfile.TemporaryDirectory() as home:
        screen = Path(home) / "screen.json"
        screen.write_text(json.dumps({"screens": [SCREEN]}))
        os.environ["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"
        for place in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
            os.environ[place] = home  # nothing of the user's is read or changed
        shutil.copytree(ROOT / "processes", Path(home) / "processes")
        from fsops.plugins import plugins
        from fsops_gui.shell.app import application

        app = application()
        yield plugins().registry
        del app


def main() -> int:
    """Take the pictures asked for, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    parser.add_argument("--theme", choices=("light", "dark", "contrast"), help="only this one")
    parser.add_argument("--all-sizes", type=Path, metavar="DIR", help="every size, to look at")
    asked = parser.parse_args()
    folder = None if asked.all_sizes is None else asked.all_sizes.resolve()
    unknown = set(asked.names) - set(PICTURES)
    if unknown:
        parser.error(f"there is no picture {', '.join(sorted(unknown))}")
    with program() as registry:
        for name in asked.names or (IN_MANUAL if folder is None else PICTURES):
            for theme in (asked.theme,) if asked.theme else ("light", "dark"):
                files: Iterable[Path] = (
                    [take(name, theme, registry)]
                    if folder is None
                    else take_all_sizes(name, theme, registry, folder)
                )
                for file in files:
                    sys.stdout.write(f"{file.name}  {file.stat().st_size / 1000:.0f} KB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
