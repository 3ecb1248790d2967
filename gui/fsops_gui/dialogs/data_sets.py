"""Data with a name: samples, tables of the user, and public sets."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PyQt6.QtWidgets import QTreeWidgetItem, QWidget

from fsops.config import use_data_folder
from fsops.core.registry import Registry
from fsops.data import ExampleSetMetaData
from fsops.data_catalogue import add_table, described_data, listed_data
from fsops.datasets import data_folder, dataset, fetch
from fsops.errors import FsopsError
from fsops.storage.readers import Reader, described, reader_of, readers, with_label
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.canvas.file_drops import entry_reader
from fsops_gui.dialogs.catalogue_dialog import KEY, CatalogueDialog
from fsops_gui.dialogs.file_choice import ask_to_open
from fsops_gui.dialogs.label import LabelDialog

HEADINGS = {"": "Part of fsops", "added": "Added by you", "file": "Public data sets"}


class DataSetsDialog(CatalogueDialog):
    """A line for each data set; one can be put into the process, and tables can be added."""

    def __init__(
        self, registry: Registry, use: Callable[[Reader], None], parent: QWidget | None
    ) -> None:
        headings = [tr("Name"), tr("Size"), tr("Content")]
        super().__init__(tr("Data sets"), headings, (190, 100), parent)
        self._registry = registry
        self._use = use
        self._facts: dict[str, Mapping[str, Any]] = {}
        self.use_button = self.add_button(tr("Use in the process"), self.use, primary=True)
        self.add_table_button = self.add_button(
            tr("Add a table…"), self.add, tr("Keep a copy of a table under a name")
        )
        self.fetch_button = self.add_button(
            tr("Copy from a file…"),
            self.fetch,
            tr("Copy the file of a public data set into the data folder; its checksum is compared"),
        )
        self.tree.itemActivated.connect(lambda _item, _column: self.use())
        with_errors(self.status.setText, use_data_folder)
        self.refresh("")

    def refresh(self, name: str) -> None:
        """Read the list again, and choose a line."""
        self.tree.clear()
        listed = listed_data()
        self._facts = {about["name"]: about for about in listed}
        kinds = [next((key for key in HEADINGS if key and key in about), "") for about in listed]
        for kind, heading in HEADINGS.items():
            lines = [about for about, of in zip(listed, kinds, strict=True) if of == kind]
            group = self.add_group(tr(heading)) if lines else None
            for about in lines:
                self._add_line(about, group)
        folder = data_folder()
        self.status.setText(
            tr("Public data sets are read from {folder}.", folder=folder)
            if folder
            else tr("Name the folder of public data sets in the settings (Ctrl+,).")
        )
        self.choose(name)

    def _add_line(self, about: Mapping[str, Any], group: QTreeWidgetItem | None) -> None:
        size = f"{about['rows']:,} × {about['attributes']:,}" if "rows" in about else ""
        missing = "" if about["here"] else " " + tr("(file missing)")
        item = self.add_line(
            [about["name"], size, f"{about['title']}{missing}"], about["name"], group
        )
        if not about["here"]:
            for column in range(3):
                item.setForeground(column, self.palette().placeholderText())

    # --- details ----------------------------------------------------------------------------

    def show_details(self, key: object) -> None:
        """Show size, classes and origin, or how to get the file."""
        about = self._facts.get(str(key))
        self.use_button.setEnabled(about is not None and bool(about["here"]))
        self.fetch_button.setEnabled(about is not None and "file" in about)
        if about is None:
            self.details.clear()
            return
        self._show_facts(about)
        if "described" not in about:
            work = partial(described_data, str(key))
            in_background(self, work, partial(self._take, str(key)), self._refuse)

    def _take(self, name: str, about: dict[str, Any]) -> None:
        self._facts[name] = {**self._facts.get(name, {}), **about, "described": True}
        if self.chosen() == name:
            self._show_facts(self._facts[name])

    def _show_facts(self, about: Mapping[str, Any]) -> None:
        hidden = ("name", "title", "here", "added", "described", "sha256")
        lines = [f"<h3>{html.escape(str(about['name']))}</h3>"]
        lines.append(f"<p>{html.escape(str(about['title']))}</p>")
        for key, value in about.items():
            if key not in hidden:
                words = (
                    ", ".join(f"{n} {v}" for n, v in value.items())
                    if isinstance(value, dict)
                    else str(value)
                )
                title = key.replace("_", " ").capitalize()
                lines.append(f"<p><b>{html.escape(title)}:</b> {html.escape(words)}</p>")
        self.details.setHtml("".join(lines))

    # --- acting -----------------------------------------------------------------------------

    def use(self) -> None:
        """Put a Retrieve of the chosen data into the process."""
        name = self.chosen()
        if isinstance(name, str) and self._facts.get(name, {}).get("here"):
            self.accept()
            self._use(entry_reader(name, self._registry))

    def add(self) -> None:
        """Choose a table and keep a copy of it."""
        kinds = " ".join(f"*{suffix}" for suffix in sorted(readers(self._registry)))
        chosen = ask_to_open(self, "table", tr("Table"), f"{tr('Tables')} ({kinds})", None)
        if chosen:
            self.add_file(Path(chosen))

    def add_file(self, path: Path) -> None:
        """Keep a copy of a table; ask for the label if the columns do not name it."""
        reader = reader_of(path, self._registry)
        if reader is None:
            self.status.setText(tr('No operator reads files such as "{name}".', name=path.name))
            return

        def ask(found: tuple[Reader, ExampleSetMetaData | None]) -> None:
            (_, parameters), known = found
            label = parameters.get("label")
            if label or known is None or not known.schema or known.schema.label:
                self._keep(path, label)
                return
            dialog = LabelDialog(path.name, known.rows, known.schema, self)
            dialog.accepted.connect(lambda: self._keep(path, dialog.label()))
            dialog.open()

        self.status.setText(tr("Reading {name}…", name=path.name))
        work = lambda: (with_label(reader), described(reader))  # noqa: E731
        in_background(self, work, ask, self._refuse)

    def _keep(self, path: Path, label: str | None) -> None:
        name = path.name.partition(".")[0]

        def done(_file: Path) -> None:
            self.refresh(name)
            self.status.setText(tr('Added. Retrieve finds it as "{name}".', name=name))

        in_background(self, partial(add_table, path, name, label), done, self._refuse)

    def fetch(self) -> None:
        """Copy the file of the chosen public data set into the data folder."""
        name = str(self.chosen())
        known = dataset(name)
        chosen = ask_to_open(self, "public", known.file, f"{known.file} (*)", None)
        if chosen:
            copy = partial(fetch, known, chosen, replace=True)
            in_background(self, copy, lambda _file: self.refresh(name), self._refuse)

    def _refuse(self, error: Exception) -> None:
        if not isinstance(error, FsopsError):
            raise error
        self.status.setText(str(error))

    def names(self) -> list[str]:
        """Return the names of all data sets in the list."""
        return [str(item.data(0, KEY)) for item in self.items()]


def with_errors(say: Callable[[str], object], act: Callable[[], object]) -> None:
    """Do something; an error of fsops becomes a sentence."""
    try:
        act()
    except FsopsError as error:
        say(str(error))
