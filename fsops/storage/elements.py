"""Takes the elements of a process file apart, and keeps parts that have no place in a process."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from lxml import etree

from fsops.errors import ProcessFileError
from fsops.storage.messages import shown
from fsops.storage.process_grammar import (
    ATTRIBUTES,
    BEFORE,
    ELEMENTS,
    TAGS,
    Extra,
    Place,
    keep_inside,
)
from fsops.storage.safe_xml import attributes_of, refusal

RAPIDMINER_4 = "Files of RapidMiner 4 look like this: save them with RapidMiner 5 or later first."


def split(
    element: etree._Element, known: Collection[str]
) -> tuple[list[etree._Element], list[etree._Element]]:
    """Return the children we know, and all else; comments before a known child are its own."""
    children: list[etree._Element] = []
    rest: list[etree._Element] = []
    comments: list[etree._Element] = []
    texts = [element.text]
    for child in element:
        texts.append(child.tail)
        if isinstance(child, etree._Comment):
            comments.append(child)
            continue
        if child.tag in known:
            children.append(child)
        elif child.tag in TAGS:
            raise _misplaced(child, element)
        else:
            rest += [*comments, child]
        comments = []
    stray = next((text for text in texts if text and text.strip()), None)
    if stray is not None:
        message = (
            f"<{tag_of(element)}> contains the text {shown(stray.strip())}, which belongs nowhere."
        )
        raise refusal(element, message)
    return children, [*rest, *comments]


def _misplaced(child: etree._Element, parent: etree._Element) -> ProcessFileError:
    hint = RAPIDMINER_4 if child.tag == parent.tag == "operator" else ""
    return refusal(child, f"<{tag_of(child)}> is not allowed in <{tag_of(parent)}>.", hint)


def keep_leaf(element: etree._Element, extras: Extra, place: Place, known: Collection[str]) -> None:
    """Keep the unknown attributes of an element."""
    _, rest = split(element, ())
    keep_inside(extras, place, extra_of(element, known, rest))


def extra_of(
    element: etree._Element, known: Collection[str], rest: Iterable[etree._Element]
) -> Extra:
    """Return what we keep of an element without understanding it."""
    found: Extra = {
        BEFORE: [comment.text or "" for comment in comments_before(element)],
        ATTRIBUTES: {n: v for n, v in attributes_of(element).items() if n not in known},
        ELEMENTS: [etree.tostring(part, encoding="unicode", with_tail=False) for part in rest],
    }
    return {key: value for key, value in found.items() if value}


def comments_before(element: etree._Element) -> list[etree._Element]:
    """Return the comments directly before an element."""
    found: list[etree._Element] = []
    before = element.getprevious()
    while isinstance(before, etree._Comment):
        found.append(before)
        before = before.getprevious()
    return found[::-1]


def text_of(element: etree._Element) -> str:
    """Return the text of an element that can hold nothing else."""
    if len(element):
        message = f"<{tag_of(element)}> can only contain text."
        raise refusal(element, message, "Write &lt; for < and &amp; for &.")
    return element.text or ""


def required(element: etree._Element, attribute: str) -> str:
    """Return an attribute that must be there."""
    value = element.get(attribute)
    if value is None or (not value and attribute in ("class", "name")):
        raise refusal(element, f'<{tag_of(element)}> needs the attribute "{attribute}".')
    return value


def tag_of(element: etree._Element) -> str:
    """Return the element's name for a message."""
    return shown(element.tag)[1:-1]


def at_most_one(children: Iterable[etree._Element], tag: str) -> etree._Element | None:
    """Return the only child of that name, if there is one."""
    found = [child for child in children if child.tag == tag]
    if len(found) > 1:
        raise refusal(found[1], f"There can be only one <{tag}> here.")
    return found[0] if found else None


def exactly_one(
    parent: etree._Element, children: Iterable[etree._Element], tag: str
) -> etree._Element:
    """Return the child of that name, which must be there once."""
    found = at_most_one(children, tag)
    if found is None:
        raise refusal(parent, f"<{tag_of(parent)}> must contain <{tag}>.")
    return found
