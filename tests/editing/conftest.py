"""Processes to edit; nothing here needs Qt."""

from pathlib import Path

import pytest

from fsops import read_process
from fsops.core.graph.process import Process
from fsops.editing.layout import place_missing
from fsops.plugins import plugins


@pytest.fixture(scope="session")
def registry():
    return plugins().registry


@pytest.fixture
def quickstart():
    """Return the ready process "quickstart"."""
    process = read_process(Path(__file__).parents[2] / "processes" / "quickstart.xml")
    place_missing(process)
    return process


@pytest.fixture
def chain(registry):
    """Return a process: Retrieve, then Normalize, then Weight by SAM, to a result."""
    process = Process("Chain")
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    scaled = process.add(registry["normalize"], table)
    weights = process.add(registry["weight_by_sam"], scaled)
    process.result(weights)
    place_missing(process)
    return process
