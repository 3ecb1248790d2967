"""Linked results: one selection of attributes and one of rows, shared by all views."""
