"""The run seen from inside: the place of a call, its seeds, its state, its events."""
