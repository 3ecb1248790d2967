"""Results that were finished when a run was stopped: shown, and written with ``run.json``.

A run that stops by itself does this itself. One that has to be killed cannot. So it saves finished
results before it starts the next operator, and its parent (`fsops.cli.supervision`) shows them.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from fsops.core.frame.events import Event, Started
from fsops.core.frame.frame import combined_key
from fsops.runs.outcome import Ending, RunOutcome

if TYPE_CHECKING:
    from fsops.engine.cache import ResultStore
    from fsops.runs.run import Run

SHOWN = combined_key("how a run is shown")
QUICK = 0.25
"""Results that were computed in so few seconds are saved only for ``--out`` and ``--timeout``:
the modules that save them take 0.08 seconds to load."""


@dataclass(frozen=True)
class Presentation:
    """Where finished results go."""

    out: str | None = None
    """Folder of ``--out``."""
    as_json: bool = False
    all_rows: bool = False
    events: str | None = None
    """Target of ``--events``."""

    def deliver(self, outcome: RunOutcome) -> list[str]:
        """Write and print the finished results of a stopped run; return what there is to say."""
        from fsops.cli.output.console import print_json
        from fsops.cli.output.run import outcome_as_json, show_results
        from fsops.runs.jsonl import STANDARD_OUTPUT

        said = []
        if outcome.results:
            said.append(f"Finished before: {', '.join(outcome.names)}.")
        if self.out is not None:
            outcome.write(self.out, figures=False)
            said.append(f"Written to {self.out}.")
        if outcome.results and self.events != STANDARD_OUTPUT:
            if self.as_json:
                print_json(outcome_as_json(outcome))
            else:
                show_results(outcome, all_rows=self.all_rows)
        return said


class FinishedSaver:
    """Saves finished results before the next operator starts; a listener of a run."""

    def __init__(self, run: Run, presentation: Presentation) -> None:
        self._run = run
        self._presentation = presentation
        self._store: ResultStore | None = None
        # With --out there is something to write even if no result is finished: run.json.
        self._saved = -1 if presentation.out is not None else 0
        self._matters = presentation.out is not None or run.options.timeout is not None
        self._began = time.monotonic()

    def __call__(self, event: Event) -> None:
        """Save new results when an outermost operator starts."""
        if not isinstance(event, Started) or len(event.path) != 1:
            return
        count = self._run.results_finished
        if count != self._saved and (self._matters or time.monotonic() - self._began > QUICK):
            self._saved = count
            self._save()

    def _save(self) -> None:
        from fsops.cli.parent_line import report
        from fsops.runs.run import port_store
        from fsops.runs.saved import save_outcome

        outcome = self._run.partial(Ending("cancelled"))
        if outcome is None:
            return
        store = outcome.background.store  # that of --ports has the results already
        if store is None:
            if self._store is None:
                from fsops.engine.leftovers import make_folder

                self._store = port_store(make_folder())
            store = self._store
            outcome = replace(outcome, keys=[None] * len(outcome))
        save_outcome(outcome, store, None)
        store.put(SHOWN, asdict(self._presentation))
        report(f"finished {store.folder}")


def finish(folder: str, code: int, status: str, message: str) -> None:
    """In the parent of a run that was killed: show and write its finished results.

    Parameters
    ----------
    folder : str
        Where they are saved; empty if there are none.
    code : int
        The exit code.
    status : str
        ``cancelled`` or ``crashed``.
    message : str
        Why the run ended, as a sentence.
    """
    from fsops.cli.failures import prepare_streams
    from fsops.cli.output.console import errors_console

    prepare_streams()
    said = []
    try:
        if folder:
            said = _finished(folder, code, Ending(status, message))
    except Exception as error:  # noqa: BLE001 - the message below must be seen in any case
        said.append(f"The finished results cannot be shown ({error}).")
    try:
        sys.stdout.flush()
        word, style = ("Stopped", "yellow") if status == "cancelled" else ("Error", "bold red")
        errors_console().say(word, style, " ".join([message, *said]))
    except OSError:  # the terminal is closed
        pass


def _finished(folder: str, code: int, ending: Ending) -> list[str]:
    from fsops.engine.cache import ResultStore

    found = ResultStore(folder).get(SHOWN)
    if found is None:
        return []
    presentation = Presentation(**found.value)
    outcome = RunOutcome.load(folder)
    outcome.ending = ending
    said = presentation.deliver(outcome)
    if presentation.events is not None:
        _write_end(presentation.events, code, ending, outcome)
    return said


def _write_end(target: str, code: int, ending: Ending, outcome: RunOutcome) -> None:
    """Add the last event, which the run could not write itself."""
    from datetime import UTC, datetime

    from fsops.runs.jsonl import SCHEMA, STANDARD_OUTPUT

    event = {
        "event": "run_ended",
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "schema": SCHEMA,
        "status": "cancelled" if ending.status == "cancelled" else "failed",
        "exit_code": code,
        "error": "Cancelled" if ending.status == "cancelled" else "OperatorFailed",
        "message": ending.message,
        "hint": "",
        "origin": [],
        "seconds": round(outcome.seconds, 6),
        "seed": outcome.seed,
    }
    # The run may have been killed in the middle of a line.
    line = f"\n{json.dumps(event)}\n".encode()
    if target == STANDARD_OUTPUT:
        os.write(1, line)
    else:
        with Path(target).open("ab") as file:  # as the run itself: events are not replaced
            file.write(line)
