"""Operators on the way from the palette to the canvas."""

from __future__ import annotations

from PyQt6.QtCore import QMimeData

from fsops.core.operator import Operator
from fsops.core.registry import Registry

OPERATOR = "application/x-fsops-operator"


def operator_mime(operator: Operator) -> QMimeData:
    """Return what is dragged for an operator."""
    data = QMimeData()
    data.setData(OPERATOR, operator.key.encode())
    data.setText(operator.title)
    return data


def operator_from(data: QMimeData | None, registry: Registry) -> Operator | None:
    """Return the operator that is dragged, if it is one."""
    if data is None or not data.hasFormat(OPERATOR):
        return None
    key = bytes(data.data(OPERATOR).data()).decode(errors="replace")
    found = registry.find(key)
    return None if found.is_placeholder else found
