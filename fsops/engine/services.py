"""What a run offers to its operators: events, cancellation, and how loops are run."""

from __future__ import annotations

import threading

from fsops.core.context import Services
from fsops.core.events import Listener
from fsops.errors import Cancelled


class RunServices(Services):
    """Services of one run, serial for now; setting ``cancel`` from anywhere stops it."""

    def __init__(
        self, listener: Listener | None = None, cancel: threading.Event | None = None
    ) -> None:
        super().__init__(listener)
        self._cancelled = cancel or threading.Event()

    def check_cancelled(self) -> None:
        """Raise `Cancelled` if the run is to stop."""
        if self._cancelled.is_set():
            raise Cancelled("The run was stopped.")
