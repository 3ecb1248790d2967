"""``fsops operators``."""

import json

from fsops.plugins import plugins


def test_all_operators_in_groups_with_one_line_each(fsops):
    lines = fsops("operators").stdout.splitlines()
    for spec in plugins().registry:
        assert sum(line.startswith(f"  {spec.key} ") for line in lines) == 1
    assert "Weighting › Univariate" in lines
    assert any("Scores every numerical attribute by the relative" in line for line in lines)


def test_words_narrow_the_list(fsops):
    shown = fsops("operators", "relative", "difference").stdout
    assert "weight_by_sam" in shown
    assert "naive_bayes" not in shown


def test_nothing_found(refused):
    assert 'No operator has "zzz".' in refused(2, "operators", "zzz")


def test_json(fsops):
    document = json.loads(fsops("operators", "sam", "--format", "json").stdout)
    assert document[0]["key"] == "weight_by_sam"
    assert set(document[0]) == {"key", "title", "group", "summary"}
    assert json.loads(fsops("operators", "zzz", "--format", "json").stdout) == []
