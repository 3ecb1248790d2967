"""Leads links of the pages that leave the folder `docs` to the pages of the site.

The pages are also read in the repository, where `../CHANGELOG.md` is right.
"""

from __future__ import annotations

import re
from typing import Any

PAGES = {
    "../CHANGELOG.md": "/changelog.md",
    "../CONTRIBUTING.md": "/contributing.md",
    "../README.md": "/index.md",
    "../benchmarks/README.md": "/benchmarks.md",
    "decisions/": "/decisions/index.md",
}
FOLDERS = {"../processes", "../processes/", "results", "results/"}
_LINK = re.compile(r"\[(?P<text>[^\]\n]+)\]\((?P<target>[^)#\s]+)(?P<part>#[^)\s]*)?\)")


def setup(app: Any) -> dict[str, bool]:
    """Connect this extension with Sphinx."""
    app.connect("source-read", _replace_links)
    app.connect("include-read", lambda app, _path, _parent, source: _replace_links(app, "", source))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _replace_links(_app: Any, _name: str, source: list[str]) -> None:
    source[0] = _LINK.sub(_link, source[0])


def _link(match: re.Match[str]) -> str:
    """Return the link to a page of the site; the name of a folder becomes plain text."""
    target = match["target"]
    if target in FOLDERS:
        return match["text"]
    return f"[{match['text']}]({PAGES.get(target, target)}{match['part'] or ''})"
