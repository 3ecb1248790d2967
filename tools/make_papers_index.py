"""Writes index.md and tables.md in docs/papers from the stored results."""

from __future__ import annotations

from pathlib import Path

from fsops.papers.index import index_page
from fsops.papers.tables import tables_page

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "papers"


def main() -> None:
    """Write the pages."""
    (FOLDER / "index.md").write_text(index_page(FOLDER / "results"), encoding="utf-8")
    (FOLDER / "tables.md").write_text(tables_page(FOLDER / "results"), encoding="utf-8")


if __name__ == "__main__":
    main()
