"""The notebook runs from top to bottom, and shows what it says."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="nbclient is not installed")
nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
pytest.importorskip("ipykernel", reason="ipykernel is not installed")

DOCS = Path(__file__).resolve().parents[2] / "docs"


def shown(cell):
    """Return by kind all that a cell displays."""
    return {kind: data for output in cell.outputs for kind, data in output.get("data", {}).items()}


@pytest.fixture(scope="module")
def tour():
    notebook = nbformat.read(DOCS / "tour.ipynb", as_version=4)
    resources = {"metadata": {"path": str(DOCS)}}
    return nbclient.NotebookClient(notebook, timeout=100, resources=resources).execute()


def cell_with(notebook, text):
    return next(c for c in notebook.cells if c.cell_type == "code" and text in c.source)


def test_the_process_is_drawn(tour):
    assert "svg" in str(shown(cell_with(tour, "Process("))).lower()


def test_results_are_tables(tour):
    assert "<table" in shown(cell_with(tour, "run(process)"))["text/html"]


def test_figures_are_drawn(tour):
    assert "image/png" in shown(cell_with(tour, "plot()"))


def test_a_cell_of_xml_is_run(tour):
    assert "Outlook" in shown(cell_with(tour, "%%fsops"))["text/html"]


def test_the_notebook_is_kept_without_outputs():
    notebook = nbformat.read(DOCS / "tour.ipynb", as_version=4)
    assert [c for c in notebook.cells if c.get("outputs") or c.get("execution_count")] == []
