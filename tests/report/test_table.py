import io

import pytest
from rich.console import Console

from fsops.report.table import BarColumn, TextColumn, TextTable


def lines(table, width=None):
    """Return what a terminal of that width shows; without one, what a pipe gets."""
    stream = io.StringIO()
    console = Console(
        file=stream, width=width or 20, force_terminal=width is not None, color_system=None
    )
    console.print(table, crop=False)
    return stream.getvalue().splitlines()


NAMES = TextColumn("name", ["alpha", "a much longer name"], narrowest=8)
NUMBERS = TextColumn("n", ["1", "22"], right=True)


def test_columns_line_up():
    assert lines(TextTable([NAMES, NUMBERS])) == [
        "name                 n",
        "──────────────────────",
        "alpha                1",
        "a much longer name  22",
    ]


def test_texts_are_cut_in_the_middle_and_numbers_never():
    assert lines(TextTable([NAMES, NUMBERS]), width=16) == [
        "name           n",
        "────────────────",
        "alpha          1",
        "a much l…ame  22",
    ]


def test_columns_without_room_are_left_out_from_the_right():
    further = TextColumn("further", ["1.5", "2.5"], right=True)
    assert lines(TextTable([NAMES, NUMBERS, further]), width=16)[0] == "name           n"
    assert lines(TextTable([NUMBERS, further]), width=1) == [" n", "──", " 1", "22", "…"]


def test_columns_without_room_are_named_below():
    further = [TextColumn(name, ["1.5", "2.5"], right=True) for name in ("p-value", "df")]
    table = TextTable([NAMES, NUMBERS, *further])
    assert lines(table, width=24)[-1] == "… no space for: df"
    assert lines(table)[-1].endswith("2.5  2.5")


def test_headings_of_several_words_get_two_lines_before_anything_is_cut():
    long = TextColumn("degrees of freedom", ["29", "1160"], right=True)
    table = TextTable([NAMES, long, NUMBERS])
    assert lines(table)[0] == "name                degrees of freedom   n"
    assert lines(table, width=34) == [
        "                       degrees",
        "name                of freedom   n",
        "──────────────────────────────────",
        "alpha                       29   1",
        "a much longer name        1160  22",
    ]


def test_another_table_can_take_its_place():
    small = TextTable([NUMBERS])
    wide = TextTable([NUMBERS, TextColumn("x", ["y" * 30, ""])], otherwise=small)
    assert lines(wide, width=20) == lines(small, width=20)
    assert lines(wide)[0] == " n  x"


def test_bars_give_way_before_names():
    table = TextTable([NAMES, NUMBERS, BarColumn([1.0, 2.0])])
    assert lines(table)[2].endswith(" 1  ████████████")
    assert lines(table, width=34)[3] == "a much longer name  22  ██████████"


@pytest.mark.parametrize(
    ("length", "bar"), [(0, ""), (2, "█" * 24), (1, "█" * 12), (1 / 24, "▌"), (1e-9, "")]
)
def test_bars(length, bar):
    assert lines(TextTable([NUMBERS, BarColumn([2, length])]))[3] == f"22  {bar}".rstrip()


def bars(lengths, width=None):
    table = TextTable([TextColumn("", ["x"] * len(lengths)), BarColumn(lengths)])
    return [line[3:] for line in lines(table, width)]


def test_bars_of_numbers_below_zero_are_left_of_a_line():
    assert bars([15, 1, 0, -0.5, -8], width=27) == [
        "        │███████████████",
        "        │█",
        "        │",
        "       ▐│",
        "████████│",
    ]


@pytest.mark.parametrize(
    ("length", "bar"), [(-0.05, " │"), (-0.1, "▕│"), (-0.5, "▐│"), (-0.9, "█│"), (-1e-9, " │")]
)
def test_parts_of_a_character_left_of_the_line(length, bar):
    assert bars([-12, 11, length], width=27)[2] == " " * 11 + bar


def test_the_line_is_at_the_right_if_all_numbers_are_below_zero():
    assert bars([-1, -2], width=8) == ["  ██│", "████│"]


def test_both_sides_have_one_scale_and_at_least_a_character():
    assert bars([100, -1]) == [" │" + "█" * 22, "▕│"]
    assert bars([1, -100]) == [" " * 22 + "│▎", "█" * 22 + "│"]


def test_wide_characters_and_control_characters():
    table = TextTable([TextColumn("名前", ["日本", "a\x1b[1m"]), TextColumn("n", "12", right=True)])
    assert lines(table) == ["名前      n", "───────────", "日本      1", "a\\x1b[1m  2"]


def test_without_headings_there_is_no_line():
    assert lines(TextTable([TextColumn("", ["a", "b"])])) == ["a", "b"]


def test_emphasis_and_colours_on_a_terminal():
    stream = io.StringIO()
    console = Console(file=stream, width=40, force_terminal=True, color_system="standard")
    table = TextTable([NAMES, BarColumn([1, 0.1])], emphasis=frozenset({0}))
    console.print(table)
    shown = stream.getvalue()
    assert "\x1b[1malpha" in shown
    assert "\x1b[36m" in shown
