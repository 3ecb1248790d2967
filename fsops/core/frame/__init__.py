"""The run seen from inside: where a call stands, its seeds, its state, its events."""
