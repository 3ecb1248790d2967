"""Checks the links of the built documentation site, without a network.

    python tools/check_links.py [FOLDER]

Every link to another file of the site, with its part after "#", and every picture, script and style
sheet must exist. Addresses of other sites are not requested.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

from lxml import html

SITE = Path(__file__).resolve().parents[1] / "docs" / "_build" / "html"
_ADDRESS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src"}


@cache
def targets(file: Path) -> frozenset[str]:
    """Return the names inside a page that a link can lead to."""
    tree = html.parse(str(file)).getroot()
    return frozenset(tree.xpath("//@id")) | frozenset(tree.xpath("//a/@name"))


def broken(file: Path, site: Path) -> Iterator[str]:
    """Return the links of a page that lead nowhere."""
    for element in html.parse(str(file)).getroot().iter(*_ADDRESS):
        address = element.get(_ADDRESS[str(element.tag)])
        parts = urlsplit(address or "")
        if not address or parts.scheme or parts.netloc:
            continue
        path = unquote(parts.path)
        target = (file.parent / path).resolve() if path else file
        exists = target.is_file() and target.is_relative_to(site)
        if not exists or not _has_part(target, unquote(parts.fragment)):
            yield address


def _has_part(file: Path, part: str) -> bool:
    return not part or file.suffix != ".html" or part in targets(file)


def main() -> int:
    """Print the links that lead nowhere; return the exit code."""
    site = Path(sys.argv[1] if len(sys.argv) > 1 else SITE).resolve()
    pages = sorted(site.rglob("*.html"))
    wrong = [f"{file.relative_to(site)}: {link}" for file in pages for link in broken(file, site)]
    sys.stdout.writelines(f"{line}\n" for line in wrong)
    sys.stdout.write(f"Links: {len(pages)} pages, {len(wrong)} links lead nowhere.\n")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
