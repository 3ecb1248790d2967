"""Data access: samples, files, and made-up data."""
