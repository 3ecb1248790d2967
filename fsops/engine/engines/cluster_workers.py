"""The workers of a cluster that others have started: which of them can do our work."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from fsops.errors import OperatorFailed, OperatorWarning, UsageError
from fsops.memory import size_text

PACKAGES = ("numpy", "scipy", "scikit-learn")
"""Another version of them may change results in the last digits."""

Versions = Mapping[str, str]


def workers_of(client: Any) -> list[str]:
    """Return the addresses of the workers that the scheduler knows; none if it is gone."""
    return list(client.scheduler_info().get("workers", ()))


def all_paused(client: Any, allowed: Sequence[str] | None) -> bool:
    """Return whether every worker is paused for lack of memory, and none computes.

    A paused worker finishes the tasks that it has begun, and takes no others until memory is free.
    """
    workers = client.scheduler_info().get("workers", {})
    mine = [about for worker, about in workers.items() if allowed is None or worker in allowed]
    return bool(mine) and all(
        about.get("status") == "paused"
        and not about.get("metrics", {}).get("task_counts", {}).get("executing")
        for about in mine
    )


def paused_error(client: Any) -> OperatorFailed:
    """Return the error about workers that stay paused."""
    workers = client.scheduler_info().get("workers", {}).values()
    least = min((about.get("memory_limit") or 0 for about in workers), default=0)
    return OperatorFailed(
        f"All {len(workers)} workers of the cluster are paused because their memory is nearly "
        f"full (limit of a worker: {size_text(least)}).",
        hint="Start workers with more memory (dask worker --memory-limit), or lower --memory-limit "
        "of the run; with --resume finished iterations are not computed again.",
    )


def versions_here() -> Versions:
    """Return the versions that must be the same on all workers."""
    from importlib.metadata import version

    from fsops.version import __version__

    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return {"fsops": __version__, "Python": python, **{name: version(name) for name in PACKAGES}}


class Fitness:
    """Knows which workers have the versions of this program; each is asked once.

    Parameters
    ----------
    client : distributed.Client
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._faults: dict[str, str] = {}
        """The problem of each worker, by its address; empty for healthy workers."""

    def require_all(self) -> None:
        """Raise `UsageError` if a worker cannot do our work."""
        wrong = [fault for fault in self._ask(self._present()).values() if fault]
        if wrong:
            raise UsageError(
                wrong[0] if len(wrong) == 1 else f"{wrong[0]} {len(wrong) - 1} more do not fit.",
                hint="Install the same versions on all workers: pip install "
                + " ".join(
                    f"{name}=={v}" for name, v in versions_here().items() if name != "Python"
                )
                + ".",
            )

    def allowed(self) -> Sequence[str] | None:
        """Return the workers that may be used; None if all may.

        A worker that has joined since the last call, and does not fit, is reported and not used.
        """
        present = self._present()
        for fault in self._ask([w for w in present if w not in self._faults]).values():
            if fault:
                warnings.warn(f"{fault} It is not used.", OperatorWarning, stacklevel=2)
        fine = [worker for worker in present if not self._faults.get(worker)]
        return None if len(fine) == len(present) else fine

    def _present(self) -> list[str]:
        return workers_of(self._client)

    def _ask(self, workers: Sequence[str]) -> Mapping[str, str]:
        if not workers:
            return {}
        answers = self._client.run(_asking(), workers=list(workers), on_error="return")
        faults = {worker: _fault(worker, answers.get(worker)) for worker in workers}
        self._faults |= faults
        return faults


def _asking() -> Any:
    """Return the question to a worker; as a local function it travels with its code."""
    packages = PACKAGES

    def versions() -> dict[str, str]:
        import sys as of_worker
        from importlib.metadata import PackageNotFoundError, version

        found = {"Python": f"{of_worker.version_info.major}.{of_worker.version_info.minor}"}
        for name in packages:
            try:
                found[name] = version(name)
            except PackageNotFoundError:
                found[name] = ""
        try:
            from fsops.version import __version__

            found["fsops"] = __version__
        except ImportError:
            found["fsops"] = ""
        return found

    return versions


def _fault(worker: str, answer: Any) -> str:
    """Return in a sentence why a worker does not fit; empty if it does."""
    if isinstance(answer, Exception) or answer is None:
        return f"The worker {worker} cannot answer ({answer})."
    for name, wanted in versions_here().items():
        has = answer.get(name, "")
        if not has:
            return f"The worker {worker} does not have {name}."
        if has != wanted:
            return f"The worker {worker} has {name} {has}, but this program has {wanted}."
    return ""
