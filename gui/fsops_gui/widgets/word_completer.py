"""Completions while the user types: macros, attributes, functions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from PyQt6.QtCore import QEvent, QObject, QStringListModel, Qt
from PyQt6.QtGui import QKeyEvent
from PyQt6.QtWidgets import QCompleter, QLineEdit

MACRO = re.compile(r"%\{[^{}]*$")
"""The beginning of a macro, right before the cursor."""
WORD = re.compile(r"(\[[^\]]*|[^\W\d]\w*)$")
"""The beginning of an attribute or a function, right before the cursor."""


class WordCompleter(QObject):
    """Offers words that begin with or contain the text before the cursor."""

    def __init__(
        self, edit: QLineEdit, words: Callable[[], Sequence[str]], pattern: re.Pattern[str]
    ) -> None:
        super().__init__(edit)
        self._edit = edit
        self._words = words
        self._pattern = pattern
        self._model = QStringListModel(self)
        self.completer = QCompleter(self._model, self)
        self.completer.setWidget(edit)
        self.completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.completer.activated.connect(self._insert)
        edit.textEdited.connect(self._offer)
        popup = self.completer.popup()
        if popup is not None:
            popup.installEventFilter(self)

    def eventFilter(self, a0: QObject | None, a1: QEvent | None) -> bool:
        """Let Tab take the word that is marked, or the only one."""
        popup = self.completer.popup()
        if (
            isinstance(a1, QKeyEvent)
            and a1.type() == QEvent.Type.KeyPress
            and a1.key() == Qt.Key.Key_Tab
            and popup is not None
            and popup.isVisible()
        ):
            marked = popup.currentIndex()
            if marked.isValid() or self.completer.completionCount() == 1:
                word = marked.data() if marked.isValid() else self.completer.currentCompletion()
                popup.hide()
                self._insert(str(word))
                return True
        return super().eventFilter(a0, a1)

    def _started(self) -> re.Match[str] | None:
        return self._pattern.search(self._edit.text()[: self._edit.cursorPosition()])

    def _offer(self) -> None:
        started = self._started()
        popup = self.completer.popup()
        if started is None:
            if popup is not None:
                popup.hide()
            return
        self._model.setStringList(list(self._words()))
        self.completer.setCompletionPrefix(started[0])
        if self.completer.completionCount():
            self.completer.complete()
        elif popup is not None:
            popup.hide()

    def _insert(self, word: str) -> None:
        started = self._started()
        text, cursor = self._edit.text(), self._edit.cursorPosition()
        begin = cursor if started is None else started.start()
        new = text[:begin] + word + text[cursor:]
        self._edit.setText(new)
        self._edit.setCursorPosition(begin + len(word))
        self._edit.textEdited.emit(new)
