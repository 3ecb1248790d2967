import io

import pytest
from rich.console import Console

from fsops.plugins import plugins
from fsops.report.helptext import Block, blocks_of, help_renderables

HELP = r"""Scores every attribute
by ``s0`` and \|t\|.

.. math:: t = \frac{a}{b}, \qquad
    b > 0

Use it for:

- one thing
  that goes on
- another

Like this::

    x = 1

    y = 2

.. note:: Be careful.

References
----------
Welch (1947)."""


def test_blocks():
    assert list(blocks_of(HELP)) == [
        Block("paragraph", r"Scores every attribute by ``s0`` and \|t\|."),
        Block("formula", r"t = \frac{a}{b}, \qquad b > 0"),
        Block("paragraph", "Use it for:"),
        Block("item", "one thing that goes on"),
        Block("item", "another"),
        Block("paragraph", "Like this:"),
        Block("code", "x = 1\n\ny = 2"),
        Block("paragraph", "Note: Be careful."),
        Block("heading", "References"),
        Block("item", "Welch (1947)."),
    ]


def test_each_reference_is_an_item():
    text = "References\n---\nA, B (2001): One. Journal 1.\nC et al. (2002): Two,\nlong. Journal 2.\n\nNotes\n---\nx"
    assert list(blocks_of(text))[1:] == [
        Block("item", "A, B (2001): One. Journal 1."),
        Block("item", "C et al. (2002): Two, long. Journal 2."),
        Block("heading", "Notes"),
        Block("paragraph", "x"),
    ]


def shown(text):
    console = Console(width=80, record=True, file=io.StringIO())
    for part in help_renderables(text):
        console.print(part)
    return [line.rstrip() for line in console.export_text().splitlines()]


def test_rendering():
    assert shown(HELP) == [
        "Scores every attribute by s0 and |t|.",
        "",
        "    t = a/b,     b > 0",
        "",
        "Use it for:",
        "",
        "  • one thing that goes on",
        "  • another",
        "",
        "Like this:",
        "",
        "    x = 1",
        "",
        "    y = 2",
        "",
        "Note: Be careful.",
        "",
        "References",
        "  • Welch (1947).",
    ]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a :math:`x_1^2` b", "a x₁² b"),
        ("see `Set Role` and :ref:`this`", "see Set Role and this"),
        ("**bold** and *italic* and 2*3*4", "bold and italic and 2*3*4"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
    ],
)
def test_inline(text, plain):
    assert shown(text) == [plain]


@pytest.mark.parametrize("spec", plugins().registry, ids=lambda spec: spec.key)
def test_no_markup_is_left_in_the_help_of_any_operator(spec):
    text = "\n".join(shown(spec.help))
    assert "``" not in text
    assert ".. " not in text
    assert "----" not in text


@pytest.mark.parametrize("spec", plugins().registry, ids=lambda spec: spec.key)
def test_formulas_are_formulas_and_references_begin_with_names(spec):
    blocks = list(blocks_of(spec.help))
    assert not [block for block in blocks if block.kind == "formula" and "$" in block.text]
    heading = Block("heading", "References")
    works = blocks[blocks.index(heading) + 1 :] if heading in blocks else []
    assert all(block.text[0].isupper() for block in works)
