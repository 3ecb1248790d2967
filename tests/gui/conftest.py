"""The designer is tested without a screen, and not at all where PyQt6 is not installed."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import gc

import pytest

try:
    import pytestqt.qtbot
    from PyQt6.QtCore import QEvent
    from PyQt6.QtWidgets import QApplication
except ImportError as error:
    missing = f"the designer needs PyQt6 and its tests pytest-qt: {error}"

    class LeftOut(pytest.Module):
        """A file of tests that is not even imported."""

        def collect(self):
            pytest.skip(missing, allow_module_level=True)

    def pytest_pycollect_makemodule(module_path, parent):
        return LeftOut.from_parent(parent, path=module_path)

else:
    missing = ""


if not missing:
    from fsops.core.graph.process import Process
    from fsops.plugins import plugins
    from fsops_gui.document.document import Document

    class PatientBot(pytestqt.qtbot.QtBot):
        """Waits longer for what must happen, because the machine may be busy.

        A test that asks for less time does not get less: nothing is slower where all is well.
        """

        PATIENCE = 60_000  # milliseconds

        def waitUntil(self, callback, *, timeout=PATIENCE):  # noqa: N802 - as in pytest-qt
            return super().waitUntil(callback, timeout=max(timeout, self.PATIENCE))

        def waitSignal(self, signal, *, timeout=PATIENCE, **options):  # noqa: N802
            return super().waitSignal(signal, timeout=max(timeout, self.PATIENCE), **options)

    @pytest.fixture
    def qtbot(qapp, request):
        return PatientBot(request)

    @pytest.fixture(scope="session")
    def qapp_args():
        return ["fsops"]

    def left_behind(before):
        """Return the top-level widgets that were not there before, shown or not, and close them."""
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        QApplication.processEvents()
        gc.collect()
        left = [w for w in QApplication.topLevelWidgets() if w not in before]
        names = [f"{type(w).__name__} {w.objectName() or w.windowTitle()!r}" for w in left]
        for widget in left:
            widget.close()
        return names

    @pytest.fixture
    def stray_windows():
        """Return the function that finds top-level widgets left behind."""
        return left_behind

    @pytest.fixture(scope="session", autouse=True)
    def quick_collection(qapp):
        """Look for garbage only in what tests make: of all modules it takes most of the time."""
        import fsops_gui.shell.window  # noqa: F401
        from fsops_gui.base.collection import Collector
        from fsops_gui.base.theme import LIGHT, apply_theme

        apply_theme(LIGHT)  # as in the program: sizes depend on fonts and style sheet
        gc.collect()
        gc.freeze()
        # What is frozen does not count: Python would look through the rest every moment.
        gc.set_threshold(700, 10, 1000)
        collector = Collector()  # as in the program
        yield
        collector.close()

    @pytest.fixture(autouse=True)
    def no_stray_windows(qapp):
        """Fail a test that leaves a top-level widget behind."""
        before = QApplication.topLevelWidgets()
        yield
        names = left_behind(before)
        assert names == [], f"top-level widgets left behind: {names}"

    @pytest.fixture(autouse=True)
    def own_settings(tmp_path, monkeypatch):
        """Remember nothing from one test to the next, and nothing of the user's."""
        from fsops_gui.base import settings

        monkeypatch.setattr(settings, "FILE", tmp_path / "designer.ini")
        monkeypatch.setenv("FSOPS_CACHE", str(tmp_path / "cache"))

    @pytest.fixture(scope="session")
    def registry():
        return plugins().registry

    @pytest.fixture
    def quickstart(registry):
        """Return a document with the ready process "quickstart"."""
        from pathlib import Path

        return Document.open(Path(__file__).parents[2] / "processes" / "quickstart.xml")

    @pytest.fixture
    def chain(registry):
        """Return a document: Retrieve, then Normalize, then Weight by SAM, to a result."""
        process = Process("Chain")
        table = process.add(registry["retrieve"], repository_entry="breast cancer")
        scaled = process.add(registry["normalize"], table)
        weights = process.add(registry["weight_by_sam"], scaled)
        process.result(weights)
        return Document(process)

    @pytest.fixture
    def window_of(qtbot, registry):
        """Return a function that shows a document in a window; all are closed at the end."""
        from fsops_gui.shell.window import Window

        opened = []

        def show(document=None):
            window = Window(registry, document)
            opened.append(window)
            with qtbot.waitActive(window, timeout=60_000):
                window.show()
                window.activateWindow()
            return window

        yield show
        for window in opened:
            window.files.may_leave = lambda: True
            window.close()
            window.deleteLater()

    @pytest.fixture
    def window(window_of, chain):
        """Return a window with the chain."""
        return window_of(chain)

    @pytest.fixture
    def scene(window):
        """Return what is on the canvas of the window."""
        return window.session.editor.scene

    @pytest.fixture
    def view(window):
        """Return the canvas of the window, all of it to be seen."""
        view = window.session.editor.view
        view.fit()
        return view

    @pytest.fixture
    def hand(qtbot):
        """Return a hand that uses the mouse on the canvas of a window."""
        return Hand(qtbot)


class Hand:
    """Presses, moves and releases at points of the scene, as a person would."""

    def __init__(self, qtbot):
        self.qtbot = qtbot

    @staticmethod
    def port(window, node, port, outgoing):
        """Return where a port is, as a point of the viewport."""
        from fsops.editing.connections import End

        scene, view = window.session.editor.scene, window.session.editor.view
        frame = next(f for f in scene.frames if node in f.operators or node.startswith("<"))
        return view.mapFromScene(frame.pos() + frame.place(End(node, port, outgoing)))

    @staticmethod
    def middle(window, node):
        """Return the middle of an operator's title."""
        item = window.session.editor.scene.item_of(node)
        from PyQt6.QtCore import QPointF

        return window.session.editor.view.mapFromScene(item.mapToScene(QPointF(40, 10)))

    def drag(self, window, start, end, steps=4):
        """Press at one point, move to another, release."""
        from PyQt6.QtCore import QPoint, Qt
        from PyQt6.QtTest import QTest

        viewport = window.session.editor.view.viewport()
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(viewport, left, Qt.KeyboardModifier.NoModifier, start)
        for i in range(1, steps + 1):
            part = start + (end - start) * i / steps
            self._move(viewport, QPoint(part), left)
        QTest.mouseRelease(viewport, left, Qt.KeyboardModifier.NoModifier, end)

    @staticmethod
    def _move(viewport, point, button):
        from PyQt6.QtCore import QEvent, QPointF, Qt
        from PyQt6.QtGui import QMouseEvent
        from PyQt6.QtWidgets import QApplication

        event = QMouseEvent(
            QEvent.Type.MouseMove, QPointF(point), QPointF(viewport.mapToGlobal(point)),
            Qt.MouseButton.NoButton, button, Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(viewport, event)

    def hold(self, window, start, end):
        """Press at one point and move to another, without letting go."""
        from PyQt6.QtCore import Qt
        from PyQt6.QtTest import QTest

        viewport = window.session.editor.view.viewport()
        QTest.mousePress(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
        self._move(viewport, end, Qt.MouseButton.LeftButton)

    def move(self, window, point):
        """Go on to a point with the button down."""
        from PyQt6.QtCore import Qt

        viewport = window.session.editor.view.viewport()
        self._move(viewport, point, Qt.MouseButton.LeftButton)

    def let_go(self, window, end):
        from PyQt6.QtCore import Qt
        from PyQt6.QtTest import QTest

        viewport = window.session.editor.view.viewport()
        QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, end)

    def click(self, window, point, modifiers=None):
        from PyQt6.QtCore import Qt

        viewport = window.session.editor.view.viewport()
        keys = modifiers or Qt.KeyboardModifier.NoModifier
        self.qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, keys, point)

    def double_click(self, window, point):
        from PyQt6.QtCore import Qt

        viewport = window.session.editor.view.viewport()
        self.qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=point)
        self.qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=point)

    def drop(self, window, key, point):
        """Drag an operator from the palette and let it fall at a point of the viewport."""
        from PyQt6.QtCore import QPointF, Qt
        from PyQt6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
        from PyQt6.QtWidgets import QApplication

        from fsops_gui.panels.palette import ROLE

        palette = window.palette_panel
        tree = palette.tree
        for words in (window.registry[key].title, key.replace("_", " ")):
            palette.field.setText(words)
            items = [tree.topLevelItem(i) for i in range(tree.topLevelItemCount())]
            operators = {i.data(0, ROLE).key: i for i in items if i.data(0, ROLE) is not None}
            if key in operators:
                break
        tree.setCurrentItem(operators[key])
        data = tree.mimeData(tree.selectedItems())
        viewport = window.session.editor.view.viewport()
        copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
        left = Qt.MouseButton.LeftButton
        for kind in (QDragEnterEvent, QDragMoveEvent, QDropEvent):
            where = QPointF(point) if kind is QDropEvent else point
            QApplication.sendEvent(viewport, kind(where, copy, data, left, none))
