"""The page about RapidMiner lists its operators as they are now."""

import importlib.util
from pathlib import Path

from fsops.plugins import plugins
from fsops.storage.rapidminer.catalogue import CORE, DIFFERENT
from fsops.storage.rapidminer.importer import known_as

ROOT = Path(__file__).resolve().parents[2]


def tool():
    spec = importlib.util.spec_from_file_location(
        "make_rapidminer_page", ROOT / "tools" / "make_rapidminer_page.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_operators_is_current():
    made = tool()
    text = made.PAGE.read_text(encoding="utf-8")
    current = made.page(text, plugins().registry) == text
    assert current, "run: python tools/make_rapidminer_page.py"


def test_differences_are_told_of_known_operators_only():
    registry = plugins().registry
    keys = {key for text in CORE.values() for key in text.split()}
    assert DIFFERENT.keys() <= keys
    assert [key for key in DIFFERENT if known_as(key, registry) is None] == []


def test_each_operator_is_listed_once():
    keys = [key for text in CORE.values() for key in text.split()]
    assert len(keys) == len(set(keys)) > 360
