"""Running processes."""

from fsops.engine.runner import RunResult, check, run

__all__ = ["RunResult", "check", "run"]
