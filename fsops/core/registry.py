"""The operators that are installed, by key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from fsops.core.operator import Operator, operator_of, placeholder
from fsops.errors import DeclarationError, UsageError, closest, did_you_mean


class Registry:
    """Operators by key and alias."""

    def __init__(self, operators: Iterable[Callable[..., Any] | Operator] = ()) -> None:
        self._by_key: dict[str, Operator] = {}
        self._aliases: dict[str, Operator] = {}
        for declared in operators:
            self.add(declared)

    def add(self, declared: Callable[..., Any] | Operator) -> Operator:
        """Register an operator; a key that is taken is an error."""
        spec = operator_of(declared)
        if spec.key in self._by_key:
            raise DeclarationError(f'There already is an operator with the key "{spec.key}".')
        self._by_key[spec.key] = spec
        for alias in spec.aliases.keys:
            self._aliases.setdefault(alias, spec)
        return spec

    def __iter__(self) -> Iterator[Operator]:
        return iter(sorted(self._by_key.values(), key=lambda spec: (spec.group, spec.title)))

    def __len__(self) -> int:
        return len(self._by_key)

    def __contains__(self, key: object) -> bool:
        return key in self._by_key or key in self._aliases

    def __getitem__(self, key: str) -> Operator:
        """Return the operator with this key, alias or title; else an error with suggestions."""
        spec = self._by_key.get(key) or self._aliases.get(key)
        spec = spec or next((s for s in self._by_key.values() if s.title == key), None)
        if spec is None:
            hint = did_you_mean(key, self._by_key) or "List all with: fsops operators"
            raise UsageError(f'There is no operator "{key}".', hint=hint)
        return spec

    def find(self, key: str) -> Operator:
        """Return the operator with this key or alias, or a placeholder that keeps its place."""
        return self._by_key.get(key) or self._aliases.get(key) or placeholder(key)

    def close_to(self, key: str) -> list[Operator]:
        """Return operators whose key is close to one that is not known."""
        return [self._by_key[name] for name in closest(key.rpartition(":")[2], self._by_key)]

    def search(self, words: str) -> list[Operator]:
        """Return operators that have all words in title, key, group, tags, aliases or help."""

        def text(spec: Operator) -> str:
            parts = (spec.title, spec.key, spec.group, *spec.tags, *spec.aliases.keys, spec.help)
            return " ".join(parts).lower().replace("_", " ")

        wanted = words.lower().replace("_", " ").split()
        found = [
            spec
            for spec in self
            if all(re.search(rf"\b{re.escape(word)}", text(spec)) for word in wanted)
        ]
        first = re.escape(" ".join(wanted))

        def distance(spec: Operator) -> tuple[bool, bool]:
            # Who has the words in the title is meant rather than who mentions them in the help,
            # and of those who has them as whole words: "sam" is the SAM score, not a sample.
            name = f"{spec.title} {spec.key}".lower().replace("_", " ")
            return not re.search(first, name), not re.search(rf"\b{first}\b", name)

        return sorted(found, key=distance)
