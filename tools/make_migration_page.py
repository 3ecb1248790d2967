"""Makes the tables of earlier names in docs/migration.md, without arguments."""

from __future__ import annotations

from pathlib import Path

from fsops.core.declare.vocabulary import EVERY, KEYS, RENAMED

PAGE = Path(__file__).resolve().parents[1] / "docs" / "migration.md"
BEGIN, END = "<!-- names: begin -->", "<!-- names: end -->"


def tables() -> str:
    """Return the table of operators and the table of parameters."""
    lines = ["## Operators", "", "| earlier | now |", "|---|---|"]
    lines += [f"| `{old}` | `{new}` |" for old, new in sorted(KEYS.items())]
    lines += ["", "## Parameters", "", "| earlier | now | operators |", "|---|---|---|"]
    for old, new, keys in sorted(RENAMED):
        named = ", ".join(f"`{key}`" for key in sorted(keys.split()))
        lines.append(f"| `{old}` | `{new}` | {'all' if keys == EVERY else named} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """Return the page with its tables made again."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}\n\n{tables()}\n\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
