"""An exception in the program is shown and logged, and the session goes on."""

from __future__ import annotations

import logging
import sys
import traceback
from types import TracebackType

from PyQt6.QtCore import QObject, pyqtSignal

from fsops.errors import FsopsError

logger = logging.getLogger("fsops_gui")


class ExceptionHook(QObject):
    """Takes the place of `sys.excepthook`, which would end a Qt program."""

    caught = pyqtSignal(str, str)
    """A sentence for the user, and the details; empty where the sentence says all."""

    def install(self) -> None:
        """Begin to catch."""
        self._before = sys.excepthook
        sys.excepthook = self.handle

    def remove(self) -> None:
        """End catching."""
        sys.excepthook = self._before

    def handle(
        self,
        kind: type[BaseException],
        error: BaseException,
        trace: TracebackType | None,
    ) -> None:
        """Report an exception; Ctrl-C still ends the program."""
        if issubclass(kind, KeyboardInterrupt):
            self._before(kind, error, trace)
            return
        if isinstance(error, FsopsError):
            self.caught.emit(str(error), "")
            return
        details = "".join(traceback.format_exception(kind, error, trace))
        logger.error("%s", details)
        self.caught.emit(f"{kind.__name__}: {error}", details)
