"""The user's configuration file: what need not be said on every command line."""

from __future__ import annotations

import os
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fsops.errors import UsageError, did_you_mean, enumerate_names

VARIABLE = "FSOPS_CONFIG"
KNOWN: Mapping[str, Mapping[str, type]] = {
    "engine": {"name": str, "jobs": int, "scheduler": str},
    "cache": {"folder": str, "limit": str},
    "data": {"folder": str},
}


def config_file() -> Path:
    """Return where the configuration is: what FSOPS_CONFIG names, else among the user's files."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    if sys.platform == "win32":
        base = Path(os.environ.get("APPDATA") or Path.home())
    else:
        base = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return base / "fsops" / "config.toml"


def configured(section: str) -> dict[str, Any]:
    """Return the settings of a section; nothing where there is no file."""
    file = config_file()
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f'The configuration "{file}" cannot be read: {error}.') from None
    _check(file, found)
    return dict(found.get(section, {}))


def use_data_folder() -> None:
    """Look for public data sets where the configuration says, unless the environment says more."""
    from fsops.storage import datasets

    if datasets.VARIABLE not in os.environ and (folder := configured("data").get("folder")):
        os.environ[datasets.VARIABLE] = str(Path(folder).expanduser())


def _check(file: Path, found: Mapping[str, Any]) -> None:
    for section, settings in found.items():
        _known(file, section, KNOWN, "section")
        if not isinstance(settings, Mapping):
            raise UsageError(f'{file}: "{section}" must be a section: write [{section}].')
        for name, value in settings.items():
            _known(file, name, KNOWN[section], f"setting in [{section}]")
            kind = KNOWN[section][name]
            if not isinstance(value, kind) or isinstance(value, bool):
                wanted = {"str": "text in quotes", "int": "a whole number"}[kind.__name__]
                raise UsageError(f"{file}: {section}.{name} must be {wanted}.")
            if isinstance(value, int) and value < 1:
                raise UsageError(f"{file}: {section}.{name} must be at least 1.")


def _known(file: Path, name: str, known: Mapping[str, Any], what: str) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"There are {enumerate_names(list(known))}."
        raise UsageError(f'{file}: there is no {what} "{name}".', hint=hint)
