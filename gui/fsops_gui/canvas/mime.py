"""Operators on the way from the palette to the canvas."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QMimeData

from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.blocks import BuildingBlock

OPERATOR = "application/x-fsops-operator"


def operator_mime(operator: Operator) -> QMimeData:
    """Return the drag data of an operator."""
    data = QMimeData()
    data.setData(OPERATOR, operator.key.encode())
    data.setText(operator.title)
    return data


BLOCK = "application/x-fsops-block"


def block_mime(block: BuildingBlock) -> QMimeData:
    """Return the drag data of a building block."""
    data = QMimeData()
    data.setData(BLOCK, str(block.file).encode())
    data.setText(block.name)
    return data


def block_from(data: QMimeData | None) -> Path | None:
    """Return the file of the building block that is dragged, if it is one."""
    if data is None or not data.hasFormat(BLOCK):
        return None
    return Path(bytes(data.data(BLOCK).data()).decode(errors="replace"))


def operator_from(data: QMimeData | None, registry: Registry) -> Operator | None:
    """Return the operator that is dragged, if it is one."""
    if data is None or not data.hasFormat(OPERATOR):
        return None
    key = bytes(data.data(OPERATOR).data()).decode(errors="replace")
    found = registry.find(key)
    return None if found.is_placeholder else found
