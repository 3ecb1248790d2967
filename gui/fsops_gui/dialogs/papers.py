"""Experiments of published papers: printed values, and a run that compares ours with them."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PyQt6.QtGui import QCloseEvent
from PyQt6.QtWidgets import QProgressBar, QWidget

from fsops.config import use_data_folder
from fsops.errors import FsopsError
from fsops.examples import find_examples
from fsops.papers.catalogue import EXPERIMENTS, PAPERS, find_experiment
from fsops.papers.values import printed_values
from fsops_gui.base.texts import tr
from fsops_gui.dialogs.catalogue_dialog import CatalogueDialog
from fsops_gui.run.child_command import ChildCommand

COLUMNS = ("data", "method", "attributes", "measure", "paper", "ours", "difference", "verdict")
MOST_PRINTED = 40


class PapersDialog(CatalogueDialog):
    """A line for each experiment; it can be run quickly, completely, or opened as a process."""

    def __init__(self, open_example: Callable[[Path], None], parent: QWidget | None) -> None:
        headings = [tr("Experiment"), tr("In the paper"), tr("Comparison")]
        super().__init__(tr("Papers"), headings, (200, 150), parent)
        self._open_example = open_example
        self._reports: dict[str, Mapping[str, Any]] = {}
        self._running = ""
        self.bar = QProgressBar()
        self.bar.setRange(0, 0)
        self.bar.setTextVisible(False)
        self.bar.hide()
        column = self.layout()
        assert column is not None
        column.addWidget(self.bar)
        self.quick_button = self.add_button(
            tr("Run quickly"),
            lambda: self.run(quick=True),
            tr("Few splits: a check that it works, not a result"),
        )
        self.run_button = self.add_button(
            tr("Run completely"), lambda: self.run(quick=False), tr("This can take hours")
        )
        self.stop_button = self.add_button(tr("Stop"), self.stop)
        self.process_button = self.add_button(tr("Open its process"), self.open_process)
        self.child = ChildCommand(self)
        self.child.done.connect(self._take)
        self.child.failed.connect(self._fail)
        self.finished.connect(lambda _code: self.child.close())
        try:
            use_data_folder()
        except FsopsError as error:
            self.status.setText(str(error))
        for paper, citation in PAPERS.items():
            group = self.add_group(citation)
            for experiment in (e for e in EXPERIMENTS if e.paper == paper):
                texts = [experiment.name, experiment.source, experiment.title]
                item = self.add_line(texts, experiment.name, group)
                if experiment.local_obstacle:
                    for place in range(3):
                        item.setForeground(place, self.palette().placeholderText())
        self.resize(1180, 660)
        self.choose(None)

    def show_details(self, key: object) -> None:
        """Show the facts of an experiment, and its values: printed, or compared after a run."""
        self._show_buttons()
        if not isinstance(key, str):
            self.details.clear()
            return
        experiment = find_experiment(key)
        parts = [f"<h3>{html.escape(key)}</h3>", f"<p>{html.escape(PAPERS[experiment.paper])}</p>"]
        for name in ("source", "title", "data", "processes", "obstacle"):
            value = experiment.facts()[name]
            text = ", ".join(value) if isinstance(value, list) else value
            if text:
                parts.append(f"<p><b>{name.capitalize()}:</b> {html.escape(text)}</p>")
        report = self._reports.get(key)
        parts.append(_printed(key) if report is None else _compared(report))
        self.details.setHtml("".join(parts))

    def _show_buttons(self) -> None:
        key = self.chosen()
        known = find_experiment(key) if isinstance(key, str) else None
        ready = known is not None and not known.local_obstacle and not self._running
        self.quick_button.setEnabled(ready)
        self.run_button.setEnabled(ready)
        self.stop_button.setEnabled(bool(self._running))
        self.process_button.setEnabled(known is not None and bool(known.processes))

    # --- acting -----------------------------------------------------------------------------

    def run(self, *, quick: bool) -> None:
        """Run the chosen experiment in a child process."""
        name = self.chosen()
        if isinstance(name, str) and not self._running:
            self._running = name
            self.bar.show()
            self.status.setText(tr("Running {name}…", name=name))
            self.child.start(["papers", "run", name, *(["--quick"] if quick else [])])
            self._show_buttons()

    def stop(self) -> None:
        """End the experiment that is running."""
        self.child.close()
        self._end(tr("Stopped."))

    def _take(self, report: Mapping[str, Any]) -> None:
        name = self._running
        self._reports[name] = report
        quick = any(row["mode"] == "quick" for row in report["values"])
        end = tr("quick run, not a result") if quick else str(report["status"])
        self._end(f"{name}: {end}")

    def _fail(self, text: str) -> None:
        self._end(text)

    def _end(self, text: str) -> None:
        self._running = ""
        self.bar.hide()
        self.status.setText(text)
        self.show_details(self.chosen())

    def open_process(self) -> None:
        """Open a copy of the process of the chosen experiment."""
        name = self.chosen()
        processes = find_experiment(name).processes if isinstance(name, str) else ()
        if processes:
            self.accept()
            self._open_example(find_examples(processes[0])[0].file)

    def closeEvent(self, a0: QCloseEvent | None) -> None:
        """End an experiment that is running."""
        self.child.close()
        super().closeEvent(a0)


def _printed(name: str) -> str:
    """Return the printed values of an experiment as a table."""
    lines = list(printed_values(name))
    rows = [[*map(str, line.key), f"{line.value:.4g}"] for line in lines[:MOST_PRINTED]]
    more = len(lines) - len(rows)
    table = _table((*COLUMNS[:4], "paper"), rows)
    rest = f"<p>{tr('and {n} more', n=more)}</p>" if more > 0 else ""
    return f"<p><b>{tr('Printed values')}: {len(lines)}</b></p>{table}{rest}"


def _compared(report: Mapping[str, Any]) -> str:
    rows = [[_short(row[name]) for name in COLUMNS] for row in report["values"]]
    return f"<p><b>{tr('Result')}: {html.escape(str(report['status']))}</b></p>" + _table(
        COLUMNS, rows
    )


def _short(text: str) -> str:
    """Return a number with four digits, any other text as it is."""
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def _table(headings: tuple[str, ...], rows: list[list[str]]) -> str:
    used = [c for c in range(len(headings)) if any(row[c] for row in rows)]
    head = "".join(f'<th align="left">{headings[c]}</th>' for c in used)
    lines = (
        "<tr>" + "".join(f"<td>{html.escape(row[c])}</td>" for c in used) + "</tr>" for row in rows
    )
    return f'<table cellpadding="3"><tr>{head}</tr>{"".join(lines)}</table>'
