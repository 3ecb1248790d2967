"""Tables as text files."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pathlib import Path

from fsops.data import ExampleSet
from fsops.errors import DataError
from fsops.storage.cells import CellStyle, lines_of
from fsops.storage.files import replacing
from fsops.storage.text_files import separator_of, text_encoding


@dataclass(frozen=True)
class CsvStyle:
    """How a text file is to be laid out."""

    separator: str = ";"
    decimal: str = "."
    encoding: str = "utf-8"
    header: bool = True
    quote_all: bool = True
    """Whether all names and texts get quotation marks, not only those that need them."""
    missing: str = ""
    safe: bool = False
    """Whether texts that a spreadsheet would execute are written as texts; see `safe_text`."""


FORMULA = re.compile(r" *[=+\-@\t\r\n＝＋－＠]")
"""Beginnings of a cell that a spreadsheet may take for a formula; the same as in download.js."""
NUMBER = re.compile(r" *[+-]?([0-9]+\.?[0-9]*|\.[0-9]+|inf)([eE][+-]?[0-9]+)?")


def safe_text(text: str) -> str:
    """Return a text of a CSV file that no spreadsheet executes: a formula gets ' before it.

    For names of attributes, categories and texts, not for numbers. Write CSV uses it with
    ``safe=True``; the downloads of a report follow the same rule.
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def write_csv_table(examples: ExampleSet, file: str, style: CsvStyle) -> None:
    """Write a table, a row per line; numbers keep every bit."""
    separator = separator_of(style.separator, style.decimal)
    special = {separator, style.decimal, '"', "\r", "\n"}

    def quote(text: str) -> str:
        text = safe_text(text) if style.safe else text
        bare = not style.quote_all and text and not special.intersection(text)
        return text if bare else '"' + text.replace('"', '""') + '"'

    cells = CellStyle(separator, style.missing, quote, style.decimal)
    with replacing(Path(file)) as stream:
        text = io.TextIOWrapper(stream, encoding=text_encoding(style.encoding), newline="")
        try:
            if style.header:
                text.write(_header(examples.names.texts(), cells, style) + "\n")
            text.writelines(f"{line}\n" for line in lines_of(examples, cells))
            text.flush()
        except UnicodeEncodeError as error:
            raise DataError(
                f'"{error.object[error.start]}" cannot be written in {style.encoding}.',
                hint="Set the encoding to utf-8.",
            ) from None
        text.detach()


def _header(names: list[str], cells: CellStyle, style: CsvStyle) -> str:
    """Return the names of the columns; a wide table has too many to look at each."""
    names = [safe_text(name) for name in names] if style.safe else names
    together = "".join(names)
    if style.quote_all and '"' not in together:
        between = f'"{cells.separator}"'
        return f'"{between.join(names)}"'
    if all(names) and cells.quote(together) == together:
        return cells.separator.join(names)
    return cells.separator.join(map(cells.quote, names))
