"""The user's configuration file: what need not be said on every command line."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, MutableMapping
from pathlib import Path
from typing import Any

from fsops.errors import UsageError, did_you_mean, enumerate_names
from fsops.memory import parse_size

VARIABLE = "FSOPS_CONFIG"
BLOCKED_PLUGINS = "FSOPS_BLOCK_PLUGINS"
"""As in `fsops.plugins.manager`, which takes long to import."""
_ADDRESS = re.compile(r"[a-z]+://\S+:\d+")
KNOWN: Mapping[str, Mapping[str, type]] = {
    "engine": {
        "name": str,
        "jobs": int,
        "scheduler": str,
        "tls_ca": str,
        "tls_cert": str,
        "tls_key": str,
    },
    "cache": {"folder": str, "limit": str},
    "data": {"folder": str, "limit": str, "allow_read": list},
    "plugins": {"disabled": list},
}


def config_file() -> Path:
    """Return where the configuration is: what FSOPS_CONFIG names, else among the user's files."""
    if os.environ.get(VARIABLE):
        return Path(os.environ[VARIABLE])
    from platformdirs import user_config_path

    return user_config_path("fsops", appauthor=False, roaming=True) / "config.toml"


def configured(section: str) -> dict[str, Any]:
    """Return the settings of a section; nothing where there is no file."""
    file = config_file()
    text = _text(file)
    if not text:
        return {}

    import tomllib

    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f'The configuration "{file}" cannot be read: {error}.') from None
    _check(file, found)
    return dict(found.get(section, {}))


def _text(file: Path) -> str:
    """Return the settings of the configuration; nothing without a file."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f'The configuration "{file}" cannot be read: {error}.') from None


def check_setting(section: str, name: str, value: Any) -> None:
    """Refuse, with a sentence, a value that a run would refuse."""
    fault = _fault(section, name, value)
    if fault:
        raise UsageError(f"{name} {fault}")
    if (section, name) == ("engine", "name"):
        from fsops.engine.engines.registry import engine_names

        known = engine_names()
        if value not in known:
            raise UsageError(
                f'There is no engine "{value}".', hint=f"There are {enumerate_names(known)}."
            )
    elif (section, name) == ("engine", "scheduler") and not _ADDRESS.fullmatch(value):
        raise UsageError(
            f'"{value}" is not the address of a scheduler.', hint="Write it as tcp://host:8786."
        )
    elif name == "limit":
        parse_size(value)


def write_settings(changes: Mapping[str, Mapping[str, Any]]) -> None:
    """Change the configuration file: settings by section, None for the usual value.

    All else in the file stays as it was, comments too. A value that a run would refuse is refused,
    and so is a file that cannot be read: nothing is changed then.
    """
    try:
        import tomlkit
    except ModuleNotFoundError:
        raise UsageError(
            "The configuration cannot be written without tomlkit.",
            hint='Install it with: pip install "fsops[gui]"',
        ) from None
    from fsops.storage.files import write_bytes

    file = config_file()
    for section, settings in changes.items():
        configured(section)  # a file with a mistake is not written over
        for name, value in settings.items():
            _known(file, section, KNOWN, "section")
            _known(file, name, KNOWN[section], f"setting in [{section}]")
            if value is not None:
                check_setting(section, name, value)
    document = tomlkit.parse(_text(file))
    before = document.as_string()
    for section, settings in changes.items():
        _change(document, section, settings)
    if document.as_string() != before:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, document.as_string().encode())


def _change(document: MutableMapping[str, Any], section: str, settings: Mapping[str, Any]) -> None:
    """Set and remove settings of a section, which is made if it is needed."""
    if section not in document and any(value is not None for value in settings.values()):
        document[section] = {}
    table = document.get(section, {})
    for name, value in settings.items():
        if value is None:
            table.pop(name, None)
        elif table.get(name) != value:
            table[name] = value


def use_data_folder() -> None:
    """Look for public data sets where the configuration says, unless the environment says more."""
    from fsops import datasets

    if datasets.VARIABLE not in os.environ and (folder := configured("data").get("folder")):
        os.environ[datasets.VARIABLE] = str(Path(folder).expanduser())


def use_disabled_plugins() -> None:
    """Leave out the plugins that the configuration disables, unless the environment names some.

    The variable is also set if none is disabled: a child process has the plugins of its parent.
    """
    if BLOCKED_PLUGINS not in os.environ:
        os.environ[BLOCKED_PLUGINS] = ",".join(configured("plugins").get("disabled", ()))


def disable_plugin(name: str, off: bool = True) -> None:
    """Disable a plugin, or enable it again, from the next start on."""
    names = [other for other in configured("plugins").get("disabled", ()) if other != name]
    names += [name] if off else []
    write_settings({"plugins": {"disabled": names or None}})


def use_file_limit() -> None:
    """Bound the content of files as the configuration says, unless the environment says more."""
    from fsops.storage.unpacking import VARIABLE as LIMIT

    if LIMIT not in os.environ and (limit := configured("data").get("limit")):
        check_setting("data", "limit", limit)
        os.environ[LIMIT] = limit


def _check(file: Path, found: Mapping[str, Any]) -> None:
    for section, settings in found.items():
        _known(file, section, KNOWN, "section")
        if not isinstance(settings, Mapping):
            raise UsageError(f'{file}: "{section}" must be a section: write [{section}].')
        for name, value in settings.items():
            _known(file, name, KNOWN[section], f"setting in [{section}]")
            if fault := _fault(section, name, value):
                raise UsageError(f"{file}: {section}.{name} {fault}")


def _fault(section: str, name: str, value: Any) -> str:
    """Return the error in the type of a value, as the rest of a sentence."""
    kind = KNOWN[section][name]
    if kind is list:
        fine = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return "" if fine else 'must be a list of texts: ["~/data", "~/projects"].'
    if not isinstance(value, kind) or isinstance(value, bool):
        return f"must be {'text in quotes' if kind is str else 'a whole number'}."
    return "must be at least 1." if isinstance(value, int) and value < 1 else ""


def _known(file: Path, name: str, known: Mapping[str, Any], what: str) -> None:
    if name not in known:
        hint = did_you_mean(name, known) or f"There are {enumerate_names(list(known))}."
        raise UsageError(f'{file}: there is no {what} "{name}".', hint=hint)
