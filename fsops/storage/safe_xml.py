"""Reads XML that a stranger may have written: bounded, without entities, errors in words."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from lxml import etree

from fsops.errors import ProcessFileError
from fsops.storage.messages import shown

MAX_BYTES = 8 * 2**20
MAX_DEPTH = 64
MAX_ELEMENTS = 20_000
MAX_ATTRIBUTES = 200_000
MAX_ELEMENT_ATTRIBUTES = 100  # lxml's time to list them grows with the square
MAX_ATTRIBUTE_LENGTH = 2**16


@dataclass(frozen=True)
class Limits:
    """How large a file may be, and of how many parts."""

    size: int = MAX_BYTES
    elements: int = MAX_ELEMENTS
    attributes: int = MAX_ATTRIBUTES


PROCESS = Limits()

_ENCODINGS = ("utf-8", "utf8", "us-ascii", "ascii")
_FOREIGN = (  # the longer mark first
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
    (b"<\0\0\0", "UTF-32"),
    (b"\0\0\0<", "UTF-32"),
    (b"<\0", "UTF-16"),
    (b"\0<", "UTF-16"),
)
_PACKED = (b"\x1f\x8b", b"PK\x03\x04", b"BZh", b"\xfd7zXZ", b"(\xb5/\xfd")
_DECLARED = re.compile(rb"<\?xml[^>]*?encoding\s*=\s*[\"']([^\"'>]*)")
# Atomic groups: hostile comments must not make the search go back and forth.
_DOCTYPE = re.compile(rb"(?>\s+|<\?.*?\?>|<!--.*?-->)*+(<!DOCTYPE)", re.DOTALL)

_MISMATCH = re.compile(r"mismatch: (\S+) line (\d+) and (\S+),")
_UNFINISHED = "The file ends too early: it is not complete."
_QUOTES = "The value of an attribute needs quotation marks around it."
_WORDS = {
    "ERR_ATTRIBUTE_NOT_FINISHED": "The value of an attribute is not closed by a quotation mark.",
    "ERR_ATTRIBUTE_NOT_STARTED": _QUOTES,
    "ERR_ATTRIBUTE_REDEFINED": "An element has the same attribute twice.",
    "ERR_ATTRIBUTE_WITHOUT_VALUE": "An attribute has no value.",
    "ERR_CDATA_NOT_FINISHED": "A CDATA section is not closed.",
    "ERR_COMMENT_NOT_FINISHED": "A comment is not closed.",
    "ERR_DOCUMENT_END": "There is something after the end of the process.",
    "ERR_ENTITYREF_SEMICOL_MISSING": "After & a semicolon is missing; write &amp; for a plain &.",
    "ERR_GT_REQUIRED": "A tag is not closed by >.",
    "ERR_HYPHEN_IN_COMMENT": "A comment must not contain two hyphens in a row.",
    "ERR_INVALID_CHAR": "There is a character that XML does not allow.",
    "ERR_LT_IN_ATTRIBUTE": "The value of an attribute contains <; write &lt; instead.",
    "ERR_MISPLACED_CDATA_END": "The text contains ]]>; write ]]&gt; instead.",
    "ERR_NAME_REQUIRED": "A name is missing after < or &; write &lt; or &amp; for the plain sign.",
    "ERR_NAME_TOO_LONG": "A name is too long.",
    "ERR_RESERVED_XML_NAME": "The XML declaration <?xml …?> must be at the very beginning.",
    "ERR_RESOURCE_LIMIT": f"The elements are nested more than {MAX_DEPTH} deep.",
    "ERR_SPACE_REQUIRED": "A space is missing between two attributes.",
    "ERR_TAG_NOT_FINISHED": _UNFINISHED,
    "ERR_UNDECLARED_ENTITY": "An entity is used; only &lt; &gt; &amp; &quot; &apos; are known.",
    "NS_ERR_UNDEFINED_NAMESPACE": "A name contains a colon; process files use no namespaces.",
}


def parse_xml(data: bytes, limits: Limits = PROCESS) -> etree._Element:
    """Return the outermost element, or report the error and its place in one line."""
    data = _checked_bytes(data, limits)
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        strip_cdata=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        raise _in_words(error) from None
    _check_tree(root, limits)
    return root


def _checked_bytes(data: bytes, limits: Limits) -> bytes:
    """Refuse what must not even reach the parser; return the rest as plain UTF-8."""
    if not data.strip():
        raise ProcessFileError("The file is empty.")
    if len(data) > limits.size:
        raise ProcessFileError(f"The file is larger than {limits.size // 2**20} MiB.")
    if data.startswith(_PACKED):
        raise ProcessFileError("The file is compressed.", hint="Unpack it first.")
    _check_encoding(data)
    data = data.removeprefix(codecs.BOM_UTF8)  # Windows editors write it
    if not data.lstrip().startswith(b"<"):
        raise ProcessFileError(
            "The file is not XML: it does not start with <.",
            hint="If it is a table, write a study of it: fsops new study.xml --data TABLE.",
        )
    doctype = _DOCTYPE.match(data)
    if doctype:
        raise _at(data, doctype.start(1), "A document type (<!DOCTYPE …>) is not allowed.")
    # Counted before a tree is built, which takes far more memory than the file. An element has
    # at most two <, and comments may have some more.
    if data.count(b"<") > 3 * limits.elements:
        raise ProcessFileError(f"The file has more than {limits.elements:,} elements.")
    if data.count(b"=") > limits.attributes:
        raise ProcessFileError(f"The file has more than {limits.attributes:,} attributes.")
    return data


def _check_encoding(data: bytes) -> None:
    hint = "Save it as UTF-8."
    for start, name in _FOREIGN:
        if data.startswith(start):
            raise ProcessFileError(f"The file is encoded in {name}, not in UTF-8.", hint=hint)
    if b"\0" in data:
        raise _at(data, data.index(b"\0"), "The file holds a NUL byte: not text, or damaged.")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        byte = f"the byte 0x{data[error.start]:02X} does not fit"
        raise _at(data, error.start, f"The file is not encoded in UTF-8: {byte}.", hint) from None
    declared = _DECLARED.match(data.removeprefix(codecs.BOM_UTF8))
    if declared and declared[1].strip().lower().decode() not in _ENCODINGS:
        name = shown(declared[1].decode())
        raise ProcessFileError(f"The file declares the encoding {name}.", hint=hint, line=1)


def _at(data: bytes, offset: int, message: str, hint: str = "") -> ProcessFileError:
    line = data.count(b"\n", 0, offset) + 1
    column = offset - data.rfind(b"\n", 0, offset)
    return ProcessFileError(message, hint=hint, line=line, column=column)


def _in_words(error: etree.XMLSyntaxError) -> ProcessFileError:
    """Translate what libxml2 says."""
    name = str(etree.ErrorTypes._getName(error.code))  # type: ignore[attr-defined]
    words = _WORDS.get(name, "The file is not well-formed XML.")
    crossed = _MISMATCH.search(error.msg or "")
    if crossed:
        opened, line, closed = crossed.groups()
        words = f"<{opened[:60]}> from line {line} is closed by </{closed[:60]}>."
    line_number, column = error.position
    return ProcessFileError(words, line=line_number or None, column=column or None)


def _check_tree(root: etree._Element, limits: Limits) -> None:
    if root.getroottree().docinfo.doctype:  # type: ignore[attr-defined]
        raise ProcessFileError("A document type (<!DOCTYPE …>) is not allowed.", line=1)
    for outside in (*root.itersiblings(preceding=True), *root.itersiblings()):
        _refuse_instruction(outside)
    depth = elements = 0
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        _refuse_instruction(node)
        if event == "end":
            depth -= 1
        elif event == "start":
            depth, elements = depth + 1, elements + 1
            _check_element(node, depth, elements, limits)


def _refuse_instruction(node: etree._Element) -> None:
    if isinstance(node, etree._ProcessingInstruction):
        name = shown(f"<?{node.target!s} …?>")
        raise refusal(node, f"The processing instruction {name} is not allowed.")


def _check_element(node: etree._Element, depth: int, elements: int, limits: Limits) -> None:
    if depth > MAX_DEPTH:
        raise refusal(node, f"The elements are nested more than {MAX_DEPTH} deep.")
    if elements > limits.elements:
        raise refusal(node, f"The file has more than {limits.elements:,} elements.")
    if len(node.attrib) > MAX_ELEMENT_ATTRIBUTES:
        raise refusal(node, f"An element has more than {MAX_ELEMENT_ATTRIBUTES} attributes.")
    attributes = attributes_of(node)
    if node.nsmap or any(name.startswith("{") for name in attributes):
        raise refusal(node, "Process files use no namespaces (xmlns, xml:…, xi:…).")
    for name, value in attributes.items():
        if len(value) > MAX_ATTRIBUTE_LENGTH:
            most = f"{MAX_ATTRIBUTE_LENGTH:,} characters"
            raise refusal(node, f"The attribute {shown(name)} is longer than {most}.")


def attributes_of(element: etree._Element) -> dict[str, str]:
    """Return the attributes in the order of the file."""
    return {str(name): str(value) for name, value in element.attrib.items()}


def refusal(element: etree._Element, message: str, hint: str = "") -> ProcessFileError:
    """Return an error about an element, with its line."""
    line = element.sourceline
    return ProcessFileError(message, hint=hint, line=line if isinstance(line, int) else None)
