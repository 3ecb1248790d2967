"""The version of fsops; no other file states it."""

__version__ = "1.0.0"
