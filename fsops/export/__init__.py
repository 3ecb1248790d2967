"""Processes as Python scripts."""
