"""Search for operators by name, tags and help; the best match comes first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.editing.thesaurus import meant, plain_words
from fsops.errors import closest

OUR_WORDS = {
    "feature": "attribute", "features": "attribute", "variable": "attribute",
    "variables": "attribute", "column": "attribute", "columns": "attribute",
    "importance": "weight by", "importances": "weight by", "score": "weight by",
    "target": "label", "outcome": "label", "response": "label", "fdr": "adjustment",
    "observation": "example", "observations": "example", "record": "example", "records": "example",
}  # fmt: skip
"""Names in other programs, and ours; tried where no operator has the words."""
SURE = 0.8
"""Required similarity of a misspelt name: "boruta" is not "brute force"."""


def found_operators(registry: Registry, words: str, recent: Sequence[str] = ()) -> list[Operator]:
    """Return operators by the thesaurus, then by name, tags and help, the likeliest first."""
    entry = meant(words)
    if entry is None:
        return _found_by_name(registry, words, recent)
    first = [registry.find(key) for key in entry.keys]
    first = [spec for spec in first if not spec.is_placeholder]
    if entry.only:
        return first
    keys = {spec.key for spec in first}
    return first + [s for s in _found_by_name(registry, words, recent) if s.key not in keys]


def why_found(spec: Operator, words: str) -> str:
    """Return why an operator is found by some words; empty if its title has them."""
    entry = meant(words)
    if entry is not None and spec.key in entry.keys:
        return entry.reason
    wanted = plain_words(words).split()
    title = f" {plain_words(spec.title)}"
    if all(f" {word}" in title for word in wanted) or _initials(spec).startswith(words.lower()):
        return ""
    for name, texts in (("other name", spec.aliases.keys), ("tag", spec.tags)):
        for text in texts:
            if all(f" {word}" in f" {plain_words(text)}" for word in wanted):
                return f"{name}: {text}"
    for parameter in spec.parameters:
        words_of = plain_words(f"{parameter.name} {' '.join(map(str, parameter.choices))}")
        if any(f" {word}" in f" {words_of}" for word in wanted):
            return f"parameter: {parameter.name}"
    return "in its help"


def _found_by_name(registry: Registry, words: str, recent: Sequence[str] = ()) -> list[Operator]:
    """Return operators by name, other names, initials, tags and help, the likeliest first.

    Of those that fit equally well, the ones used last come first. Where nothing fits, the words may
    be other people's for the same, be those of a parameter, or be written wrongly.
    """
    wanted = _plain(words)
    hits = {spec.key: spec for spec in registry.search(words)}
    hits |= {spec.key: spec for spec in registry if _initials(spec).startswith(wanted)}
    ours = " ".join(OUR_WORDS.get(word, word) for word in wanted.split())
    if not hits and ours != wanted:
        return _found_by_name(registry, ours, recent)
    if not hits:
        return _with_parameters(registry, wanted) or _alike(registry, wanted)
    used = {key: place for place, key in enumerate(recent)}

    def rank(spec: Operator) -> tuple[int, int, int, int, str]:
        used_last = used.get(spec.key, len(used))
        called = _plain(" ".join((spec.title, *spec.tags)))
        absent = sum(f" {word}" not in f" {called}" for word in wanted.split())
        return _distance(spec, wanted), used_last, absent, len(spec.title), spec.title

    return sorted(hits.values(), key=rank)


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("_", " ").split())


def _initials(spec: Operator) -> str:
    return "".join(word[0] for word in _plain(spec.title).split())


def _distance(spec: Operator, wanted: str) -> int:
    """Return the distance of the words from the name of an operator; 0 if equal."""
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


def _with_parameters(registry: Registry, wanted: str) -> list[Operator]:
    """Return operators that have all words in what can be set, such as a choice."""

    def text(spec: Operator) -> str:
        texts = (text for p in spec.parameters for text in (p.name, p.description, *p.choices))
        return f" {_plain(' '.join(texts))}".replace("-", " ")

    words = wanted.replace("-", " ").split()
    found = [spec for spec in registry if all(f" {word}" in text(spec) for word in words)]
    return sorted(found, key=lambda spec: (len(spec.title), spec.title))


def _alike(registry: Registry, wanted: str) -> list[Operator]:
    """Return operators whose name, or a word of it, is written almost like the words."""
    by_word: dict[str, list[Operator]] = {}
    for spec in registry:
        title = _plain(spec.title)
        for word in {title, *(w for w in title.split() if len(w) > 3)}:
            by_word.setdefault(word, []).append(spec)
    sure = (w for w in closest(wanted, by_word) if SequenceMatcher(None, w, wanted).ratio() >= SURE)
    specs = [spec for word in sure for spec in by_word[word]]
    return list({spec.key: spec for spec in specs}.values())
