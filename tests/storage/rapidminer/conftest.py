"""Processes of RapidMiner, small ones and its own samples."""

from pathlib import Path

import pytest

from fsops.plugins import plugins
from fsops.storage import parse_process
from fsops.storage.rapidminer.importer import translate
from fsops.storage.safe_xml import parse_xml

SHARED = Path(__file__).resolve().parents[4] / "shared/rapidminer"


@pytest.fixture
def samples():
    """Return the folder of RapidMiner's samples."""
    if not SHARED.is_dir():
        pytest.skip("RapidMiner's samples are not on this machine")
    return SHARED


@pytest.fixture
def imported():
    """Return a function that reads operators and connections, and what was reported."""
    registry = plugins().registry

    def read(content, version="9.7.000"):
        data = (
            f'<process version="{version}"><operator class="process" name="Process">'
            f"<process>{content}</process></operator></process>"
        ).encode()
        report = translate(parse_xml(data), registry)
        return parse_process(data, registry), report

    return read


@pytest.fixture
def single(imported):
    """Return a function that reads one operator with settings: its parameters, and the report."""

    def read(key, content="", *, about="", version="9.7.000", **settings):
        written = "".join(f'<parameter key="{k}" value="{v}"/>' for k, v in settings.items())
        element = f'<operator class="{key}" name="A" {about}>{written}{content}</operator>'
        process, report = imported(element, version)
        return process["A"], report

    return read
