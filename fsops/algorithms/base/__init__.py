"""Parts that all families share: array types, moments, rankings, distances, compiled loops."""
