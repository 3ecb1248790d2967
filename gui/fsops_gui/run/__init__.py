"""Runs in a child process: start and stop, events, results, and the history of runs."""
