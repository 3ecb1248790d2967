"""Changes of a table before a selection: discretizing, normalizing, simulated data."""
