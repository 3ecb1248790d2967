"""Utilities: logging and control."""

from fsops.operators.utility.logging import log_performance

__all__ = ["log_performance"]
