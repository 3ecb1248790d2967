"""Every text a person reads passes through here, so that it can be translated."""

from __future__ import annotations

from PyQt6.QtCore import QCoreApplication

CONTEXT = "fsops"


def tr(text: str, **values: object) -> str:
    """Return the text in the user's language, with ``{name}`` filled in."""
    translated = QCoreApplication.translate(CONTEXT, text)
    return translated.format(**values) if values else translated
