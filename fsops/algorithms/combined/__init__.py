"""Selections that combine several sources: mixed types of attributes, prior knowledge."""
