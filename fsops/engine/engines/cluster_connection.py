"""The connection to a dask scheduler: opened, secured, and opened again if it is lost."""

from __future__ import annotations

import contextlib
import logging
import socket
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from fsops.core.frame.engine import EngineSettings
from fsops.errors import OperatorFailed, UsageError

CONNECT_SECONDS = 10
REACH_SECONDS = 2
"""Time in which a worker must answer to send its results without the scheduler."""
LOST_SECONDS = 60
"""How long a run waits for a scheduler that is gone, or for workers if all are gone."""
SECURE = "tls://"
FILES = ("tls_ca", "tls_cert", "tls_key")


def silence_logs() -> None:
    """Let dask not report about workers that end, as they do when a run is over."""
    for name in ("distributed", "distributed.client"):  # dask sets both levels
        logging.getLogger(name).setLevel(logging.CRITICAL)


def connected(settings: EngineSettings) -> Any:
    """Return a client of a scheduler that is running; what goes wrong is an error of the user."""
    import dask
    from distributed import Client
    from distributed.comm.addressing import get_address_host_port

    address = settings.scheduler
    assert address is not None
    silence_logs()
    dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s"})
    security = _security(settings)
    try:
        # A client with an address that can be none would hang when it is thrown away.
        get_address_host_port(address)
        return Client(address, timeout=CONNECT_SECONDS, security=security, set_as_default=False)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        raise UsageError(
            f'The scheduler "{address}" does not answer ({error}).', hint=_advice(address)
        ) from None


def _advice(address: str) -> str:
    if address.startswith(SECURE):
        return (
            "Is it started with --tls-ca-file, --tls-cert and --tls-key, and are the certificates "
            "in [engine] of the configuration signed by the same authority?"
        )
    return (
        "Start one (dask scheduler), and give its address, such as tcp://host:8786; one that "
        "uses TLS has an address such as tls://host:8786."
    )


def _security(settings: EngineSettings) -> Any:
    """Return the certificates of the configuration; None for a connection without them."""
    if not (settings.scheduler or "").startswith(SECURE):
        return None
    given = [getattr(settings, name) for name in FILES]
    if None in given:
        missing = [name for name, file in zip(FILES, given, strict=True) if file is None]
        raise UsageError(
            f'The scheduler "{settings.scheduler}" needs certificates, but {" and ".join(missing)} '
            f"{'is' if len(missing) == 1 else 'are'} not set.",
            hint="Set tls_ca, tls_cert and tls_key in [engine] of the configuration file.",
        )
    files = [Path(file).expanduser() for file in given]
    for name, file in zip(FILES, files, strict=True):
        if not file.is_file():
            raise UsageError(
                f'There is no file "{file}".', hint=f"Correct {name} in [engine] of the settings."
            )
    from distributed.security import Security

    authority, certificate, key = map(str, files)
    return Security(
        tls_ca_file=authority,
        tls_client_cert=certificate,
        tls_client_key=key,
        require_encryption=True,
    )


class Reach:
    """Knows which workers this machine can reach, so that data need not pass the scheduler.

    Workers behind a gateway, as in Kubernetes, answer the scheduler only. Each is tried once.
    """

    def __init__(self) -> None:
        self._reached: dict[str, bool] = {}

    def all_of(self, workers: Iterable[str]) -> bool:
        """Return whether all workers can be reached."""
        return all([self._can_reach(worker) for worker in workers])

    def _can_reach(self, worker: str) -> bool:
        from distributed.comm.addressing import get_address_host_port

        if worker not in self._reached:
            try:
                place = get_address_host_port(worker)
                socket.create_connection(place, timeout=REACH_SECONDS).close()
                self._reached[worker] = True
            except (OSError, ValueError):
                self._reached[worker] = False
        return self._reached[worker]


def connected_again(settings: EngineSettings, lost: Any, check: Callable[[], None]) -> Any:
    """Return a client in place of one that has lost its scheduler, which may have restarted."""
    with contextlib.suppress(Exception):
        lost.close(timeout=0.5)
    until = time.monotonic() + LOST_SECONDS
    while True:
        check()
        try:
            return connected(settings)
        except UsageError as error:
            if time.monotonic() > until:
                raise OperatorFailed(
                    f'The scheduler "{settings.scheduler}" is gone, and did not come back within '
                    f"{LOST_SECONDS} seconds.",
                    hint="Start it again, and run again; with --resume finished iterations are not "
                    "computed again.",
                ) from error
        time.sleep(0.2)
