"""The log: what runs and errors of the program have said."""

from __future__ import annotations

import html
from collections.abc import Sequence
from datetime import datetime
from urllib.parse import quote, unquote

from PyQt6.QtCore import QUrl, pyqtSignal
from PyQt6.QtWidgets import QTextBrowser

from fsops.errors import PATH_SEPARATOR
from fsops.runs.watch import ERROR, WARNING, LogLine
from fsops_gui.base.texts import tr

LINES = 5000
AT_ONCE = 200
"""Lines of a run that are shown at a time; of more than that the last ones."""
SCHEME = "operator"


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

    def say(self, text: str, where: str = "") -> None:
        """Add a line."""
        prefix = f"{html.escape(where)}: " if where else ""
        self._add(datetime.now(), prefix + _escaped(text))

    def take(self, lines: Sequence[LogLine]) -> None:
        """Add what a run has said."""
        if len(lines) > AT_ONCE:
            left_out = len(lines) - AT_ONCE
            self.say(tr("… {n} further lines of this run are not shown.", n=left_out))
        self.setUpdatesEnabled(False)
        for line in lines[-AT_ONCE:]:
            self._add(line.time, _line_html(line))
        self.setUpdatesEnabled(True)

    def _add(self, at: datetime, content: str) -> None:
        self.append(f"{at.strftime('%H:%M:%S')}&nbsp;&nbsp;{content}")

    def _follow(self, url: QUrl) -> None:
        if url.scheme() == SCHEME:
            name = url.path(QUrl.ComponentFormattingOption.FullyEncoded)
            self.spot_wanted.emit(unquote(name))


def _escaped(text: str) -> str:
    return html.escape(text).replace("\n", "<br/>")


def _line_html(line: LogLine) -> str:
    words = {ERROR: tr("Error"), WARNING: tr("Warning")}
    kind = f"<b>{words[line.kind]}</b> " if line.kind in words else ""
    around, name = line.path[:-1], line.path[-1:]
    where = "".join(html.escape(part) + PATH_SEPARATOR for part in around)
    where += "".join(f'<a href="{SCHEME}:{quote(n, safe="")}">{html.escape(n)}</a>: ' for n in name)
    return f"{kind}{where}{_escaped(line.text)}"
