"""The settings of an operator in a file, to be read and changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lxml import etree

from fsops.storage.process_grammar import SETTINGS

Pairs = list[tuple[str, str]]


def words(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


class ForeignSettings:
    """Settings of an ``<operator>``, by RapidMiner's names; changes go into the element."""

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        self._by_key: dict[str, etree._Element] = {}
        for child in element:
            if child.tag in SETTINGS and child.get("key") is not None:
                self._by_key.setdefault(child.get("key", ""), child)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._by_key])

    def __contains__(self, name: object) -> bool:
        return name in self._by_key

    def get(self, name: str, default: str = "") -> str:
        """Return a single value as text."""
        found = self._by_key.get(name)
        return default if found is None else found.get("value", default)

    def is_on(self, name: str, default: bool) -> bool:
        """Return a switch."""
        return self.get(name, str(default)).strip().lower() in ("true", "yes")

    def pairs(self, name: str) -> Pairs:
        """Return the pairs of a list."""
        found = self._by_key.get(name)
        items = [] if found is None else [c for c in found if c.tag == "parameter"]
        return [(item.get("key", ""), item.get("value", "")) for item in items]

    def shown(self, name: str) -> str:
        """Return a value of any kind for a message."""
        found = self._by_key.get(name)
        if found is None or found.tag == "parameter":
            return self.get(name)
        return ", ".join(f"{key}: {value}" if key else value for key, value in self.pairs(name))

    def set(self, name: str, value: str) -> None:
        """Set a single value."""
        self._replace("parameter", name, value)

    def set_pairs(self, name: str, pairs: Pairs) -> None:
        """Set a list of pairs."""
        made = self._replace("list", name)
        for key, value in pairs:
            etree.SubElement(made, "parameter", key=key, value=value)

    def set_values(self, name: str, values: Sequence[str]) -> None:
        """Set a list of values."""
        made = self._replace("enumeration", name)
        for value in values:
            etree.SubElement(made, "parameter", value=value)

    def _replace(self, tag: str, name: str, value: str | None = None) -> etree._Element:
        made = etree.Element(tag, key=name)
        if value is not None:
            made.set("value", value)
        old = self._by_key.get(name)
        if old is not None:
            made.tail = old.tail
            self.element.replace(old, made)
        else:
            last = next(reversed(self._by_key.values()), None)
            if last is None:
                self.element.insert(0, made)
            else:
                last.addnext(made)
        self._by_key[name] = made
        return made

    def rename(self, name: str, new: str) -> None:
        """Give a setting another name, in place of what had that name."""
        if name in self._by_key and name != new:
            self.remove(new)
            found = self._by_key.pop(name)
            found.set("key", new)
            self._by_key[new] = found

    def remove(self, name: str) -> None:
        """Remove a setting, if it is there."""
        found = self._by_key.pop(name, None)
        if found is not None:
            self.element.remove(found)
