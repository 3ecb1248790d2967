"""The guide for plugin authors: its operator for large tables keeps the contract."""

import importlib.util
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from fsops.testing import in_blocks, make_examples, operator_checks

GUIDE = Path(__file__).parents[2] / "docs" / "plugins.md"


@pytest.fixture
def weighting(tmp_path):
    """Return the operator of the section, imported from a file so that it can be pickled."""
    section = (
        GUIDE.read_text(encoding="utf-8").partition("## Large tables")[2].partition("\n## ")[0]
    )
    (code,) = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    file = tmp_path / "large_tables_example.py"
    file.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    yield module.weight_by_spread_of_means
    del sys.modules[file.stem]


def test_the_example_works_on_blocks_of_rows(weighting):
    table = make_examples(30, 5, 0, label="polynominal")
    expected = weighting(table)
    assert np.allclose(weighting(in_blocks(table)).values, expected.values, rtol=1e-9)
    codes, classes = table.class_codes()
    means = [table.numeric()[codes == c].mean(axis=0) for c in range(len(classes))]
    assert np.allclose(expected.values, np.std(means, axis=0))


def test_the_example_keeps_the_contract(weighting):
    rules = dict(operator_checks(weighting))
    assert "tables in blocks" in rules
    for name in ("tables in blocks", "same seed, same bytes", "kinds of tables", "names are kept"):
        rules[name]()
