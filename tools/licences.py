"""The license gate: fsops is BSD, so every package it installs must allow that.

    python tools/licences.py [--all]

Looks at the packages that fsops and its optional extras need, and at what these need, as far as
they are installed. A license that is not listed below ends with exit code 1. PyQt6 is the only GPL
package: it is needed by the designer alone, which is an extra.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import re
import sys

FOR_DEVELOPERS = {"dev", "docs", "gui-test"}
"""Extras whose packages are not for users."""
ALLOWED = re.compile(
    r"\b(BSD|0BSD|MIT|MIT-0|Apache|ISC|PSF|Python Software Foundation|Python-2|MPL|Mozilla|Zlib|"
    r"Unlicense|HPND|LGPL|Lesser General Public|CC0|Public Domain|SIP)",
    re.IGNORECASE,
)
STRICT = re.compile(r"(?<![L])(A?GPL)|(?<!Lesser )(Affero )?General Public", re.IGNORECASE)
GPL = {"pyqt6"}
NOT_STATED = {"pyqt6-sip": "BSD-2-Clause", "skops": "MIT"}
"""Read by hand where the metadata are silent."""


def normal(name: str) -> str:
    """Return the name of a package as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence_of(package: importlib.metadata.Distribution) -> str:
    """Return the license that a package states: the expression, the classifiers, or the field."""
    about = package.metadata
    expression = about.get("License-Expression")
    if expression:
        return str(expression)
    classifiers = [
        line.rpartition("::")[2].strip()
        for line in about.get_all("Classifier", [])
        if line.startswith("License ::") and not line.endswith("OSI Approved")
    ]
    field = (about.get("License") or "").strip().splitlines()
    return "; ".join(classifiers) or (field[0] if field else "")


def needed() -> dict[str, importlib.metadata.Distribution]:
    """Return the installed packages that users of fsops get."""
    from packaging.requirements import Requirement

    found: dict[str, importlib.metadata.Distribution] = {}
    root = importlib.metadata.distribution("fsops")
    extras = set(root.metadata.get_all("Provides-Extra", [])) - FOR_DEVELOPERS
    waiting = [("fsops", frozenset(extras))]
    seen = set()
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen:
            continue
        seen.add((name, wanted))
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra, or a package for another system
        found[normal(name)] = package
        for text in package.requires or []:
            requirement = Requirement(text)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": e}) for e in ("", *wanted)):
                waiting.append((requirement.name, frozenset(requirement.extras)))
    del found["fsops"]
    return found


def problem(name: str, licence: str) -> str:
    """Return why a license is not allowed; empty if it is."""
    if not licence:
        return "states no license"
    if STRICT.search(licence) and name not in GPL:
        return f"has the license {licence}"
    if not ALLOWED.search(licence) and name not in GPL:
        return f'has the license "{licence}", which is not in the list'
    return ""


def main() -> int:
    """Print the packages that are not allowed; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="print every package")
    given = parser.parse_args()
    packages = {n: licence_of(p) or NOT_STATED.get(n, "") for n, p in needed().items()}
    problems = {n: text for n, licence in packages.items() if (text := problem(n, licence))}
    if given.all:
        for name, licence in sorted(packages.items()):
            sys.stdout.write(f"{name}: {licence}\n")
    for name, text in sorted(problems.items()):
        sys.stderr.write(f"{name} {text}.\n")
    if not problems:
        gpl = ", ".join(sorted(GPL & packages.keys())) or "none"
        sys.stdout.write(f"Licenses: {len(packages)} packages are allowed; GPL: {gpl}.\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
