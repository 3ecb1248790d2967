"""Results on disk, found by a key of their inputs: to continue after a crash."""

from fsops.engine.cache.store import ResultStore, default_folder

__all__ = ["ResultStore", "default_folder"]
