"""Writes the packages that fsops installs as a CycloneDX file (a software bill of materials).

    python tools/sbom.py [FILE]

It lists fsops, the packages it needs with all extras for users, and the packages those need, with
version, license and dependencies, as far as they are installed here. The file has no date and no
random number: the same packages give the same bytes.
"""

from __future__ import annotations

import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))

from licences import NOT_STATED, licence_of, needed, normal

SPECIFICATION = "1.6"


def bill() -> dict[str, Any]:
    """Return the content of the file."""
    packages = dict(sorted(needed().items()))
    root = importlib.metadata.distribution("fsops")
    known = {"fsops": root, **packages}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": SPECIFICATION,
        "version": 1,
        "metadata": {"component": _component("fsops", root, "application")},
        "components": [_component(name, package) for name, package in packages.items()],
        "dependencies": [
            {"ref": _reference(name, package), "dependsOn": _needs(package, known)}
            for name, package in known.items()
        ],
    }


def _reference(name: str, package: importlib.metadata.Distribution) -> str:
    return f"pkg:pypi/{name}@{package.version}"


def _component(
    name: str, package: importlib.metadata.Distribution, kind: str = "library"
) -> dict[str, Any]:
    licence = licence_of(package) or NOT_STATED.get(name, "")
    return {
        "type": kind,
        "bom-ref": _reference(name, package),
        "name": name,
        "version": package.version,
        "purl": _reference(name, package),
        "licenses": [{"license": {"name": licence}}] if licence else [],
    }


def _needs(
    package: importlib.metadata.Distribution, known: dict[str, importlib.metadata.Distribution]
) -> list[str]:
    from packaging.requirements import Requirement

    names = {normal(Requirement(text).name) for text in package.requires or []}
    return [_reference(name, known[name]) for name in sorted(names & known.keys())]


def main() -> int:
    """Write the file, or print it."""
    text = json.dumps(bill(), indent=1) + "\n"
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
