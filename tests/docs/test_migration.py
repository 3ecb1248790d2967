"""The page about earlier names lists them as they are now."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_tables_of_names_are_current():
    file = ROOT / "tools" / "make_migration_page.py"
    spec = importlib.util.spec_from_file_location("make_migration_page", file)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    text = made.PAGE.read_text(encoding="utf-8")
    assert made.page(text) == text, "run: python tools/make_migration_page.py"
