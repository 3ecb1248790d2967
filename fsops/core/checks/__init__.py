"""Checks of a process before it runs: metadata, problems, fixes, leaks, plans."""
