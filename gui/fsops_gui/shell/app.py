"""The program: one application, one window, a hook for exceptions."""

from __future__ import annotations

import contextlib
import gc
import sys
from pathlib import Path

from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication

from fsops.config import use_disabled_plugins
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops_gui.base.collection import Collector
from fsops_gui.base.exception_hook import ExceptionHook
from fsops_gui.base.platform_check import check_platform
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.theme import SYSTEM, apply_theme
from fsops_gui.document.document import Document
from fsops_gui.shell.window import Window


def application() -> QApplication:
    """Return the one application, made if there is none."""
    existing = QApplication.instance()
    if existing is None:
        check_platform()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("fsops")
    app.setApplicationDisplayName("fsops")
    return app


def main(path: Path | None = None) -> int:
    """Open the designer, with a process if one is given; return when it is closed."""
    with contextlib.suppress(FsopsError):  # the settings dialog reports a bad configuration
        use_disabled_plugins()
    document = Document.open(path) if path is not None else None
    app = application()
    theme = DesignerSettings().choice("theme", SYSTEM)
    apply_theme(theme)
    window = Window(plugins().registry, document)
    if document is not None and document.path is not None:
        window.settings.remember(document.path)
    hook = ExceptionHook()
    hook.caught.connect(window.show_fault)
    hook.install()
    hints = app.styleHints()
    assert hints is not None
    following = hints.colorSchemeChanged.connect(lambda _scheme: _follow_system(window))
    restored = document is None and window.files.restore()
    if document is None and not restored and window.settings.start_page:
        window.views.show_start()
    window.show()
    gc.freeze()  # to look through all modules takes a tenth of a second
    collector = Collector()
    QTimer.singleShot(0, window.files.recover_all)
    try:
        return app.exec()
    finally:
        collector.close()
        hook.remove()
        hints.colorSchemeChanged.disconnect(following)
        window.deleteLater()


def _follow_system(window: Window) -> None:
    if window.settings.choice("theme", SYSTEM) == SYSTEM:
        window.views.choose_theme(SYSTEM)
