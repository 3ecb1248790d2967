"""Results: a view for each kind of them, and the panel that shows them."""

from fsops_gui.panels.results.panel import ResultsPanel

__all__ = ["ResultsPanel"]
