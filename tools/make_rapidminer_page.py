"""Makes the table of RapidMiner's operators in docs/rapidminer.md, without arguments.

The operators come from the catalog, the verdicts from the registry and the rules of the import.
"""

from __future__ import annotations

from pathlib import Path

from fsops.core.registry import Registry
from fsops.plugins import plugins
from fsops.storage.rapidminer.catalogue import CORE, difference, missing_because
from fsops.storage.rapidminer.importer import known_as

PAGE = Path(__file__).resolve().parents[1] / "docs" / "rapidminer.md"
BEGIN, END = "<!-- operators: begin -->", "<!-- operators: end -->"


def table(registry: Registry) -> str:
    """Return the tables of all operators, one for each group."""
    keys = [key for text in CORE.values() for key in text.split()]
    known = [key for key in keys if known_as(key, registry)]
    parts = [f"{len(known)} of {len(keys)} operators are known."]
    for group, text in CORE.items():
        lines = [f"### {group}", "", "| RapidMiner | fsops | |", "|---|---|---|"]
        for key in sorted(text.split()):
            ours = known_as(key, registry)
            if ours is None:
                lines.append(f"| `{key}` | missing | {missing_because(key)} |")
            else:
                said = difference(key)
                name = "same" if ours.key == key else f"`{ours.key}`"
                lines.append(f"| `{key}` | {name} | {said} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def page(text: str, registry: Registry) -> str:
    """Return the page with its table of operators made again."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n\n{table(registry)}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), plugins().registry), encoding="utf-8")
