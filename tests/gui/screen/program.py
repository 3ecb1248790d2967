"""The designer in a real window; it reports where things are when a test asks for them.

    python program.py FOLDER [process.xml]

Each line of standard input is a Python expression. It is evaluated in the program, and its value
is printed as JSON. Expressions only look: all that changes something comes by mouse and keyboard.
"""

import json
import os
import sys
from pathlib import Path

from PyQt6.QtCore import QPoint, QPointF, QSocketNotifier, Qt, QTimer
from PyQt6.QtWidgets import QAbstractButton, QApplication, QWidget

from fsops.editing.connections import End
from fsops_gui.base import settings
from fsops_gui.shell import app

OUT = os.dup(1)  # while operators load, what is printed goes to standard error


def window():
    return next(w for w in QApplication.topLevelWidgets() if hasattr(w, "session"))


def middle(widget):
    """Return the middle of a widget as a point of the screen."""
    return point(widget, widget.rect().center())


def point(widget, place):
    """Return a place in a widget as a point of the screen."""
    here = widget.mapToGlobal(QPoint(place))
    return [here.x(), here.y()]


def on_canvas(place):
    """Return a place of the scene as a point of the screen."""
    view = window().session.editor.view
    return point(view.viewport(), view.mapFromScene(QPointF(place)))


def operator(name):
    """Return the title of an operator on the canvas."""
    item = window().session.editor.scene.item_of(name)
    return on_canvas(item.mapToScene(QPointF(60, 12)))


def port(node, name, outgoing):
    """Return a port of an operator or of the edge of a level."""
    scene = window().session.editor.scene
    frame = next(f for f in scene.frames if node in f.operators)
    return on_canvas(frame.pos() + frame.place(End(node, name, outgoing)))


def button(words):
    """Return the button with these words, in whichever window it is."""
    tops = [w for w in QApplication.topLevelWidgets() if w.isVisible()]
    buttons = [b for top in tops for b in top.findChildren(QAbstractButton) if b.isVisible()]
    names = {(b.text() or b.accessibleName()).strip().replace("&", ""): b for b in buttons}
    return middle(names[words]) if words in names else None


def action(name):
    """Return the button of an action in the toolbar."""
    table = window().actions_table
    return middle(table.toolbar.widgetForAction(table.by_name[name]))


def cell(view, row, column=0):
    """Return a cell of a list or table."""
    index = view.model().index(row, column)
    return point(view.viewport(), view.visualRect(index).center())


def line(tree, words):
    """Return the line of a tree whose text contains some words."""
    flags = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive
    items = tree.findItems(words, flags, 0)
    return point(tree.viewport(), tree.visualItemRect(items[0]).center()) if items else None


def give_keyboard():
    """Give the front window the keyboard, as the window manager of a desktop does."""
    if QApplication.activePopupWidget() is None:
        front = QApplication.activeModalWidget() or window()
        if front.isVisible() and not front.isActiveWindow():
            front.activateWindow()


def answer():
    """Print the values of the expressions that have come."""
    for asked in os.read(0, 100_000).decode().splitlines():
        try:
            value = eval(asked, {**globals(), "w": window()})  # noqa: S307 - the test asks
        except Exception as error:  # noqa: BLE001 - the test waits for what is not there yet
            value = {"error": f"{type(error).__name__}: {error}"}
        os.write(OUT, (json.dumps(value, default=str) + "\n").encode())


if __name__ == "__main__":
    folder, *given = sys.argv[1:]
    os.environ["FSOPS_CACHE"] = str(Path(folder) / "cache")
    settings.FILE = Path(folder) / "designer.ini"
    program = app.application()
    reader = QSocketNotifier(0, QSocketNotifier.Type.Read)
    reader.activated.connect(answer)
    manager = QTimer()
    manager.timeout.connect(give_keyboard)
    manager.start(100)
    shown = QWidget.show

    def show_at_the_corner(self):
        if hasattr(self, "session"):
            self.setGeometry(0, 0, 1366, 900)
        shown(self)

    QWidget.show = show_at_the_corner
    sys.exit(app.main(Path(given[0]) if given else None))
