"""Writes docs/papers/index.md from the stored results: python tools/make_papers_index.py."""

from __future__ import annotations

from pathlib import Path

from fsops.papers.index import index_page

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "papers"


def main() -> None:
    """Write the page."""
    (FOLDER / "index.md").write_text(index_page(FOLDER / "results"), encoding="utf-8")


if __name__ == "__main__":
    main()
