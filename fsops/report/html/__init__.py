"""The report of a run as one HTML file that needs no network."""

from fsops.report.html.page import Figure, Report, Step, page, require_jinja, summary

__all__ = ["Figure", "Report", "Step", "page", "require_jinja", "summary"]
