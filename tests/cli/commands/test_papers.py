"""``fsops papers``."""

import csv
import json

NAME = "schowe/table_2"


def test_list_has_every_experiment(fsops):
    from fsops.papers.catalogue import EXPERIMENTS

    shown = fsops("papers", "list").stdout
    assert [e.name for e in EXPERIMENTS if e.name not in shown] == []
    facts = json.loads(fsops("papers", "list", "--format", "json").stdout)
    assert [entry["name"] for entry in facts] == [e.name for e in EXPERIMENTS]


def test_list_marks_experiments_without_data(fsops, tmp_path):
    shown = fsops("papers", "list", FSOPS_DATA=str(tmp_path)).stdout
    (line,) = [line for line in shown.splitlines() if "schowe/figure_6" in line]
    assert line.endswith("(cannot be run here)")


def test_describe_names_source_and_process(fsops):
    facts = json.loads(fsops("papers", "describe", NAME, "--format", "json").stdout)
    assert facts["source"] == "Table 2"
    assert facts["processes"] == ["papers/schowe_2011_table_2"]
    assert len(facts["printed"]) == 8
    assert f"fsops papers run {NAME}" in fsops("papers", "describe", NAME).stdout


def test_run_writes_table_and_figure(fsops, tmp_path):
    result = fsops("papers", "run", NAME, "--quick", "--out", tmp_path / "new")
    assert "golf, Humidity, weight" in result.stdout
    assert "8 of 8 agree" in result.stdout
    with (tmp_path / "new" / "schowe_table_2.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["verdict"] for row in rows} == {"agrees"}
    assert {row["mode"] for row in rows} == {"quick"}
    assert all(row["date"] and row["version"] and row["seed"] for row in rows)
    assert list((tmp_path / "new").glob("*.svg"))


def test_run_prints_one_json_document(fsops):
    result = json.loads(fsops("papers", "run", NAME, "--format", "json").stdout)
    assert result["status"] == "reproduced"


def test_missing_data_are_one_sentence(fsops, tmp_path):
    result = fsops("papers", "run", "schowe/figure_6", FSOPS_DATA=str(tmp_path))
    assert result.exit_code == 1
    assert "colon_alon.parquet" in result.stderr


def test_an_unknown_experiment_is_corrected(refused):
    assert "schowe/table_2" in refused(2, "papers", "run", "schowe/table2")
