"""Searches for a subset of attributes: sequential, evolutionary, by elimination."""
