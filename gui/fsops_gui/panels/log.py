"""The log: what runs and errors of the program have said."""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from urllib.parse import quote, unquote

from PyQt6.QtCore import QUrl, pyqtSignal
from PyQt6.QtWidgets import QLineEdit, QTextBrowser, QVBoxLayout, QWidget

from fsops.errors import PATH_SEPARATOR
from fsops.runs.watch import ERROR, WARNING, LogLine
from fsops_gui.base.texts import tr

LINES = 5000
AT_ONCE = 200
"""Lines of a run that are shown at a time; of more than that the last ones."""
SCHEME = "operator"
_WORDS = re.compile(r'"[^"]*"?|\S+')


class LogEntry(NamedTuple):
    """A line: its time, its words for the filter, and its HTML."""

    time: datetime
    plain: str
    content: str


class LogPanel(QTextBrowser):
    """Lines with their time; the oldest go when there are too many.

    The name of an operator in a line leads to it.
    """

    spot_wanted = pyqtSignal(str)
    """An operator was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setAccessibleName(tr("Log"))
        document = self.document()
        if document is not None:
            document.setMaximumBlockCount(LINES)
        self.anchorClicked.connect(self._follow)
        self._read: tuple[object, int] = (None, 0)
        self._entries: deque[LogEntry] = deque(maxlen=LINES)
        self._words: tuple[str, ...] = ()

    def say(self, text: str, where: str = "") -> None:
        """Add a line."""
        prefix = f"{html.escape(where)}: " if where else ""
        self._add(LogEntry(datetime.now(), f"{where} {text}", prefix + _escaped(text)))

    def follow(self, run: object, lines: Sequence[LogLine]) -> None:
        """Add the lines of a run that are new since the last time."""
        known, count = self._read
        new = lines[count if known is run else 0 :]
        if new:
            self.take(new)
        self._read = (run, len(lines))

    def take(self, lines: Sequence[LogLine]) -> None:
        """Add the messages of a run."""
        if len(lines) > AT_ONCE:
            left_out = len(lines) - AT_ONCE
            self.say(tr("… {n} further lines of this run are not shown.", n=left_out))
        self.setUpdatesEnabled(False)
        for line in lines[-AT_ONCE:]:
            plain = f"{line.kind} {line.where} {line.text}"
            self._add(LogEntry(line.time, plain, _line_html(line)))
        self.setUpdatesEnabled(True)

    def show_only(self, text: str) -> None:
        """Show the lines that have all words; words in quotation marks belong together."""
        self._words = tuple(_WORDS.findall(text.lower()))
        self.setUpdatesEnabled(False)
        self.clear()
        for entry in self._entries:
            self._show(entry)
        self.setUpdatesEnabled(True)

    def _add(self, entry: LogEntry) -> None:
        self._entries.append(entry)
        self._show(entry)

    def _show(self, entry: LogEntry) -> None:
        plain = entry.plain.lower()
        if all(word.strip('"') in plain for word in self._words):
            self.append(f"{entry.time.strftime('%H:%M:%S')}&nbsp;&nbsp;{entry.content}")

    def _follow(self, url: QUrl) -> None:
        if url.scheme() == SCHEME:
            name = url.path(QUrl.ComponentFormattingOption.FullyEncoded)
            self.spot_wanted.emit(unquote(name))


class LogPage(QWidget):
    """The log with a filter above it."""

    def __init__(self, log: LogPanel) -> None:
        super().__init__()
        self.log = log
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Filter: operator, warning, error or other words"))
        self.field.setAccessibleName(tr("Filter of the log"))
        self.field.setClearButtonEnabled(True)
        self.field.textChanged.connect(log.show_only)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(4, 4, 4, 0)
        layout.addWidget(self.field)
        layout.addWidget(log)


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br/>")


def _line_html(line: LogLine) -> str:
    words = {ERROR: tr("Error"), WARNING: tr("Warning")}
    kind = f"<b>{words[line.kind]}</b> " if line.kind in words else ""
    around, name = line.path[:-1], line.path[-1:]
    where = "".join(html.escape(part) + PATH_SEPARATOR for part in around)
    where += "".join(f'<a href="{SCHEME}:{quote(n, safe="")}">{html.escape(n)}</a>: ' for n in name)
    return f"{kind}{where}{_escaped(line.text)}"
