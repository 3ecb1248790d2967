"""Results on disk, found again by what they were made of: to go on after a crash."""

from fsops.engine.cache.store import ResultStore, default_folder

__all__ = ["ResultStore", "default_folder"]
