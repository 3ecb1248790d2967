"""The operators that are installed, by key."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from fsops.core.declare.renames import present_key
from fsops.core.operator import Operator, operator_of, placeholder
from fsops.errors import DeclarationError, UsageError, closest, did_you_mean


class Registry:
    """Operators by key and alias.

    An operator may be deferred: only its key is known until the operator is needed. Questions that
    only the declarations can answer (aliases, titles, a search) load all of them.
    """

    def __init__(self, operators: Iterable[Callable[..., Any] | Operator] = ()) -> None:
        self._by_key: dict[str, Operator] = {}
        self._aliases: dict[str, Operator] = {}
        self._deferred: dict[str, Callable[[], Operator | None]] = {}
        self._loading = threading.RLock()  # a module that is loaded may ask for another operator
        for declared in operators:
            self.add(declared)

    def add(self, declared: Callable[..., Any] | Operator) -> Operator:
        """Register an operator; a key that is taken is an error."""
        spec = operator_of(declared)
        self._refuse_taken(spec.key)
        self._enter(spec)
        return spec

    def _enter(self, spec: Operator) -> None:
        for alias in spec.aliases.keys:
            # Unlike a key, an alias may be taken already: the first operator keeps it.
            self._aliases.setdefault(alias, spec)
        self._by_key[spec.key] = spec

    def defer(self, loaders: Mapping[str, Callable[[], Operator | None]]) -> None:
        """Register operators, by key, that are loaded when needed; None means that it failed."""
        for key, load in loaders.items():
            self._refuse_taken(key)
            self._deferred[key] = load

    def _refuse_taken(self, key: str) -> None:
        if key in self._by_key or key in self._deferred:
            raise DeclarationError(f'There already is an operator with the key "{key}".')

    def _known(self, key: str) -> Operator | None:
        """Return the operator with this key; it is loaded if it was deferred."""
        # No lock for operators that are loaded; `_load` looks again under the lock.
        if key in self._deferred:
            with self._loading:
                self._load(key)
        return self._by_key.get(key)

    def _load(self, key: str) -> None:
        """Load a deferred operator, if no other thread has done so meanwhile."""
        load = self._deferred.get(key)
        if load is None:
            return
        spec = load()
        # Only now: whoever is interrupted before finds it deferred as it was.
        if spec is not None:
            self._enter(spec)
        del self._deferred[key]

    def _all(self) -> dict[str, Operator]:
        """Return all operators, loaded."""
        for key in [*self._deferred]:
            self._known(key)
        return dict(self._by_key)

    def __iter__(self) -> Iterator[Operator]:
        return iter(sorted(self._all().values(), key=lambda spec: (spec.group, spec.title)))

    def __len__(self) -> int:
        # A union, because an operator being loaded is for a moment in both. Nothing is loaded here.
        return len(self._by_key.keys() | self._deferred.keys())

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._named(key) is not None

    def _named(self, key: str) -> Operator | None:
        """Return the operator with this key or, if there is none, with this alias."""
        # An earlier key names its operator without loading all others for their aliases.
        spec = self._known(key) or self._known(present_key(key))
        if spec is None:
            self._all()
            spec = self._aliases.get(key)
        return spec

    def __getitem__(self, key: str) -> Operator:
        """Return the operator with this key, alias or title; else an error with suggestions."""
        spec = self._named(key)
        spec = spec or self._titled(key)
        if spec is None:
            hint = did_you_mean(key, self._all()) or "List all with: fsops operators"
            raise UsageError(f'There is no operator "{key}".', hint=hint)
        return spec

    def _titled(self, title: str) -> Operator | None:
        """Return the operator with this title, with small letters or capitals."""
        wanted = _plain(title)
        return next((spec for spec in self._all().values() if _plain(spec.title) == wanted), None)

    def find(self, key: str) -> Operator:
        """Return the operator with this key or alias, or a placeholder that keeps its place."""
        return self._named(key) or placeholder(key)

    def close_to(self, key: str) -> list[Operator]:
        """Return operators whose key is close to one that is not known."""
        known = self._all()
        return [known[name] for name in closest(key.rpartition(":")[2], known)]

    def search(self, words: str) -> list[Operator]:
        """Return operators that have all words in title, key, group, tags, aliases or help."""

        def text(spec: Operator) -> str:
            parts = (spec.title, spec.key, spec.group, *spec.tags, *spec.aliases.keys, spec.help)
            return _plain(" ".join(parts))

        wanted = _plain(words)
        found = [spec for spec in self if all(f" {word}" in text(spec) for word in wanted.split())]

        exact = " ".join(words.lower().split())

        def distance(spec: Operator) -> tuple[bool, bool, bool, bool]:
            # Whose title it is goes first. Who has the words in the title is meant rather than who
            # mentions them in the help, and of those who has them as whole words: "sam" is the SAM
            # score, not a sample.
            name = _plain(f"{spec.title} {spec.key}")
            return (
                spec.title.lower() != exact,  # SURF and SURF* have the same words
                _plain(spec.title) != wanted,
                wanted.rstrip() not in name,
                wanted not in name,
            )

        return sorted(found, key=distance)


def _plain(text: str) -> str:
    """Return the words of a text, each with a space before and behind it."""
    words = re.findall(r"[^\W_]+", text.lower())
    return f" {' '.join(words)} "
