"""Each of the 60 features in docs/designer.md names a test that exists."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROW = re.compile(r"^\| (\d+) \| (.+?) \| (works|partly|missing) \| `(.+?)::(test_\w+)` \|$", re.M)
ROWS = ROW.findall((ROOT / "docs" / "designer.md").read_text(encoding="utf-8"))


def test_every_row_is_there_and_57_work():
    assert [int(number) for number, *_ in ROWS] == list(range(1, 61))
    assert sum(state == "works" for _, _, state, *_ in ROWS) >= 57


def test_every_row_names_a_test_that_exists():
    missing = []
    for number, feature, _, path, test in ROWS:
        folder = ROOT / "tests" if path.startswith("editing/") else ROOT / "tests" / "gui"
        file = folder / path
        if not file.is_file() or f"def {test}(" not in file.read_text(encoding="utf-8"):
            missing.append(f"{number} {feature}: {path}::{test}")
    assert missing == []


def test_every_row_has_a_test_that_no_other_row_names():
    tests = [(path, test) for *_, path, test in ROWS]
    assert len(set(tests)) == len(tests)
