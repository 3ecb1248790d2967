"""Counts words that readers stumble over, in docstrings, messages and pages.

    python tools/words.py              fail if a pattern of the list is found too often
    python tools/words.py --show TEXT  list the places of the patterns that contain TEXT
    python tools/words.py --update     write the counts into the list

The list is fsops/testing/words.toml, which the contract kit also applies to plugins.

Existing uses are counted. The counts may only become smaller, so new text is written in plain
words, and old text can be changed step by step.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = ROOT / "fsops" / "testing" / "words.toml"
CODE = ("fsops", "gui")
SCRIPTS = ("docs/operator_examples",)
PAGES = ("README.md", "CONTRIBUTING.md", "benchmarks/README.md", "docs", "changes")
NEWEST = "CHANGELOG.md"
"""Only its newest section is read: earlier ones are history."""
NOT_READ = {"_build", "operators", "_extensions", "results"}
_FENCE = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
_MARKUP = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|<[^>]*>", re.DOTALL)
_NAMES = re.compile(r"^ *[a-z_]\w*(, [a-z_]\w*)*( : .*)?$", re.MULTILINE)
"""The line of a parameter in a docstring."""
_HEADING = re.compile(r"<(h\d|strong|b)\b[^>]*>")
_DESCRIPTION = re.compile(r"<description[^>]*>(.*?)</description>", re.DOTALL)
_CODE = re.compile(r"(`+)[^`]+\1")
"""Identifiers are quoted; their names are not prose."""


@dataclass(frozen=True)
class Text:
    """A docstring, a message or a line of a page."""

    place: str
    words: str


def texts() -> Iterator[Text]:
    """Return all texts that people read, except code and the older parts of the changelog."""
    for folder in CODE:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield from _strings(file)
    for folder in SCRIPTS:
        for file in sorted((ROOT / folder).rglob("*.py")):
            yield from _strings(file)
    yield from _templates()
    for file in sorted((ROOT / "processes").rglob("*.xml")):
        yield from _descriptions(file)
    for file in sorted((ROOT / "docs").glob("*.ipynb")):
        yield from _cells(file)
    for name in PAGES:
        page = ROOT / name
        if not page.exists():
            continue
        for file in sorted(page.rglob("*.md")) if page.is_dir() else [page]:
            if not NOT_READ & set(file.relative_to(ROOT).parts[1:-1]):
                yield from _lines(file, file.read_text(encoding="utf-8"))
    if (ROOT / NEWEST).exists():
        changes = (ROOT / NEWEST).read_text(encoding="utf-8")
        yield from _lines(ROOT / NEWEST, "\n## ".join(changes.split("\n## ")[:2]))


def _strings(file: Path) -> Iterator[Text]:
    """Return the strings of a module that have several words."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            place = f"{file.relative_to(ROOT)}:{node.lineno}"
            yield Text(place, _prose(_NAMES.sub("`…`", node.value)))


def _templates() -> Iterator[Text]:
    """Return the lines of the templates of reports and plugins."""
    for pattern in ("*.j2", "*.tmpl"):
        for file in sorted((ROOT / "fsops").rglob(pattern)):
            text = _HEADING.sub("# ", file.read_text(encoding="utf-8"))
            yield from _lines(file, _MARKUP.sub(" ", text))


def _descriptions(file: Path) -> Iterator[Text]:
    """Return the description and the notes of a ready process."""
    text = file.read_text(encoding="utf-8")
    for found in _DESCRIPTION.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Text(f"{file.relative_to(ROOT)}:{line}", _prose(found[1]))


def _cells(file: Path) -> Iterator[Text]:
    """Return the texts of a notebook."""
    for number, cell in enumerate(json.loads(file.read_text(encoding="utf-8"))["cells"], 1):
        if cell["cell_type"] == "markdown":
            yield Text(f"{file.relative_to(ROOT)}:{number}", _prose("".join(cell["source"])))


def _lines(file: Path, text: str) -> Iterator[Text]:
    """Return the paragraphs of a page, without its code."""
    blank = _FENCE.sub(lambda code: "\n" * code[0].count("\n"), text)
    number = 1
    for paragraph in re.split(r"(\n\s*\n)", blank):
        if paragraph.strip():
            yield Text(f"{file.relative_to(ROOT)}:{number}", _prose(paragraph))
        number += paragraph.count("\n")


def _prose(text: str) -> str:
    """Return a text on one line, without quoted identifiers."""
    return _CODE.sub("`…`", " ".join(text.split()))


def counted(patterns: list[str]) -> dict[str, list[Text]]:
    """Return the texts in which each pattern is found, once for each time."""
    compiled = {pattern: re.compile(pattern) for pattern in patterns}
    found: dict[str, list[Text]] = {pattern: [] for pattern in patterns}
    for text in texts():
        for pattern, expression in compiled.items():
            found[pattern] += [text] * len(expression.findall(text.words))
    return found


def update(counts: dict[str, int]) -> None:
    """Write the counts behind their patterns."""
    lines = []
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.startswith("at_most"):
            continue
        lines.append(line)
        if line.startswith("pattern"):
            pattern = tomllib.loads(line)["pattern"]
        if line.startswith("use"):
            lines.append(f"at_most = {counts[pattern]}")
    LIST.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main() -> int:
    """Compare the counts with those that are allowed."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--show", metavar="TEXT")
    options.add_argument("--update", action="store_true")
    given = options.parse_args()
    words = tomllib.loads(LIST.read_text(encoding="utf-8"))["word"]
    found = counted([word["pattern"] for word in words])
    if given.show is not None:
        for pattern in (pattern for pattern in found if given.show.lower() in pattern.lower()):
            for text in found[pattern]:
                sys.stdout.write(f"{text.place}: {text.words[:160]}\n")
        return 0
    if given.update:
        update({pattern: len(places) for pattern, places in found.items()})
        return 0
    more = [word for word in words if len(found[word["pattern"]]) > word.get("at_most", 0)]
    for word in more:
        places = found[word["pattern"]]
        sys.stdout.write(
            f"{word['pattern']} is used {len(places)} times; allowed are {word.get('at_most', 0)}. "
            f"Use: {word['use']}. List them: python tools/words.py --show '{word['pattern']}'\n"
        )
    sys.stdout.write(f"Words to avoid: {sum(map(len, found.values()))}.\n")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
