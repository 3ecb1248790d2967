"""The skeleton of a plugin: a package with one operator and tests that pass."""

from __future__ import annotations

import re
from pathlib import Path
from string import Template

from fsops import __version__
from fsops.errors import StorageError, UsageError

TEMPLATES = Path(__file__).parent / "templates"
SUFFIX = ".tmpl"
NAME = re.compile(r"[a-z][a-z0-9]*([-_][a-z0-9]+)*")
LONGEST_NAME = 60
# Ours: the entry point of the built-in operators, and the package of the graphical interface.
TAKEN = ("builtin", "fsops", "gui", "results", "terminal")


def write_plugin(name: str, folder: Path) -> list[Path]:
    """Write a plugin package into a new folder and return its files.

    Parameters
    ----------
    name : str
        Name of the plugin, such as ``relief``. The package is then ``fsops-relief``, and
        the keys of its operators begin with ``relief:``.
    folder : Path
        Where to make the folder of the package. Nothing that exists is overwritten.
    """
    plain = _plain_name(name)
    words = {
        "name": plain,
        "distribution": f"fsops-{plain.replace('_', '-')}",
        "package": f"fsops_{plain}",
        "title": plain.replace("_", " ").title(),
        "fsops_version": ".".join(__version__.split(".")[:2]),
    }
    target = Path(folder) / words["distribution"]
    try:
        target.mkdir(parents=True)
        return [_write(template, target, words) for template in sorted(TEMPLATES.rglob("*.tmpl"))]
    except FileExistsError:
        raise UsageError(
            f'"{target}" already exists.', hint="Choose another name or another folder."
        ) from None
    except OSError as error:
        raise StorageError(f'"{target}" cannot be written: {error.strerror}.') from None


def _plain_name(name: str) -> str:
    """Return the name without what all plugins have in common, with underscores."""
    plain = re.sub(r"^fsops[-_]", "", name)
    if not NAME.fullmatch(plain) or len(plain) > LONGEST_NAME:
        better = "_".join(re.findall(r"[a-z0-9]+", plain.lower()))[:LONGEST_NAME].strip("_")
        hint = f'Try "{better}".' if NAME.fullmatch(better) and better not in TAKEN else ""
        raise UsageError(
            f'"{name}" cannot be the name of a plugin; use small letters, digits and underscores, '
            f"beginning with a letter, {LONGEST_NAME} at most.",
            hint=hint,
        )
    if plain in TAKEN:
        raise UsageError(f'"{plain}" is a name of fsops itself.', hint="Choose another name.")
    return plain.replace("-", "_")


def _write(template: Path, target: Path, words: dict[str, str]) -> Path:
    place = template.relative_to(TEMPLATES).with_name(template.name.removesuffix(SUFFIX))
    file = target.joinpath(*(words["package"] if p == "package" else p for p in place.parts))
    file.parent.mkdir(exist_ok=True)
    text = Template(template.read_text(encoding="utf-8")).substitute(words)
    file.write_text(text, encoding="utf-8")
    return file
