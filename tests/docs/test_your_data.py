"""The list of formats in docs/your-data.md."""

import re
from pathlib import Path

from fsops.plugins import plugins
from fsops.storage.readers import readers

PAGE = Path(__file__).resolve().parents[2] / "docs" / "your-data.md"
NO_TABLES = {".wgt"}


def test_the_page_lists_all_formats_that_are_read_and_no_others():
    table = PAGE.read_text(encoding="utf-8").split("| format | files | needs |")[1]
    rows = table.split("\n\n")[0].splitlines()
    files = [file for row in rows[2:] for file in row.split("|")[2].split(",")]
    listed = {file.strip().lower().removeprefix("…") for file in files} - {""}
    known = set(readers(plugins().registry)) - NO_TABLES | {".ioo"}
    packed = {f".{end}" for end in ("gz", "bz2", "xz", "zst", "zip")}
    shown = {re.sub(r"^\.(csv|tsv|txt)(?=\.)", "", file) for file in listed}
    assert shown - packed == known - packed
    assert packed & known == packed & shown
