"""The settings: how runs are carried out, where things are, how the window looks.

Settings of runs are written to the configuration file of fsops, so a run on the command line is
the same run; the rest belongs to the window alone.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QPalette
from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from fsops.config import check_setting, config_file, configured, use_data_folder, write_settings
from fsops.errors import FsopsError
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import SYSTEM, current_colours, theme_names

SECTIONS = ("engine", "cache", "data")
Names = tuple[str, str]
"""Section and name of a setting in the configuration file."""


class SettingRow(QWidget):
    """A field with a place for its error message."""

    def __init__(self, field: QWidget, name: str, *beside: QWidget) -> None:
        super().__init__()
        self.field = field
        field.setAccessibleName(name)
        self.fault = QLabel()
        self.fault.setWordWrap(True)
        self.fault.hide()
        line = QHBoxLayout()
        line.addWidget(field, 1)
        for widget in beside:
            line.addWidget(widget)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        layout.addLayout(line)
        layout.addWidget(self.fault)

    def complain(self, text: str) -> None:
        """Show the error; nothing if the value is valid."""
        palette = self.fault.palette()
        palette.setColor(QPalette.ColorRole.WindowText, current_colours().error)
        self.fault.setPalette(palette)
        self.fault.setText(text)
        self.fault.setVisible(bool(text))
        self.field.setAccessibleDescription(text)


class SettingsDialog(QDialog):
    """All settings on one page."""

    applied = pyqtSignal()
    """Something has been changed."""

    def __init__(self, settings: DesignerSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(tr("Settings"))
        self._settings = settings
        self.rows: dict[Names, SettingRow] = {}
        self._saved: dict[str, dict[str, Any]] = {}
        self.warning = QLabel()
        self.warning.setWordWrap(True)
        self.warning.hide()
        self._read()
        page = QWidget()
        column = QVBoxLayout(page)
        column.addWidget(self.warning)
        column.addWidget(self._runs())
        column.addWidget(self._results())
        column.addWidget(self._data())
        column.addWidget(self._look())
        column.addStretch(1)
        self._area = QScrollArea()
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidget(page)
        kinds = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(kinds.Ok | kinds.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(self._area)
        layout.addWidget(self.buttons)
        self.resize(580, 640)
        QTimer.singleShot(0, self._show_usage)

    def _read(self) -> None:
        """Read the configuration; one that cannot be read is not written over."""
        try:
            self._saved = {section: configured(section) for section in SECTIONS}
        except FsopsError as error:
            self._saved = {section: {} for section in SECTIONS}
            more = tr(
                "Fix the file in a text editor; until then the settings of runs cannot be changed."
            )
            self.warning.setText(f"{error} {more}")
            self.warning.show()

    @property
    def _is_readable(self) -> bool:
        return not self.warning.text()

    # --- building ---------------------------------------------------------------------------

    def _group(self, title: str) -> tuple[QGroupBox, QFormLayout]:
        box = QGroupBox(title)
        form = QFormLayout(box)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.DontWrapRows)
        return box, form

    def _add(self, form: QFormLayout, names: Names, title: str, row: SettingRow) -> None:
        row.setEnabled(self._is_readable)
        label = QLabel(title)
        label.setBuddy(row.field)
        form.addRow(label, row)
        self.rows[names] = row

    def _text(self, names: Names, usual: str) -> QLineEdit:
        section, name = names
        field = QLineEdit(str(self._saved[section].get(name, "")))
        field.setPlaceholderText(usual)
        return field

    def _runs(self) -> QWidget:
        from fsops.core.frame.engine import EngineSettings
        from fsops.engine.engines.registry import SERIAL, number_of_jobs
        from fsops.plugins import plugins

        box, form = self._group(tr("Runs, here and on the command line"))
        box.setToolTip(tr("Kept in {file}", file=config_file()))
        self.engine = QComboBox()
        self.engine.addItem(SERIAL, tr("One iteration of a loop after the other, in one process."))
        for spec in plugins().engines:
            self.engine.addItem(spec.name, tr(spec.description))
        self.engine.setCurrentText(self._engine_now())
        self._add(form, ("engine", "name"), tr("Engine"), SettingRow(self.engine, tr("Engine")))
        self.about_engine = QLabel()
        self.about_engine.setWordWrap(True)
        form.addRow("", self.about_engine)
        self.jobs = QSpinBox()
        self.jobs.setRange(0, 1024)
        cores = number_of_jobs(EngineSettings())
        self.jobs.setSpecialValueText(tr("All cores ({n})", n=cores))
        self.jobs.setValue(self._saved["engine"].get("jobs", 0))
        self._add(form, ("engine", "jobs"), tr("Jobs"), SettingRow(self.jobs, tr("Jobs")))
        self.scheduler = self._text(
            ("engine", "scheduler"), tr("empty: a cluster is started here for the run")
        )
        row = SettingRow(self.scheduler, tr("Address of the dask scheduler"))
        self._add(form, ("engine", "scheduler"), tr("Dask scheduler"), row)
        self.engine.currentIndexChanged.connect(self._show_engine)
        self._show_engine()
        return box

    def _engine_now(self) -> str:
        """Return which engine a run takes now."""
        from fsops.engine.engines.registry import SERIAL

        saved = self._saved["engine"]
        if "name" in saved:
            return str(saved["name"])
        if "scheduler" in saved:
            return "dask"
        return "processes" if saved.get("jobs", 1) > 1 else SERIAL

    def _show_engine(self) -> None:
        self.about_engine.setText(str(self.engine.currentData() or ""))
        several = self.engine.currentText() != self.engine.itemText(0)
        self.rows["engine", "jobs"].setEnabled(several and self._is_readable)
        if ("engine", "scheduler") in self.rows:
            is_dask = self.engine.currentText() == "dask"
            self.rows["engine", "scheduler"].setEnabled(is_dask and self._is_readable)

    def _results(self) -> QWidget:
        from fsops.engine.cache import default_folder
        from fsops.engine.cache.store import DEFAULT_LIMIT

        box, form = self._group(tr("Stored results"))
        self.keep = QCheckBox(tr("Use cached results: only changed operators run again"))
        self.keep.setChecked(self._settings.keep_results)
        form.addRow(self.keep)
        self.cache = self._text(("cache", "folder"), str(default_folder()))
        row = SettingRow(self.cache, tr("Folder of stored results"), self._chooser(self.cache))
        self._add(form, ("cache", "folder"), tr("Folder"), row)
        self.limit = self._text(("cache", "limit"), f"{DEFAULT_LIMIT // 2**30}GiB")
        self._add(form, ("cache", "limit"), tr("At most"), SettingRow(self.limit, tr("At most")))
        self.usage = QLabel(tr("…"))
        self.usage.setWordWrap(True)
        self.clear_button = QPushButton(tr("Clear"))
        self.clear_button.setToolTip(tr("Remove all stored results."))
        self.clear_button.clicked.connect(self._clear)
        line = QHBoxLayout()
        line.addWidget(self.usage, 1)
        line.addWidget(self.clear_button)
        form.addRow(tr("In use"), line)
        return box

    def _data(self) -> QWidget:
        from fsops.datasets import VARIABLE, data_folder

        box, form = self._group(tr("Data"))
        self.data = self._text(("data", "folder"), tr("none"))
        row = SettingRow(self.data, tr("Data folder"), self._chooser(self.data))
        self._add(form, ("data", "folder"), tr("Data folder"), row)
        if os.environ.get(VARIABLE) and not self._is_ours():
            note = QLabel(
                tr(
                    "The environment variable {name} goes before this: {folder}",
                    name=VARIABLE,
                    folder=data_folder(),
                )
            )
            note.setWordWrap(True)
            form.addRow("", note)
        return box

    def _look(self) -> QWidget:
        box, form = self._group(tr("Window"))
        self.colours = QComboBox()
        for theme, words in theme_names().items():
            self.colours.addItem(words, theme)
        self.colours.setCurrentIndex(self.colours.findData(self._settings.choice("theme", SYSTEM)))
        self.colours.setAccessibleName(tr("Colors"))
        form.addRow(tr("Colors"), self.colours)
        self.autosave = QSpinBox()
        self.autosave.setRange(1, 600)
        self.autosave.setSuffix(tr(" seconds after an edit"))
        self.autosave.setValue(self._settings.autosave_seconds)
        self.autosave.setAccessibleName(tr("Put changes aside"))
        form.addRow(tr("Put changes aside"), self.autosave)
        self.start = QCheckBox(tr("Begin with the start page"))
        self.start.setChecked(self._settings.start_page)
        form.addRow(self.start)
        self.tabs = QCheckBox(tr("Open the files of the last time again"))
        self.tabs.setChecked(self._settings.restore_tabs)
        form.addRow(self.tabs)
        return box

    def _chooser(self, field: QLineEdit) -> QPushButton:
        button = QPushButton(tr("Choose…"))
        button.clicked.connect(lambda: self._choose_folder(field))
        return button

    def _choose_folder(self, field: QLineEdit) -> None:
        now = field.text() or field.placeholderText()
        chosen = QFileDialog.getExistingDirectory(self, tr("Folder"), str(Path(now).expanduser()))
        if chosen:
            field.setText(chosen)

    # --- stored results ---------------------------------------------------------------------

    def _show_usage(self) -> None:
        """Show the size of the cache."""
        with contextlib.suppress(RuntimeError):  # closed meanwhile
            self._attempt_store(lambda store: store.usage())

    def _clear(self) -> None:
        self._attempt_store(lambda store: store.clear() and store.usage())

    def _attempt_store(self, ask: Callable[[Any], Any]) -> None:
        from fsops.runs.options import open_store

        try:
            store = open_store()
            used = ask(store)
        except FsopsError as error:
            self.usage.setText(str(error))
            return
        results = tr("1 result") if used.entries == 1 else tr("{n:,} results", n=used.entries)
        size, limit = used.size / 2**20, store.limit / 2**30  # in units of the field above
        about = tr(
            "{results}, {size:,.1f} MiB of at most {limit:,.3g} GiB",
            results=results, size=size, limit=limit,
        )  # fmt: skip
        self.usage.setText(about)

    # --- taking over ------------------------------------------------------------------------

    def changes(self) -> dict[str, dict[str, Any]]:
        """Return the settings of runs as the fields have them; None for the usual value."""
        engine = self.engine.currentText()
        is_usual = engine == self._engine_now() and "name" not in self._saved["engine"]
        return {
            "engine": {
                "name": None if is_usual else engine,
                "jobs": self.jobs.value() or None,
                "scheduler": self.scheduler.text().strip() or None,
            },
            "cache": {
                "folder": self.cache.text().strip() or None,
                "limit": self.limit.text().strip() or None,
            },
            "data": {"folder": self.data.text().strip() or None},
        }

    def accept(self) -> None:
        """Apply all settings, or show the errors beside the fields."""
        if self._is_readable:
            changes = self.changes()
            if self._complain(changes) or not self._write(changes):
                return
        self._settings.keep_results = self.keep.isChecked()
        self._settings.start_page = self.start.isChecked()
        self._settings.restore_tabs = self.tabs.isChecked()
        self._settings.autosave_seconds = self.autosave.value()
        self._settings.choose("theme", str(self.colours.currentData()))
        self.applied.emit()
        super().accept()

    def _complain(self, changes: dict[str, dict[str, Any]]) -> bool:
        """Show the error beside each field; return whether there is any."""
        faults = 0
        for (section, name), row in self.rows.items():
            value, text = changes[section][name], ""
            try:
                if value is not None:
                    check_setting(section, name, value)
            except FsopsError as error:
                text = str(error)
            row.complain(text)
            if text and not faults:
                row.field.setFocus()
                self._area.ensureWidgetVisible(row)
            faults += bool(text)
        return faults > 0

    def _write(self, changes: dict[str, dict[str, Any]]) -> bool:
        from fsops.datasets import VARIABLE

        if self._is_ours():
            del os.environ[VARIABLE]
        try:
            write_settings(changes)
        except (FsopsError, OSError) as error:
            self.warning.setText(str(error))
            self.warning.show()
            return False
        finally:
            with contextlib.suppress(FsopsError):
                use_data_folder()
        return True

    def _is_ours(self) -> bool:
        """Return whether the data folder in the environment is there because of this file."""
        from fsops.datasets import VARIABLE

        folder = self._saved["data"].get("folder")
        return folder is not None and os.environ.get(VARIABLE) == str(Path(folder).expanduser())
