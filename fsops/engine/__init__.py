"""Execution: the executor, its services, engines for loop iterations, and the cache."""
