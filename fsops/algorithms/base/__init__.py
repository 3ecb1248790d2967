"""What the other families share: array types, moments, rankings, distances, compiled loops."""
