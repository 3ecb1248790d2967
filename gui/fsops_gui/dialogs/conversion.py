"""The report of an import from RapidMiner, before the process is opened."""

from __future__ import annotations

import html
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QGuiApplication
from PyQt6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QTextBrowser,
    QVBoxLayout,
    QWidget,
)

from fsops.storage.rapidminer.report import ConversionReport
from fsops_gui.base.texts import tr


class ConversionDialog(QDialog):
    """Operators that were mapped, those that are not known, and settings that change a result."""

    def __init__(self, path: Path, report: ConversionReport, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Import from RapidMiner"))
        self._report = report
        self._path = path
        self.headline = QLabel(self._headline())
        self.headline.setWordWrap(True)
        self.headline.setTextFormat(Qt.TextFormat.PlainText)
        self.page = QTextBrowser()
        self.page.setAccessibleName(tr("Report of the import"))
        self.page.setHtml(self._html())
        kinds = QDialogButtonBox.ButtonRole
        buttons = QDialogButtonBox()
        self.open_button = buttons.addButton(tr("Open the process"), kinds.AcceptRole)
        copy = buttons.addButton(tr("Copy the report"), kinds.ActionRole)
        buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        if self.open_button is not None:
            self.open_button.setObjectName("primary")
            self.open_button.setDefault(True)
        if copy is not None:
            copy.clicked.connect(self.copy)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addWidget(self.headline)
        layout.addWidget(self.page)
        layout.addWidget(buttons)
        self.resize(720, 520)

    def _headline(self) -> str:
        report = self._report
        version = tr(" (RapidMiner {version})", version=report.version) if report.version else ""
        if report.missing:
            state = tr(
                "{n} operators are not known. They stay as placeholders, and the process cannot "
                "run with them.",
                n=len(report.missing),
            )
        elif report.effects:
            state = tr(
                "All operators are known. {n} points can change the result.", n=len(report.effects)
            )
        else:
            state = tr("All operators are known.")
        return f"{self._path.name}{version}\n{state}"

    def _html(self) -> str:
        """Return the sections as a page; the mapped operators come last."""
        first, *others = self._report.sections()
        parts = []
        for section in (*others, first):
            parts.append(f"<p><b>{html.escape(section.heading)}</b></p>")
            lines = (
                f"<tr><td>{html.escape(name)}</td><td>{html.escape(text)}</td></tr>"
                for name, text in section.lines
            )
            parts.append(f'<table cellpadding="3">{"".join(lines)}</table>')
        return "".join(parts)

    def text(self) -> str:
        """Return the report as text."""
        lines = [self.headline.text()]
        for section in self._report.sections():
            lines += ["", section.heading]
            lines += [f"  {operator}: {text}" for operator, text in section.lines]
        return "\n".join(lines)

    def copy(self) -> None:
        """Copy the report."""
        board = QGuiApplication.clipboard()
        if board is not None:
            board.setText(self.text())
