"""Finding operators by what a person may type: the best match comes first. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.errors import closest


def found_operators(registry: Registry, words: str, recent: Sequence[str] = ()) -> list[Operator]:
    """Return operators by name, other names, initials, tags and help, the likeliest first.

    Of those that fit equally well, the ones used last come first. Where nothing fits, a name that
    is written almost like the words may be meant.
    """
    wanted = _plain(words)
    hits = {spec.key: spec for spec in registry.search(words)}
    hits |= {spec.key: spec for spec in registry if _initials(spec).startswith(wanted)}
    if not hits:
        return _alike(registry, wanted)
    used = {key: place for place, key in enumerate(recent)}

    def rank(spec: Operator) -> tuple[int, int, int, str]:
        used_last = used.get(spec.key, len(used))
        return _distance(spec, wanted), used_last, len(spec.title), spec.title

    return sorted(hits.values(), key=rank)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("_", " ").split())


def _initials(spec: Operator) -> str:
    return "".join(word[0] for word in _plain(spec.title).split())


def _distance(spec: Operator, wanted: str) -> int:
    """Return how far the words are from what an operator is called; 0 is its very name."""
    title, keys = _plain(spec.title), [_plain(key) for key in (spec.key, *spec.aliases.keys)]
    whole = re.search(rf"\b{re.escape(wanted)}\b", title)  # "sam" is the score, not a sample
    tests: Iterable[bool] = (
        wanted == title or wanted in keys,
        whole is not None,
        title.startswith(wanted),
        all(re.search(rf"\b{re.escape(word)}", title) for word in wanted.split()),
        _initials(spec).startswith(wanted),
        any(wanted in key for key in keys),
        any(tag.lower().startswith(wanted) for tag in spec.tags),
    )
    return next((place for place, holds in enumerate(tests) if holds), 9)


def _alike(registry: Registry, wanted: str) -> list[Operator]:
    """Return operators whose name, or a word of it, is written almost like the words."""
    by_word: dict[str, list[Operator]] = {}
    for spec in registry:
        title = _plain(spec.title)
        for word in {title, *(w for w in title.split() if len(w) > 3)}:
            by_word.setdefault(word, []).append(spec)
    specs = [spec for word in closest(wanted, by_word) for spec in by_word[word]]
    return list({spec.key: spec for spec in specs}.values())
