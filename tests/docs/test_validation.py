"""The figures on the page about validation are those that its processes give."""

from pathlib import Path

import pytest

from fsops import read_process, run

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("file", "row"),
    [
        ("wrapper_validation.xml", "inside each fold (`wrapper_x_validation`)"),
        ("wrapper_validation_wrong.xml", "before, on all rows (**wrong**)"),
    ],
)
def test_the_page_tells_what_its_process_gives(file, row):
    page = (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")
    (accuracy,) = [
        performance.main.mean for performance in run(read_process(ROOT / "processes" / file))
    ]
    assert f"processes/{file}" in page
    assert f"| {row} | {accuracy:.1%} |".replace("%", " %") in page
