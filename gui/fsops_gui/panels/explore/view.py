"""The base of all linked views."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, pyqtSignal
from PyQt6.QtWidgets import QComboBox, QLabel, QWidget

from fsops_gui.panels.explore.material import Material
from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.widgets.charts.chart import Chart, Tool


class LinkedView(QWidget):
    """A view that shows the shared selection and changes it."""

    captioned = pyqtSignal(str)
    """A few words beside its title."""

    def __init__(self, material: Material, selection: SharedSelection) -> None:
        super().__init__()
        self.material, self.selection = material, selection
        self.caption = ""
        self.fields: list[QWidget] = []
        """Fields for the head of the card around it."""
        self.charts: list[Chart] = []
        """Its plots, for the tools of the card."""
        selection.changed.connect(self.show_selection)

    def show_selection(self) -> None:
        """Show the selection."""

    def say(self, caption: str) -> None:
        """Show a few words beside the title."""
        self.caption = caption
        self.captioned.emit(caption)

    def use_tool(self, tool: Tool) -> None:
        """Let a drag with the mouse do something else."""
        for chart in self.charts:
            chart.tool = tool

    def go_home(self) -> None:
        """Show all again."""
        for chart in self.charts:
            chart.go_home()

    def changeEvent(self, a0: QEvent | None) -> None:
        """Paint in the colors of the theme."""
        super().changeEvent(a0)
        if a0 is not None and a0.type() == QEvent.Type.PaletteChange:
            self.update()
            for chart in self.charts:
                chart.update()


def choice(name: str, *entries: tuple[str, object]) -> QComboBox:
    """Return a small list of choices for the head of a card."""
    box = QComboBox()
    box.setAccessibleName(name)
    box.setToolTip(name)
    for text, value in entries:
        box.addItem(text, value)
    return box


def words(text: str) -> QLabel:
    """Return a sentence where there is nothing to draw."""
    label = QLabel(text)
    label.setWordWrap(True)
    label.setContentsMargins(12, 8, 12, 8)
    return label
