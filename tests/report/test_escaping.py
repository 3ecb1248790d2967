import pytest

from fsops.report.escaping import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain äöü 日本 ±…", "plain äöü 日本 ±…"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\tb\nc\rd", "a\\tb\\nc\\rd"),
        ("\x00\x7f\x9b", "\\x00\\x7f\\x9b"),
        ("\u202e\u2066\u2028", "\\u202e\\u2066\\u2028"),
        ("\udcff", "\\udcff"),
        (3, "3"),
    ],
)
def test_what_could_act_on_a_terminal_is_spelled_out(text, shown):
    assert visible(text) == shown


def test_lines_can_be_kept():
    assert visible("a\nb\x1b", keep_lines=True) == "a\nb\\x1b"
