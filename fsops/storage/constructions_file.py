"""Formulas of attributes in RapidMiner's XML (.att)."""

from __future__ import annotations

from pathlib import Path

from lxml import etree

from fsops.algorithms.search.construction import as_operand
from fsops.data import ExampleSet
from fsops.errors import DataError, ProcessFileError
from fsops.storage.files import read_bytes, write_bytes
from fsops.storage.safe_xml import Limits, attributes_of, parse_xml
from fsops.storage.text_files import existing_file

ROOT, ENTRY = "constructions", "attribute"
LARGEST_BYTES = 2**25
XML = Limits(size=2**25, elements=200_001, attributes=450_000)


def write_constructions_file(examples: ExampleSet, file: str) -> None:
    """Write name and formula of each regular attribute.

    A name in parentheses, as the search for constructions gives it, is its formula.
    """
    root = etree.Element(ROOT, version="9.7")
    for name in examples.schema.regular_names:
        formula = name if name.startswith("(") and name.endswith(")") else as_operand(name)
        try:
            etree.SubElement(root, ENTRY, name=name, construction=formula)
        except ValueError:
            raise DataError(
                f'The name "{repr(name)[1:-1]}" has a character that XML does not allow.',
                hint="Rename the attribute.",
            ) from None
    data: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    write_bytes(file, data)


def read_constructions_file(file: str) -> dict[str, str]:
    """Return the formulas in a file by the names of the attributes."""
    path = existing_file(Path(file))
    try:
        root = parse_xml(read_bytes(path, LARGEST_BYTES), XML)
    except ProcessFileError as error:
        raise DataError(f'"{path.name}" cannot be read. {error.message}', hint=error.hint) from None
    entries = [attributes_of(child) for child in root if child.tag == ENTRY]
    if root.tag != ROOT or not all("name" in e and "construction" in e for e in entries):
        raise DataError(
            f'"{path.name}" holds no constructions.',
            hint="It must be a file of Write Constructions: <constructions> with <attribute "
            'name="…" construction="…"/>.',
        )
    return {entry["name"]: entry["construction"] for entry in entries}
