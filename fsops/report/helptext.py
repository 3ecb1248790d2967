"""An operator's help: the docstring's reStructuredText, read lightly, and for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from fsops.report.formula import formula_text

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

REFERENCES = "References"
_UNDERLINE = re.compile(r"([-=~^])\1{2,}")
_DIRECTIVE = re.compile(r"\.\. ([\w-]+)::\s*(.*)")
_BULLET = re.compile(r"\s*[-*•] +(.*)")
_INLINE = re.compile(
    r"``(?P<code>.+?)``|:math:`(?P<math>[^`]+)`|(?::[\w:]+:)?`(?P<name>[^`]+)`_?"
    r"|\*\*(?P<strong>[^*]+)\*\*|(?<![\w*])\*(?P<emphasis>[^*\s][^*]*)\*(?!\w)|\\(?P<escaped>\S)"
)
_STYLES = {"code": "cyan", "math": "", "name": "cyan", "strong": "bold", "emphasis": "italic"}


@dataclass(frozen=True)
class Block:
    """A part of a help text."""

    kind: Literal["paragraph", "heading", "item", "formula", "code"]
    text: str


def blocks_of(help_text: str) -> Iterator[Block]:
    """Return the parts of a help text in order; each reference is an item of a list."""
    in_references = False
    for block in _parts_of(help_text):
        if block.kind == "heading":
            in_references = block.text == REFERENCES
        if in_references and block.kind == "paragraph":
            yield from (Block("item", work) for work in works_in(block.text))
        else:
            yield block


def works_in(paragraph: str) -> list[str]:
    """Return the works of a list of references; each begins with names and a year in brackets."""
    works: list[str] = []
    for sentence in re.split(r"(?<! al)\. ", paragraph):
        if works and not _begins_work(sentence):
            works[-1] += f". {sentence}"
        else:
            works.append(sentence)
    return [work if work.endswith(".") else f"{work}." for work in works if work.strip()]


def _begins_work(sentence: str) -> bool:
    names, bracket, rest = sentence.partition(" (")
    return bool(bracket) and len(names) < 200 and rest[:4].isdigit() and names[:1].isupper()


def _parts_of(help_text: str) -> Iterator[Block]:
    lines = help_text.expandtabs().splitlines()
    while lines:
        line = lines.pop(0)
        if not line.strip():
            continue
        directive = _DIRECTIVE.match(line.strip())
        if directive:
            yield from _directive(directive[1], directive[2], _indented(lines))
        elif lines and _UNDERLINE.fullmatch(lines[0].strip()):
            lines.pop(0)
            yield Block("heading", line.strip())
        elif _BULLET.match(line):
            yield Block("item", " ".join([line.strip()[1:].strip(), *_indented(lines)]))
        else:
            yield from _paragraph(line, lines)


def _indented(lines: list[str]) -> list[str]:
    """Take the indented lines at the front, without their indentation."""
    taken = []
    while lines and (lines[0].startswith("  ") or (not lines[0].strip() and _goes_on(lines))):
        taken.append(lines.pop(0).strip())
    return taken


def _goes_on(lines: list[str]) -> bool:
    """Return whether indented text follows after empty lines."""
    following = next((line for line in lines if line.strip()), "")
    return following.startswith("  ")


def _directive(name: str, argument: str, content: list[str]) -> Iterator[Block]:
    text = " ".join(part for part in [argument, *content] if part)
    if name == "math":
        yield Block("formula", text)
    elif name in ("code-block", "code"):
        yield Block("code", "\n".join(content).strip())
    elif text:
        yield Block("paragraph", f"{name.capitalize()}: {text}")


def _paragraph(first: str, lines: list[str]) -> Iterator[Block]:
    parts = [first.strip()]
    while lines and lines[0].strip() and not _BULLET.match(lines[0]):
        parts.append(lines.pop(0).strip())
    text = " ".join(parts)
    if not text.endswith("::"):
        yield Block("paragraph", text)
        return
    if text != "::":
        yield Block("paragraph", text[:-1])
    while lines and not lines[0].strip():
        lines.pop(0)
    yield Block("code", "\n".join(_indented(lines)))


def help_renderables(help_text: str) -> list[RenderableType]:
    """Return a help text as rich prints it, the parts apart from each other."""
    from rich.padding import Padding
    from rich.text import Text

    shown: list[RenderableType] = []
    before = ""
    for block in blocks_of(help_text):
        if before and not before == block.kind == "item" and before != "heading":
            shown.append("")
        before = block.kind
        if block.kind == "heading":
            shown.append(Text(block.text, "bold"))
        elif block.kind == "formula":
            shown.append(
                Padding(Text(formula_text(block.text), "cyan"), (0, 0, 0, 4), expand=False)
            )
        elif block.kind == "code":
            shown.append(Padding(Text(block.text, "cyan"), (0, 0, 0, 4), expand=False))
        elif block.kind == "item":
            shown.append(Padding(Text("• ") + _inline(block.text), (0, 0, 0, 2), expand=False))
        else:
            shown.append(_inline(block.text))
    return shown


def inline_parts(text: str) -> Iterator[tuple[str, str]]:
    """Return a paragraph cut where its markup changes: kind (empty for plain text) and content."""
    at = 0
    for match in _INLINE.finditer(text):
        if match.start() > at:
            yield "", text[at : match.start()]
        yield next((k, v) for k, v in match.groupdict().items() if v is not None)
        at = match.end()
    if at < len(text):
        yield "", text[at:]


def _inline(text: str) -> Text:
    from rich.text import Text

    result = Text()
    for kind, content in inline_parts(text):
        result.append(formula_text(content) if kind == "math" else content, _STYLES.get(kind))
    return result
