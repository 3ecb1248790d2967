"""The record of a run, collected from its events: timings, messages, warnings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fsops.core.frame.events import Event, Finished, Listener, Logged, Path
from fsops.core.frame.services import WARNING


@dataclass
class Timing:
    """How often an operator ran, how long in all, and the peak memory meanwhile."""

    runs: int = 0
    seconds: float = 0.0
    peak_memory: int | None = None


@dataclass(frozen=True)
class RunWarning:
    """A warning of an operator, and how often it occurred."""

    path: Path
    message: str
    count: int = 1


class WarningCounter:
    """Counts the warnings among the events of a run."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[Path, str]] = Counter()

    def __call__(self, event: Event) -> None:
        """Count a warning; other events do not matter."""
        if isinstance(event, Logged) and event.name == WARNING:
            self._counts[event.path, str(event.value)] += 1

    def warnings(self) -> list[RunWarning]:
        """Return the different warnings in the order of their first occurrence."""
        return [RunWarning(*where, count) for where, count in self._counts.items()]


class Recorder:
    """Collects timings, messages and warnings, and passes every event on."""

    def __init__(self, listener: Listener | None) -> None:
        self.timings: dict[Path, Timing] = {}
        self.messages: list[Logged] = []
        self.warnings = WarningCounter()
        self._listener = listener

    def __call__(self, event: Event) -> None:
        """Collect from an event, and pass it on."""
        if isinstance(event, Finished):
            timing = self.timings.setdefault(event.path, Timing())
            timing.runs += event.runs
            timing.seconds += event.seconds
            peaks = [p for p in (timing.peak_memory, event.peak_memory) if p is not None]
            timing.peak_memory = max(peaks, default=None)
        elif isinstance(event, Logged):
            self.messages.append(event)
            self.warnings(event)
        if self._listener is not None:
            self._listener(event)
