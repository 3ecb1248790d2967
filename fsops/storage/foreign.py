"""Files of RapidMiner: how to recognize them, and which of our ports they mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from lxml import etree

from fsops.core.declare.ports import Port
from fsops.storage.process_grammar import ROOT_CLASS, VERSION_PREFIX
from fsops.storage.safe_xml import parse_xml

_BUILDING_BLOCK = re.compile(
    rb"([^<\n]{1,1000})\n[^<\n]{0,10000}\n[^<\n]{0,1000}\n(?=<\?xml|<operator)"
)
"""RapidMiner writes name, description and icon of a building block before its XML."""
BUILDING_BLOCK_VERSION = "5.0"


def parse_process_xml(data: bytes) -> etree._Element:
    """Return the root of a process file; a building block of RapidMiner becomes a process."""
    header = _BUILDING_BLOCK.match(data)
    if header is None:
        return parse_xml(data)
    block = parse_xml(data[header.end() :])
    if block.tag != "operator" or block.get("class") == ROOT_CLASS:
        return block
    root = etree.Element("process", version=BUILDING_BLOCK_VERSION)
    name = block.get("name") or "Building Block"
    process = etree.SubElement(root, "operator", {"class": ROOT_CLASS, "name": name})
    etree.SubElement(process, "process").append(block)
    return root


def is_rapidminer(root: etree._Element) -> bool:
    """Return whether RapidMiner wrote the file."""
    version = root.get("version") if root.tag == "process" else None
    if version is not None:
        return not version.startswith(VERSION_PREFIX)
    # Old exports, and what is copied in RapidMiner, have no version; ours never have this:
    return any(e.get("compatibility") is not None for e in root.iter("operator"))


def our_port(name: str, ports: Sequence[Port], aliases: Mapping[str, str]) -> str:
    """Return our name of a port; a name that is not known stays for the validator to report."""
    if any(name == port.name for port in ports if not port.many):  # as in our own files
        return name
    base, _, number = name.rpartition(" ")
    ours = (aliases.get(name), f"{aliases[base]} {number}" if base in aliases else None)
    for candidate in (name, *ours):
        if candidate is not None and any(port.matches(candidate) for port in ports):
            return candidate
    return name
