"""The colors of the page: one file of tokens, from which the style sheet gets its variables."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from typing import Any

PAPER = {
    "surface-app": "#ffffff",
    "surface-sunken": "#ffffff",
    "text-primary": "#000000",
    "text-link": "#000000",
}
"""On paper there is no background."""


@cache
def tokens() -> Mapping[str, Any]:
    """Return the design tokens: light and dark with the same names, radii and fonts."""
    text = resources.files(__package__).joinpath("tokens.json").read_text(encoding="utf-8")
    found: Mapping[str, Any] = json.loads(text)
    return found


def variables(mode: str) -> dict[str, str]:
    """Return the colors of "light" or "dark" by the name of their CSS variable."""
    return dict(_flat(tokens()[mode], ()))


def _flat(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield "-".join(path).replace("_", "-"), value
        return
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    for key, item in items:
        yield from _flat(item, (*path, str(key)))


def token_css() -> str:
    """Return the variables of light, dark and paper as the beginning of a style sheet."""
    shared = {f"radius-{k}": f"{v}px" for k, v in tokens()["radius"].items()}
    shared |= {"font": _fonts("family"), "mono": _fonts("mono")}
    light, dark = variables("light"), variables("dark")
    # Colors of the page itself on dark paper would waste ink: light ones, on white.
    paper = {**light, **PAPER}
    return (
        f":root {{ {_declared({**shared, **light})} color-scheme: light }}\n"
        "@media (prefers-color-scheme: dark) { :root:not([data-theme='light']) "
        f"{{ {_declared(dark)} color-scheme: dark }} }}\n"
        f":root[data-theme='dark'] {{ {_declared(dark)} color-scheme: dark }}\n"
        "@media print { :root, :root[data-theme='dark'], :root:not([data-theme='light']) "
        f"{{ {_declared(paper)} color-scheme: light }} }}\n"
    )


def _fonts(kind: str) -> str:
    quoted = [f'"{name}"' if " " in name else name for name in tokens()[kind]]
    return ", ".join(quoted)


def _declared(values: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in values.items())
