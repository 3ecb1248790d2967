"""The documentation site on this computer: where it is, and the address of a page.

`make docs` builds the site. A release has it inside the package, so that the command line and the
designer open the pages that belong to the installed version, without a network.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

import fsops
from fsops.errors import StorageError, UsageError, did_you_mean

FOLDER = "site"
"""Folder of the site inside an installed package."""
BUILT = Path("docs") / "_build" / "html"
"""Folder of the site in a checkout, after `make docs`."""
OPERATORS = "operators"
"""Folder of the site with a page for each operator, named by its key."""


def manual_folder() -> Path | None:
    """Return the folder of the built site; None if this installation has none."""
    package = Path(fsops.__file__).parent
    for folder in (package / FOLDER, package.parent / BUILT):
        if (folder / "index.html").is_file():
            return folder
    return None


def operator_page(key: str) -> Path | None:
    """Return the page of an operator; None if the site or the page does not exist."""
    folder = manual_folder()
    page = folder / OPERATORS / f"{key}.html" if folder is not None else None
    return page if page is not None and page.is_file() else None


def manual_page(name: str = "index") -> Path:
    """Return the file of a page.

    Parameters
    ----------
    name : str
        Name of a page, such as "validation", or key or title of an operator.

    Raises
    ------
    StorageError
        If the site is not built.
    UsageError
        If the site has no such page.
    """
    folder = manual_folder()
    if folder is None:
        raise StorageError(
            "The documentation site is not part of this installation.",
            hint="In a copy of the sources, build it with: make docs.",
        )
    page = folder / f"{name.removesuffix('.md')}.html"
    if page.is_file() and page.resolve().is_relative_to(folder.resolve()):
        return page
    return operator_page(_operator_key(name)) or _no_page(folder, name)


def _operator_key(name: str) -> str:
    from fsops.plugins import plugins

    registry = plugins().registry
    with contextlib.suppress(UsageError):
        return registry[name].key
    return name


def _no_page(folder: Path, name: str) -> Path:
    pages = [file.relative_to(folder).with_suffix("").as_posix() for file in folder.rglob("*.html")]
    keys = [page.removeprefix(f"{OPERATORS}/") for page in pages]
    hint = did_you_mean(name, keys) or "List the operators: fsops docs operators/index."
    raise UsageError(f'The documentation has no page "{name}".', hint=hint)
