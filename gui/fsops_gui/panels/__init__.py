"""Panels around the canvas: palette, parameters, help, problems, results, log."""
