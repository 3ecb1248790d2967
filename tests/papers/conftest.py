"""Where the data sets of the papers are."""

import os
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


@pytest.fixture(autouse=True)
def data_sets(monkeypatch):
    """Use the shared data sets where they are beside the project and no others are named."""
    if "FSOPS_DATA" not in os.environ and SHARED.is_dir():
        monkeypatch.setenv("FSOPS_DATA", str(SHARED))
