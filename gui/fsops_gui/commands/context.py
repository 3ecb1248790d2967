"""The part of the window that every command may use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QWidget

from fsops.core.registry import Registry
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.canvas.scene import ProcessScene
from fsops_gui.canvas.view import ProcessView
from fsops_gui.document.document import Document

if TYPE_CHECKING:
    from fsops_gui.shell.session import Session


@dataclass
class CommandContext:
    """The session of the open document, and how to answer the user.

    Commands that need more, such as a panel, are given that in their constructor.
    """

    registry: Registry
    settings: DesignerSettings
    parent: QWidget
    """The widget in front of which dialogs open."""
    say: Callable[[str], None]
    """Shows a sentence in the status bar."""
    attempt: Callable[[Callable[[], object]], None]
    """Calls a function; an error of fsops is said instead of raised."""
    session: Session = field(init=False)
    """The session of the document that is open now; another document brings another session."""

    @property
    def document(self) -> Document:
        """The document that is open."""
        return self.session.document

    @property
    def scene(self) -> ProcessScene:
        """The operators and wires on the canvas."""
        return self.session.editor.scene

    @property
    def view(self) -> ProcessView:
        """The canvas."""
        return self.session.editor.view
