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
    assert set(document[0]) == {"key", "title", "group", "role", "summary"}
    assert document[0]["role"] == "weighting"
    assert json.loads(fsops("operators", "zzz", "--format", "json").stdout) == []


def test_a_role_narrows_the_list(fsops):
    document = json.loads(fsops("operators", "--role", "rows", "--format", "json").stdout)
    keys = {entry["key"] for entry in document}
    assert {"split_data", "filter_examples"} <= keys
    assert "normalize" not in keys
    assert keys == {spec.key for spec in plugins().registry if spec.role == "rows"}
    both = fsops("operators", "tree", "--role", "learner").stdout
    assert "random_forest" in both
    assert "weight_by_random_forest" not in both


def test_an_unknown_role_is_refused(refused):
    said = refused(2, "operators", "--role", "weighing")
    assert 'There is no role "weighing". Did you mean "weighting"?' in said
    assert 'No operator has "zzz" and the role "rows".' in refused(
        2, "operators", "zzz", "--role", "rows"
    )
