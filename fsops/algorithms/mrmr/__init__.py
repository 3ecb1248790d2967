"""Minimum redundancy, maximum relevance, and correlation-based selection."""
