"""Traffic lights of columns: each kind of problem is found, and words say what follows."""

import numpy as np
import pandas as pd
import pytest

from fsops.plugins import plugins
from fsops.studies import columns
from fsops.studies.columns import look_at_table
from fsops.studies.costs import study_costs
from fsops.studies.design import DesignColumns
from fsops.studies.methods import METHODS, methods_for, usual_methods
from fsops.studies.study import study_process


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.normal(size=(60, 5)), columns=[f"gene{j}" for j in range(5)])
    frame["patient"] = [f"P{i}" for i in range(60)]
    frame["constant"] = 7
    frame["gaps"] = np.where(np.arange(60) % 3 == 0, np.nan, rng.normal(size=60))
    frame["one_gap"] = np.where(np.arange(60) == 0, np.nan, rng.normal(size=60))
    frame["slips"] = [f"{v:.2f}" if i % 20 else "12..5" for i, v in enumerate(rng.normal(size=60))]
    frame["visit"] = [f"2020-01-{1 + i % 28:02d}" for i in range(60)]
    frame["class"] = np.where(np.arange(60) % 2, "ill", "well")
    frame["score"] = np.where(frame["class"] == "ill", 1, 0) + rng.random(60) / 4
    path = tmp_path / "table.csv"
    frame.to_csv(path, index=False)
    return path


def lights(study):
    names = list(study.checks.table.schema.names)
    return {name: study.checks.finding(i) for i, name in enumerate(names)}


def test_each_kind_of_column_gets_its_light(table):
    study = look_at_table(table, None, plugins().registry)
    found = lights(study)
    assert study.problem is None
    assert study.label == "class"
    assert {n: f.state for n, f in found.items() if f.state != "ok"} == {
        "patient": "error", "score": "error", "constant": "warning", "gaps": "warning",
        "slips": "warning", "visit": "warning",
    }  # fmt: skip
    assert found["score"].word == "Gives the label away"
    assert found["patient"].word == "Different in every row"
    assert found["gaps"].word == "33 % missing"
    assert found["slips"].word == "Text among numbers"
    assert found["visit"].word == "Dates"
    assert found["one_gap"].detail == "1 of 60 rows missing"
    assert found["class"].word == "2 classes: 30 ill, 30 well"


def test_the_summary_names_what_would_spoil_the_answer(table):
    checks = look_at_table(table, None, plugins().registry).checks
    assert checks.counts() == {"error": 2, "warning": 4, "ok": 7}
    assert checks.summary("error") == "patient names the rows, score gives the label away."
    assert "1 constant" in checks.summary("warning")
    first = [checks.table.schema.names[i] for i in checks.order()[:2]]
    assert first[0] == "class"


def test_a_column_that_is_left_out_says_so_and_the_study_skips_it(table):
    design = DesignColumns(skip=("score",))
    study = look_at_table(table, None, plugins().registry, design)
    assert lights(study)["score"].word == "Left out"
    assert study.checks.roles["score"] == "left out"
    assert "score" in study.remarks


def test_a_table_without_a_known_label_can_be_looked_at(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(30, 3)), columns=list("abc"))
    frame["relapse"] = np.arange(30) % 2
    frame.to_csv(tmp_path / "t.csv", index=False)
    study = look_at_table(tmp_path / "t.csv", None, plugins().registry)
    assert study.label is None
    assert study.problem is not None
    again = look_at_table(tmp_path / "t.csv", "relapse", plugins().registry)
    assert (again.label, again.problem) == ("relapse", None)


def test_small_histograms_and_values_are_those_of_the_column(table):
    checks = look_at_table(table, None, plugins().registry).checks
    names = list(checks.table.schema.names)
    assert checks.bars(names.index("class")) == [30.0, 30.0]
    assert sum(checks.bars(names.index("gaps"))) == 40
    assert checks.text(0, names.index("gaps")) == "–"
    assert checks.text(1, names.index("class")) == "ill"


def test_every_method_is_an_operator_that_gives_weights():
    registry = plugins().registry
    for method in METHODS:
        assert any(port.name == "weights" for port in registry[method.key].outputs)
    for classes in (0, 2, 3):
        keys = [method.key for method in methods_for(classes)]
        assert set(usual_methods(classes)) <= set(keys)


def test_the_costs_count_the_runs_of_all_methods_and_time_each_once(table):
    registry = plugins().registry
    keys = tuple(method.key for method in methods_for(2))
    process = study_process("s", table, None, registry, methods=keys)
    costs = study_costs(process, 2)
    assert set(costs.runs) == set(keys)
    assert set(costs.runs.values()) == {10}
    assert costs.folds == 10
    assert {node.name for node in costs.probe} >= {"My table", *keys}
    assert not any(node.subprocesses for node in costs.probe)


def test_a_study_compares_the_methods_that_are_chosen(table):
    process = study_process(
        "s", table, None, plugins().registry, methods=("weight_by_sam", "weight_by_wilcoxon")
    )
    judged = next(node for node in process if node.operator.key == "compare_feature_selections")
    inside = [next(iter(inner)).operator.key for inner in judged.subprocesses[1:]]
    assert inside == ["weight_by_sam", "weight_by_wilcoxon"]
    assert columns.STATES[columns.GOOD] == "ok"
