from pathlib import Path

import pytest

from fsops.storage.messages import shown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", '"plain"'),
        ("größe 😀", '"größe 😀"'),
        ("two\nlines\x00", '"two\\nlines\\x00"'),
        ("lone \udcff", '"lone \\udcff"'),
        (Path("a/b.xml"), '"a/b.xml"'),
        ("x" * 100, '"' + "x" * 60 + '…"'),
    ],
)
def test_text_is_shown_on_one_printable_line(text, expected):
    assert shown(text) == expected
