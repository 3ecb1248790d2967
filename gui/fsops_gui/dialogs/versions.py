"""The list of earlier versions of a file, with their changes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from fsops.core.graph.process import Process
from fsops.editing.comparison import changes_between
from fsops.errors import FsopsError
from fsops_gui.base.texts import tr
from fsops_gui.document.versions import AUTOSAVED, OPENED, SAVED, Version

VERSION = Qt.ItemDataRole.UserRole
SHOWN = 3
"""Changes in words in a line; the tip has all."""


def kinds() -> dict[str, str]:
    """Return the kinds of version in words."""
    return {
        SAVED: tr("saved"),
        AUTOSAVED: tr("put aside while edited"),
        OPENED: tr("before the first save"),
    }


class VersionsDialog(QDialog):
    """Earlier states with their time and changes: open one, restore it or compare it."""

    open_wanted = pyqtSignal(object)
    restore_wanted = pyqtSignal(object)
    compare_wanted = pyqtSignal(object)

    def __init__(
        self, path: Path, versions: Sequence[Version], now: Process, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("History of {name}", name=path.name))
        self.resize(760, 420)
        self.list = QTreeWidget()
        self.list.setAccessibleName(tr("Versions"))
        self.list.setRootIsDecorated(False)
        self.list.setHeaderLabels([tr("Time"), tr("Version"), tr("Changes to the next version")])
        self.empty = QLabel(tr("No version yet. Each save of this file adds one."))
        self.empty.setVisible(not versions)
        self._fill(path, versions, now)
        self.buttons: dict[str, QPushButton] = {}
        line = QHBoxLayout()
        for name, words, signal in (
            ("open", tr("Open in a new tab"), self.open_wanted),
            ("restore", tr("Restore"), self.restore_wanted),
            ("compare", tr("Compare with now"), self.compare_wanted),
        ):
            button = QPushButton(words)
            button.clicked.connect(lambda _on=False, s=signal: self._emit(s))
            self.buttons[name] = button
            line.addWidget(button)
        line.addStretch(1)
        close = QPushButton(tr("Close"))
        close.clicked.connect(self.reject)
        line.addWidget(close)
        layout = QVBoxLayout(self)
        layout.addWidget(self.empty)
        layout.addWidget(self.list)
        layout.addLayout(line)
        self.list.currentItemChanged.connect(lambda *_: self._show_buttons())
        self.list.itemActivated.connect(lambda _item: self._emit(self.open_wanted))
        self.list.setCurrentItem(self.list.topLevelItem(0))
        self._show_buttons()

    def _fill(self, path: Path, versions: Sequence[Version], now: Process) -> None:
        """Add a line for each version; its changes are those up to the version after it."""
        after: Process | None = now
        for version in versions:
            try:
                process = version.process(path.parent)
            except FsopsError as error:
                item = QTreeWidgetItem([_time(version), tr("cannot be read"), str(error)])
                item.setDisabled(True)
                self.list.addTopLevelItem(item)
                continue
            changes = changes_between(process, after) if after is not None else []
            after = process
            more = [tr("and {n} more", n=len(changes) - SHOWN)] if len(changes) > SHOWN else []
            words = "; ".join([*changes[:SHOWN], *more]) or tr("the same, or only the layout")
            item = QTreeWidgetItem([_time(version), kinds()[version.kind], words])
            item.setToolTip(2, "\n".join(changes))
            item.setData(0, VERSION, version)
            self.list.addTopLevelItem(item)
        header = self.list.header()
        if header is not None:
            for column in (0, 1):
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.ResizeToContents)

    def version(self) -> Version | None:
        """Return the selected version."""
        item = self.list.currentItem()
        found = item.data(0, VERSION) if item is not None else None
        return found if isinstance(found, Version) else None

    def _show_buttons(self) -> None:
        for button in self.buttons.values():
            button.setEnabled(self.version() is not None)

    def _emit(self, signal: object) -> None:
        version = self.version()
        if version is not None:
            signal.emit(version)  # type: ignore[attr-defined]
            self.accept()


def _time(version: Version) -> str:
    return f"{version.written:%Y-%m-%d %H:%M:%S}"
