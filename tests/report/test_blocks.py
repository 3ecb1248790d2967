"""What a pipe gets of a block is what rich would have written."""

import io

import pytest
from hypothesis import given, strategies as st
from rich.console import Console
from rich.text import Text

from fsops.report.blocks import Line, Stack, plain_text
from fsops.report.table import BarColumn, Column, TextTable

WIDTH = 40
TABLE = TextTable(
    [
        Column("名前", ["漢字", "e\u0301te\u0301", "plain", "\x1b[31m"], narrowest=4),
        Column("weight", ["1", "22", "-3", "± 4"], right=True, style="cyan"),
        BarColumn([(0.0, 0.5), (0.2, 1.0), (0.0, 0.0), (0.5, 0.51)]),
        Column("details", ["", "x" * 50, "", "…"]),
    ],
    emphasis=frozenset({0}),
)


def by_rich(shown, **options):
    """Return what rich writes into a pipe, whatever the variables around us say."""
    stream = io.StringIO()
    console = Console(
        file=stream, width=WIDTH, force_terminal=False, markup=False, emoji=False, highlight=False
    )
    console.print(shown, **options)
    return stream.getvalue()


@pytest.mark.parametrize(
    "text",
    ["", "one line", "two\nlines\n", "\n\nblank ones", "  blanks around  ", "x" * WIDTH, "漢" * 20],
)
def test_lines_that_fit_need_no_rich(text):
    line = Line((text[:3], "bold"), (text[3:], "dim"))
    assert line.plain(WIDTH) == by_rich(line) == by_rich(text)


@pytest.mark.parametrize(
    "text", ["x" * (WIDTH + 1), "word " * 20, "漢" * 21, "a\tb", "a\x07b", "\x1b"]
)
def test_lines_to_wrap_or_to_spell_out_are_left_to_rich(text):
    assert Line((text, "")).plain(WIDTH) is None


def test_without_a_width_nothing_is_wrapped():
    text = "word " * 60 + "漢字"
    assert Line((text, "")).plain(None) == by_rich(text, soft_wrap=True)


@given(st.text(st.characters(codec="utf-8") | st.sampled_from(" \n\tx漢é"), max_size=100))
def test_any_text_is_as_rich_writes_it_or_left_to_rich(text):
    for width, options in ((WIDTH, {}), (None, {"soft_wrap": True})):
        plain = Line((text, "bold")).plain(width)
        assert plain is None or plain == by_rich(Text(text), **options)


def test_a_table_is_never_cut_in_a_pipe():
    assert TABLE.plain(WIDTH) == by_rich(TABLE, crop=False)
    assert "x" * 50 in TABLE.plain(WIDTH)


def test_parts_stand_below_each_other():
    stack = Stack("about", TABLE, Line(("more", "dim")), Stack("inner", "[red]"))
    assert stack.plain(WIDTH) == by_rich(stack, crop=False)
    assert stack.plain(WIDTH).endswith("more\ninner\n[red]\n")


def test_one_part_that_needs_rich_is_enough():
    for part in ("word " * 20, Text("of a plugin"), object()):
        assert Stack("about", part, TABLE).plain(WIDTH) is None
    assert plain_text(Text("of a plugin"), None) is None


def test_styles_are_for_terminals():
    stream = io.StringIO()
    Console(file=stream, force_terminal=True, color_system="standard").print(
        Stack(Line(("a", "bold"), ("b", "")))
    )
    assert stream.getvalue() == "\x1b[1ma\x1b[0mb\n"
