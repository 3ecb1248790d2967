"""Buttons that several dialogs have."""

from __future__ import annotations

from PyQt6.QtWidgets import QDialog, QDialogButtonBox


def ok_and_cancel(dialog: QDialog) -> QDialogButtonBox:
    """Return the buttons that end a dialog."""
    kinds = QDialogButtonBox.StandardButton
    buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
    buttons.accepted.connect(dialog.accept)
    buttons.rejected.connect(dialog.reject)
    return buttons
