"""Small files that would unfold into gigabytes, read one after the other; started by a test.

The program writes the growth of its memory, and how each file ended.
"""

import io
import json
import resource
import struct
import sys
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import fsops.operators as ops
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops.storage.readers import inspect

HEAD = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
TAIL = "</sheetData></worksheet>"


def nulls(file, rows, columns, kind):
    """Write a Parquet file of empty values, which takes next to no space."""
    step = 2**20
    schema = pa.schema([(f"c{j}", kind) for j in range(columns)])
    with pq.ParquetWriter(file, schema) as writer:
        part = pa.Table.from_arrays([pa.nulls(step, kind) for _ in range(columns)], schema=schema)
        for _ in range(rows // step):
            writer.write_table(part)


def repeated(file, rows, values, length):
    """Write a Parquet file whose few long texts are repeated."""
    texts = pa.array(["x" * length + str(i) for i in range(values)])
    indices = pa.array(np.arange(rows, dtype=np.int32) % values)
    table = pa.table({"t": pa.DictionaryArray.from_arrays(indices, texts)})
    pq.write_table(table, file, store_schema=False)  # then Arrow reads plain texts


def workbook(file, sheet, **parts):
    """Write a workbook by hand."""
    from openpyxl import Workbook

    book = Workbook()
    book.active["A1"] = "x"
    plain = io.BytesIO()
    book.save(plain)
    with (
        zipfile.ZipFile(plain) as given,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made,
    ):
        for name in given.namelist():
            if name == "xl/worksheets/sheet1.xml":
                made.writestr(name, HEAD + sheet + TAIL)
            elif name not in parts:
                made.writestr(name, given.read(name))
        for name, text in parts.items():
            made.writestr(name, text)


def cell(place):
    return f'<c r="{place}"><v>1</v></c>'


def far_cells(rows, last):
    return "".join(
        f'<row r="{i}">{cell(f"A{i}")}{cell(f"{last}{i}")}</row>' for i in range(1, rows)
    )


def arff(file, columns, rows, kind="{a,b}", row="{}"):
    head = "@relation x\n" + "".join(f"@attribute c{j} {kind}\n" for j in range(columns))
    file.write_text(head + "@data\n" + f"{row}\n" * rows)


def ioo(file, columns, rows):
    def text(value):
        return struct.pack(">i", len(value)) + value

    head = b"\x2a\x71\xd1" + struct.pack(">i", 4) + struct.pack(">i", columns)
    column = text(b"c") + text(b"") + text(b"real") + text(b"single_value")
    named = b"".join(column.replace(b"\x01c", b"\x06" + b"%06d" % j, 1) for j in range(columns))
    sparse = b"\x01" + struct.pack(">d", 0) * columns + struct.pack(">i", rows)
    file.write_bytes(head + named + sparse + struct.pack(">i", -1) * rows)


def bombs(folder):
    """Return bombs: operator, parameter and file."""
    made = []

    def add(kind, parameter, write, *arguments, **options):
        file = folder / f"{len(made)}.{kind}"
        write(file, *arguments, **options)
        made.append((f"read_{kind.replace('xlsx', 'excel')}", parameter, file))

    for rows, columns in [(2**26, 1), (2**25, 4), (2**22, 40), (2**21, 100), (2**20, 400)]:
        for kind in (pa.float64(), pa.int64()):
            add("parquet", "path", nulls, rows, columns, kind)
    add("parquet", "path", nulls, 2**26, 1, pa.string())
    add("parquet", "path", nulls, 2**26, 1, pa.bool_())
    for rows, values, length in [(10**6, 1, 10**6), (10**5, 10, 10**5), (10**6, 2, 10**4)]:
        add("parquet", "path", repeated, rows, values, length)
    for rows, last in [(3000, "XFD"), (20_000, "AAA"), (1500, "XFD"), (9000, "EZZ")]:
        add("xlsx", "path", workbook, far_cells(rows, last))
    add("xlsx", "path", workbook, f'<row r="1">{"<c/>" * 3_000_000}</row>')
    add("xlsx", "path", workbook, f'<row r="1">{"<c><v>1</v></c>" * 500_000}</row>')
    shared = "<sst>" + "<si><t>a</t></si>" * 6_000_000 + "</sst>"
    add("xlsx", "path", workbook, "", **{"xl/sharedStrings.xml": shared})
    styles = "<styleSheet>" + "<a/>" * 8_000_000 + "</styleSheet>"
    add("xlsx", "path", workbook, "", **{"xl/styles.xml": styles})
    add("xlsx", "path", workbook, "<row/>" * 50 + " " * 300_000_000)
    for columns, rows in [(5000, 8000), (20_000, 2000), (2000, 20_000)]:
        add("arff", "path", arff, columns, rows, "numeric")
    for columns, rows in [(4000, 8000), (20_000, 2000)]:
        add("arff", "path", arff, columns, rows, "{a,b}")
    many = "{" + ",".join(map(str, range(200_000))) + "}"
    add("arff", "path", arff, 3, 300_000, many)
    for columns, rows in [(2000, 20_000), (8000, 5000), (500, 30_000)]:
        file = folder / f"{len(made)}.ioo"
        ioo(file, columns, rows)
        made.append(("retrieve", "repository_entry", file.with_suffix("")))
    return made


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(folder):
    if sys.argv[2] == "make":
        json.dump([(o, p, str(f)) for o, p, f in bombs(folder)], (folder / "list.json").open("w"))
        return
    import pandas as pd  # what any reader loads

    assert pd
    small = folder / "small.csv"
    small.write_text("a,b\n1,2\n")
    ops.read_csv(path=str(small))
    report = {}
    for operator, parameter, file in json.loads((folder / "list.json").read_text()):
        before, outcome = peak(), "read"
        try:
            if sys.argv[2] == "validate":
                inspect((plugins().registry[operator], {parameter: file}))
            else:
                getattr(ops, operator)(**{parameter: file})
        except FsopsError as error:
            outcome = str(error)
        report[Path(file).name + f" ({operator})"] = [peak() - before, outcome]
    json.dump(report, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
