"""The guide to the operators names those that exist, and its table follows the declarations."""

import importlib.util
import re
from pathlib import Path

from fsops.plugins import plugins

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
OPERATORS = [spec for spec in plugins().registry if not spec.prefix]


def tool():
    file = ROOT / "docs" / "_extensions" / "operator_table.py"
    spec = importlib.util.spec_from_file_location("operator_table", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def rows() -> dict[str, list[str]]:
    made = tool()
    found = {}
    for line in made.table_lines(OPERATORS):
        match = re.fullmatch(r"\| \[`(\w+)`\]\(operators/\w+\.md\) \| (.*) \|", line)
        if match:
            assert match[1] not in found
            found[match[1]] = [cell.strip() for cell in match[2].split(" | ")]
    return found


def cells(key: str) -> dict[str, str]:
    return dict(zip(tool().COLUMNS, rows()[key], strict=True))


def test_the_table_has_a_row_for_each_operator():
    found = rows()
    assert set(found) == {spec.key for spec in OPERATORS}
    assert all(len(row) == len(tool().COLUMNS) for row in found.values())


def test_the_guide_links_operators_that_exist():
    linked = re.findall(r"\(operators/(\w+)\.md\)", PAGE)
    assert len(set(linked)) >= 30
    assert set(linked) <= {spec.key for spec in OPERATORS}


def test_the_page_includes_the_table_and_is_in_the_contents():
    assert "```{include} operators/abilities.txt" in PAGE
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    assert "\nchoosing\n" in index


def test_cells_are_those_of_the_declarations():
    welch = cells("weight_by_welch_test")
    assert (welch["classes"], welch["numbers"], welch["weights"]) == ("yes", "–", "used")
    assert cells("weight_by_relief")["classes"] == "two"
    assert (welch["p-values"], welch["streaming"], welch["groups"]) == ("yes", "yes", "")
    assert cells("weight_by_cox")["survival"] == "yes"
    assert cells("weight_by_f_test")["classes"] == "yes"
    assert cells("optimize_selection_forward")["groups"] == "together"
    assert cells("select_by_mrmr_cfs")["groups"] == "refused"
    assert cells("ensemble_feature_selection")["groups"] == "completed"
    assert cells("weight_by_chi_squared")["nominal"] == "yes"
    assert cells("read_csv")["missing"] == ""


def test_p_values_are_promised_where_weights_have_them():
    for key in ("weight_by_t_test", "weight_by_correlation", "weight_by_wilcoxon", "select_by_hfs"):
        assert cells(key)["p-values"] == "yes", key
    assert cells("weight_by_pca")["p-values"] == ""
