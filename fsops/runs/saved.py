"""A finished run in a folder, to be written or reported later without running it again.

All of it goes through the store of results, whose files can never run code.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.core.frame.events import Logged
from fsops.core.frame.frame import combined_key
from fsops.core.frame.recording import RunWarning, Timing
from fsops.core.frame.services import WARNING
from fsops.data import Collection, FlowObject
from fsops.engine.cache import ResultStore
from fsops.errors import StorageError
from fsops.report.build import Caution
from fsops.runs.described import DescribedResult, described
from fsops.runs.execution import Origin
from fsops.runs.tables import SourceTables, saved_summaries
from fsops.storage import format_process, parse_process
from fsops.storage.results import WrittenFile

if TYPE_CHECKING:
    from fsops.report.summary import TableSummary
    from fsops.runs.outcome import RunOutcome

OUTCOME, FILES = combined_key("outcome"), combined_key("files of the outcome")
FORMAT = 1


def save_outcome(outcome: RunOutcome, store: ResultStore, tables: SourceTables | None) -> None:
    """Save a run beside the values of its ports."""
    with contextlib.suppress(Exception):  # a fault in a plugin's result must not cost the results
        saved_tables = [] if tables is None else tables.saved()
        store.put(OUTCOME, {**_plain(outcome, store), "tables": saved_tables})


def save_files(store: ResultStore, files: Sequence[WrittenFile]) -> None:
    """Save which files a saved run has written."""
    store.put(FILES, [asdict(file) for file in files])


def forget_outcome(store: ResultStore) -> None:
    """Remove an earlier run, so that it is not taken for one that failed."""
    for key in (OUTCOME, FILES):
        if store.get(key) is not None:
            store.put(key, None)


def _plain(outcome: RunOutcome, store: ResultStore) -> dict[str, Any]:
    """Return a run as plain values, and store those of its results that are in no port."""
    places = enumerate(zip(outcome.keys or (), outcome.results, strict=True))
    return {
        "format": FORMAT,
        "process": format_process(outcome.process).decode(),
        "folder": None if outcome.process.folder is None else str(outcome.process.folder),
        "results": [
            {"key": key} if key else _stored(store, value, (number,))
            for number, (key, value) in places
        ],
        "keys": outcome.keys,
        "names": outcome.names,
        "origins": outcome.origins,
        "timings": [(path, asdict(timing)) for path, timing in outcome.timings.items()],
        "warnings": [(w.path, w.message, w.count) for w in outcome.warnings],
        "macros": outcome.macros,
        "record": {name: v for name, v in outcome.record().items() if name != "results"},
        "cautions": [tuple(caution) for caution in outcome.background.cautions()],
        "in_ports": outcome.background.in_ports,
    }


def _stored(store: ResultStore, value: FlowObject, place: tuple[int, ...]) -> dict[str, Any]:
    """Return how a result is found again: by its key, item by item, or by its description."""
    key = combined_key("result", place)
    if store.put(key, value):
        return {"key": key}
    if isinstance(value, Collection):
        items = [_stored(store, item, (*place, i)) for i, item in enumerate(value)]
        return {"items": items}
    return {"description": described(value)}


# --- back again -----------------------------------------------------------------------------


@dataclass(frozen=True)
class SavedRun:
    """A run that was saved."""

    store: ResultStore
    fields: dict[str, Any]
    """Those of `RunOutcome`."""
    record: dict[str, Any]
    cautions: list[Caution]
    tables: list[TableSummary]
    in_ports: frozenset[Origin]


def saved_run(folder: Path) -> SavedRun:
    """Return the run that is saved in a folder."""
    if not folder.is_dir():
        raise StorageError(f'There is no folder "{folder}".')
    store = ResultStore(folder)
    found = store.get(OUTCOME)
    saved = None if found is None else found.value
    if not isinstance(saved, Mapping) or saved.get("format") != FORMAT:
        raise StorageError(
            f'There is no finished run in the folder "{folder}".',
            hint="Run the process with the option ports (--ports) and this folder.",
        )
    return SavedRun(
        store,
        _fields(saved, store),
        dict(saved["record"]),
        [Caution(*caution) for caution in saved["cautions"]],
        saved_summaries(saved["tables"], store),
        saved["in_ports"],
    )


def _fields(saved: Mapping[str, Any], store: ResultStore) -> dict[str, Any]:
    record = saved["record"]
    process = parse_process(saved["process"].encode())
    process.name = record["process"]["name"]
    process.folder = None if saved["folder"] is None else Path(saved["folder"])
    files = store.get(FILES)
    warnings = [RunWarning(*warning) for warning in saved["warnings"]]
    return {
        "results": [_restored(entry, store) for entry in saved["results"]],
        "names": saved["names"],
        "origins": saved["origins"],
        "keys": saved["keys"],
        "process": process,
        "seed": record["seed"],
        "macros": saved["macros"],
        "started": record["started"],
        "seconds": record["seconds"],
        "timings": {path: Timing(**timing) for path, timing in saved["timings"]},
        "warnings": warnings,
        "messages": [Logged(w.path, WARNING, w.message) for w in warnings],
        "command": record["command"],
        "files": [WrittenFile(**file) for file in (files.value if files else None) or []],
    }


def _restored(entry: Mapping[str, Any], store: ResultStore) -> FlowObject:
    if "description" in entry:
        return DescribedResult(entry["description"])
    if "items" in entry:
        return Collection([_restored(item, store) for item in entry["items"]])
    found = store.get(entry["key"])
    if found is None or not isinstance(found.value, FlowObject):
        raise StorageError(
            f'A result of the run is no longer in the folder "{store.folder}".',
            hint="Run the process again.",
        )
    return found.value
