"""Draws sentences at random from the texts for users, to judge whether they are plain.

    python tools/draw_sentences.py [SEED] [COUNT]

The sentences come from messages, descriptions, the help of operators and commands, texts of the
designer, and pages. Docstrings for developers are left out. The same seed draws the same sentences.
"""

from __future__ import annotations

import ast
import random
import re
import sys
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from words import CODE, NEWEST, NOT_READ, PAGES, ROOT

COUNT = 60
SHORTEST, LONGEST = 30, 300
_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`\"(])")
_FENCE = re.compile(r"^ *(```+|~~~+).*?^ *\1", re.MULTILINE | re.DOTALL)
_DIRECTIVE = re.compile(r"^( *)\.\. .*(?:\n(?:\1 +.*|\s*$))*", re.MULTILINE)
_ITEM = re.compile(r"^\s*(?:[-*+]|\d+\.)\s+")
_TERM = re.compile(r"^[^.?!]{1,60}?:\s")
"""An item that begins with a term and a colon explains it without a verb."""


def texts_for_users() -> Iterator[tuple[str, str]]:
    """Return place and text of messages, of the help of operators, and of pages."""
    for folder in CODE:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield from _messages(file)
    for name in PAGES:
        page = ROOT / name
        for file in sorted(page.rglob("*.md")) if page.is_dir() else [page]:
            if not NOT_READ & set(file.relative_to(ROOT).parts[1:-1]):
                yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
    changes = (ROOT / NEWEST).read_text(encoding="utf-8")
    yield NEWEST, "\n## ".join(changes.split("\n## ")[:2])


def _messages(file: Path) -> Iterator[tuple[str, str]]:
    """Return the strings of a module that are not docstrings, and the docstrings of operators."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    name = file.relative_to(ROOT)
    hidden: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            hidden.add(id(node.value))
        if isinstance(node, ast.FunctionDef) and _is_operator(node):
            about = (ast.get_docstring(node) or "").partition("\n")[2]
            yield f"{name}:{node.lineno}", about.partition("\nReferences\n")[0]
        if isinstance(node, ast.JoinedStr):
            hidden.update(map(id, node.values))
            parts = (part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
            yield f"{name}:{node.lineno}", "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in hidden:
            yield f"{name}:{node.lineno}", str(node.value)


def _is_operator(node: ast.FunctionDef) -> bool:
    return any(ast.unparse(mark).startswith("operator(") for mark in node.decorator_list)


def _blocks(text: str) -> Iterator[str]:
    """Return paragraphs and items of lists, each on one line, without code, formulas and tables."""
    prose = _DIRECTIVE.sub("", _FENCE.sub("", text))
    block: list[str] = []
    for line in [*prose.splitlines(), ""]:
        plain = line.strip()
        item = _ITEM.match(line)
        if not plain or item or plain.startswith(("|", "#")):
            if block:
                yield " ".join(block)
            block = []
        if plain and not plain.startswith(("|", "#", "<", ":::")):
            block.append(plain)


def _sentences(block: str) -> Iterator[str]:
    """Return the sentences of a block; the first of an item may only explain a term."""
    item = _ITEM.match(block)
    parts = _END.split(block[item.end() :] if item else block)
    for number, part in enumerate(parts):
        plain = part.strip()
        fragment = item and number == 0 and _TERM.match(plain)
        if not fragment and plain.strip("*_")[:1].isupper() and plain.endswith((".", "?")):
            yield plain


def sentences() -> list[tuple[str, str]]:
    """Return all sentences with their places."""
    return [
        (place, sentence)
        for place, text in texts_for_users()
        for block in _blocks(text)
        for sentence in _sentences(block)
        if SHORTEST <= len(sentence) <= LONGEST and "http" not in sentence
    ]


def main() -> int:
    """Print the sentences and the seed."""
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    count = int(sys.argv[2]) if len(sys.argv) > 2 else COUNT
    known = sentences()
    drawn = random.Random(seed).sample(known, min(count, len(known)))
    sys.stdout.write(f"seed {seed}, {len(drawn)} of {len(known)} sentences\n")
    for place, sentence in drawn:
        sys.stdout.write(f"{place}: {sentence}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
