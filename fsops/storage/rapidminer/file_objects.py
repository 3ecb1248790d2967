"""File objects of RapidMiner: readers here take the path instead."""

from __future__ import annotations

from lxml import etree

from fsops.storage.messages import shown
from fsops.storage.rapidminer.report import ConversionReport, Remark
from fsops.storage.rapidminer.settings import ForeignSettings

PATHS = {"read_csv": "csv_file", "read_excel": "excel_file", "read_arff": "data_file"}
"""The setting with the path, by reader."""


def read_paths_directly(root: etree._Element, report: ConversionReport) -> None:
    """Give readers the path of the Open File operator that feeds them, and remove that operator."""
    for opened in [e for e in root.iter("operator") if e.get("class") == "open_file"]:
        level, path = opened.getparent(), ForeignSettings(opened).get("filename")
        name = opened.get("name", "")
        if level is None or not path:
            continue
        leaving = [c for c in level.iterchildren("connect") if c.get("from_op") == name]
        operators = {e.get("name", ""): e for e in level.iterchildren("operator")}
        readers = [operators[to] for c in leaving if (to := c.get("to_op", "")) in operators]
        if not readers or len(readers) != len(leaving) or not all(map(_path_setting, readers)):
            continue
        for reader in readers:
            ForeignSettings(reader).set(_path_setting(reader), path)
        for removed in (*leaving, opened):
            level.remove(removed)
        names = " and ".join(shown(reader.get("name", "")) for reader in readers)
        text = f"{shown(path)} is read by {names} directly; Open File is not needed."
        report.remarks.append(Remark(name, text))


def _path_setting(reader: etree._Element) -> str:
    """Return the setting that holds the path; empty for an operator that reads no file."""
    return PATHS.get(reader.get("class", "").rpartition(":")[2], "")
