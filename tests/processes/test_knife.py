"""The simulations of the KNIFE paper, with fewer repetitions than the figures in the manual."""

from pathlib import Path

import numpy as np
import pytest

from fsops import read_process, run

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "processes" / "papers" / "knife"
PAGE = ROOT / "docs" / "papers" / "knife.md"


def test_errors_of_the_orange_have_the_order_of_the_paper():
    process = read_process(FOLDER / "table_3_orange.xml")
    table, weights, paths = run(process, macros={"repetitions": "1", "rows": "300"})
    assert len(table) == len(weights) == len(paths) == 1
    error = {name: table.column(name).mean() for name in table.schema.regular_names}
    assert error["KNIFE and SVM test"] < 0.15 < error["SVM test"]
    assert error["SVM test"] < error["SIS of 4 and SVM test"]
    kept = np.mean([w.values > 0 for w in weights], axis=0)
    assert kept[:4].min() == 1 > kept[4:].mean()


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_page_has_a_row_for_each_method(number):
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- Table {number} -->", f"<!-- end of Table {number} -->"
    block = page[page.index(begin) : page.index(end)]
    process = read_process(next(FOLDER.glob(f"table_{number}_*.xml")))
    columns = process.find("Errors").parameters["log"]
    methods = {name.removesuffix(" test") for name in dict(columns) if name.endswith(" test")}
    assert methods
    assert [name for name in sorted(methods) if f"| {name} |" not in block] == []
    assert "50 repetitions" in block
