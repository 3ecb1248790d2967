"""Work in a thread that would block the window; its result arrives in the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, TypeVar

from PyQt6 import sip
from PyQt6.QtCore import QObject, pyqtSignal, pyqtSlot

T = TypeVar("T")
THREADS = 2


class _Courier(QObject):
    """Carries calls into the thread of the window."""

    arrived = pyqtSignal(object)

    def __init__(self) -> None:
        super().__init__()
        self.arrived.connect(self._deliver)

    @pyqtSlot(object)
    def _deliver(self, call: Callable[[], None]) -> None:
        call()


@cache
def _courier() -> _Courier:
    return _Courier()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(THREADS, thread_name_prefix="background")


def in_background(
    owner: QObject,
    work: Callable[[], T],
    done: Callable[[T], None],
    failed: Callable[[Exception], None] | None = None,
) -> None:
    """Do work in a thread, and call ``done`` with its result in the thread of the window.

    Call it from the thread of the window. A deleted owner gets no result. An
    exception goes to ``failed``, or else to the program's own handling of exceptions.
    """
    courier = _courier()

    def tell(call: Callable[[Any], None], value: object) -> None:
        if not sip.isdeleted(owner):
            call(value)

    def run() -> None:
        try:
            result = work()
        except Exception as error:  # noqa: BLE001 - told in the window
            courier.arrived.emit(lambda error=error: tell(failed or _raised, error))
        else:
            courier.arrived.emit(lambda: tell(done, result))

    _pool().submit(run)


def _raised(error: Exception) -> None:
    raise error
