"""What can be said about a process before it runs: metadata, problems, fixes, leaks, plans."""
