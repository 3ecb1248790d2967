"""A study of somebody's own table."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import pandas as pd
import pytest
from pydantic import Field

from fsops import ExampleSet, operator, run
from fsops.core import File
from fsops.core.registry import Registry
from fsops.errors import UsageError
from fsops.plugins import plugins
from fsops.storage import read_process, tables, write_process
from fsops.storage.readers import reader_of, readers, with_label
from fsops.studies.study import study_process

GENES = 60


@pytest.fixture
def made(tmp_path):
    """Return a function that writes a table in which the first genes tell a column."""

    def write(target, *, column="diagnosis", file="patients.csv", gap=False):
        rng = np.random.default_rng(0)
        X = rng.normal(size=(40, GENES))
        ill = np.arange(40) % 2
        X[:, :3] += 2 * ill[:, None]
        frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(GENES)])
        frame[column] = target(ill, X)
        if gap:
            frame.iloc[3, 5] = np.nan
        frame.to_csv(tmp_path / file, index=False)
        return tmp_path / file

    return write


def words(ill, X):
    return np.where(ill, "ill", "well")


def numbers(ill, X):
    return ill


def measured(ill, X):
    return 2 * X[:, 0]


def study(table, label=None, folder=None):
    return study_process("Mine", table, label, plugins().registry, folder)


def test_a_study_compares_and_finds_the_genes_that_matter(made, tmp_path):
    process = study(made(words), folder=tmp_path)
    write_process(process, tmp_path / "study.xml")
    _, curves, weights, described = run(read_process(tmp_path / "study.xml"))
    assert set(curves.to_pandas()["method"]) == {
        "Weight by F-Test",
        "Weight by Relief",
        "Select by MRMR / CFS",
    }
    assert set(weights.top(3)) == {"gene0", "gene1", "gene2"}
    assert weights["gene0"] == 1.0
    assert len(weights.selected()) == 20
    assert set(described.names) == set(weights.selected())
    assert set(described.names[:3]) == {"gene0", "gene1", "gene2"}
    assert described.columns["higher_in"][0] == "ill"
    assert curves.to_pandas()["attributes"].max() == 50


def test_the_first_result_is_the_answer_and_on_noise_that_nothing_was_found(made, tmp_path):
    rng = np.random.default_rng(5)
    path = tmp_path / "noise.csv"
    noise = pd.DataFrame(rng.normal(size=(40, GENES))).add_prefix("gene")
    noise.assign(diagnosis=words(np.arange(40) % 2, noise)).to_csv(path, index=False)
    nothing = run(study(path))
    assert nothing[0].verdict.text.startswith("No. Nothing was found. Nothing was found beyond")
    assert [finding.message for finding in nothing.findings] == [nothing[0].verdict.text]
    answer = run(study(made(words, gap=True)))[0]
    assert answer.verdict.light == "green"
    assert {attribute.name for attribute in answer.beyond} == {"gene0", "gene1", "gene2"}
    assert [method.name for method in answer.methods] == [
        "Weight by Relief",
        "Select by MRMR / CFS",
    ]
    assert answer.alpha == 0.04
    assert any("0.0 % of the values are missing" in doubt for doubt in answer.verdict.doubts)


def test_the_table_is_named_as_seen_from_the_process_so_that_both_can_be_passed_on(made, tmp_path):
    table = made(words)
    near = next(iter(study(table, folder=tmp_path)))
    assert near.parameters["path"] == "patients.csv"
    far = next(iter(study(table, folder=tmp_path / "elsewhere")))
    assert far.parameters["path"] == "../patients.csv"
    apart = next(iter(study(table, folder=Path("/elsewhere"))))
    assert apart.parameters["path"] == str(table)


def test_zeros_and_ones_are_classes_and_gaps_are_filled(made):
    process = study(made(numbers, gap=True))
    reader, filled, *_ = process
    assert reader.parameters["types"] == {"diagnosis": "binominal"}
    assert filled.operator.key == "replace_missing_values"
    assert run(process)[2]["gene0"] == 1.0


def test_ids_and_dates_do_not_take_part_and_categories_become_numbers(made, tmp_path):
    frame = pd.read_csv(made(words))
    frame.insert(0, "patient", [f"P{number}" for number in range(len(frame))])
    frame.insert(1, "sex", ["f", "m"] * (len(frame) // 2))
    frame.insert(2, "sample", [f"S{number}" for number in range(len(frame))])
    frame.to_csv(tmp_path / "clinic.csv", index=False)
    process = study(tmp_path / "clinic.csv")
    reader, coded, *_ = process
    assert reader.parameters["id"] == "patient"
    assert reader.parameters["skip"] == ["sample"]
    assert coded.operator.key == "nominal_to_numerical"
    weights = run(process)[2]
    assert weights["gene0"] == 1.0
    assert not any("patient" in name for name in weights.names)


def test_a_measured_label_is_predicted_as_a_number(made):
    _, curves, weights, _ = run(study(made(measured)))
    assert "root_mean_squared_error" in curves.to_pandas()
    assert weights.top(1) == ("gene0",)


def test_the_label_is_found_by_its_name_or_asked_for(made):
    assert next(iter(study(made(words)))).parameters["label"] == "diagnosis"
    odd = made(words, column="ward", file="odd.csv")
    with pytest.raises(UsageError, match="Which column") as caught:
        study(odd)
    assert "--label" in caught.value.hint
    assert next(iter(study(odd, "ward"))).parameters["label"] == "ward"


@pytest.mark.parametrize("label", ["diagnosis", None])
def test_a_table_too_large_to_be_described_in_passing_is_read(made, label, monkeypatch, tmp_path):
    table = made(numbers, gap=True)
    write_process(study(table, label), tmp_path / "small.xml")
    monkeypatch.setattr(tables, "DESCRIBED_CSV", 100)
    write_process(study(table, label), tmp_path / "large.xml")
    assert (tmp_path / "large.xml").read_text() == (tmp_path / "small.xml").read_text()


def test_wrong_columns_and_files_are_told(made, tmp_path):
    with pytest.raises(UsageError, match='has no column "diagnosi"') as caught:
        study(made(words), "diagnosi")
    assert '"diagnosis"' in caught.value.hint
    with pytest.raises(UsageError, match="There is no file"):
        study(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="fsops cannot read"):
        study(tmp_path / "page.html")


def test_each_suffix_has_its_reader_as_declared(tmp_path):
    registry = plugins().registry
    found = {suffix: spec.key for suffix, (spec, _) in readers(registry).items()}
    assert found[".csv"] == found[".tsv"] == "read_csv"
    assert found[".parquet"] == "read_parquet"
    assert found[".wgt"] == "read_weights"
    assert reader_of(tmp_path / "x.ioo", registry)[0].key == "retrieve"
    assert reader_of(tmp_path / "x.doc", registry) is None
    assert reader_of(tmp_path / "x.arff.gz", registry) is None


def test_a_plugin_does_not_change_how_files_are_read(tmp_path):
    @operator(group="Mine", role="source")
    def read_mine(
        *, file: Annotated[str, File((".txt", ".mine")), Field(description="A file.")]
    ) -> ExampleSet:
        """Read mine"""
        raise NotImplementedError

    mine = replace(read_mine.operator, key="mine:read_mine")
    registry = Registry([mine, *plugins().registry])
    found = {suffix: spec.key for suffix, (spec, _) in readers(registry).items()}
    assert found[".txt"] == "read_csv"
    assert found[".mine"] == "mine:read_mine"


def test_a_label_that_is_set_already_stays(made):
    operator, parameters = reader_of(made(words), plugins().registry)
    assert with_label((operator, parameters | {"label": "gene1"}))[1]["label"] == "gene1"


def test_a_label_of_three_classes_is_studied_to_the_end(made):
    grades = np.array(["low", "middle", "high"])
    _, curves, weights, _ = run(study(made(lambda ill, X: grades[np.arange(40) % 3])))
    assert "Weight by ReliefF" in set(curves.to_pandas()["method"])
    assert len(weights.selected()) == 20


def test_what_tells_the_label_alone_is_noted(made):
    path = made(words)
    table = pd.read_csv(path)
    table.assign(score=np.where(table["diagnosis"] == "ill", 3, 1)).to_csv(path, index=False)
    note = next(iter(study(path))).note.text
    assert 'Careful: "score" gives the class of every row. Leave it out (--skip score)' in note


def test_a_class_too_small_to_learn_is_noted(made):
    path = made(words)
    table = pd.read_csv(path)
    table.loc[0, "diagnosis"] = "rare"
    table.to_csv(path, index=False)
    assert 'the class "rare" has fewer than 3 rows' in next(iter(study(path))).note.text


def test_operators_are_far_enough_apart_for_their_names(made):
    places = {node.name: node.position["x"] for node in study(made(words))}
    assert places["Measure Chance"] - places["Compare Feature Selections"] >= 4 * 26 + 60


def test_few_attributes_are_listed_by_half(made):
    path = made(words)
    pd.read_csv(path)[["gene0", "gene1", "gene2", "gene3", "diagnosis"]].to_csv(path, index=False)
    assert len(run(study(path))[2].selected()) == 2


def test_rows_without_a_label_are_left_out(made):
    process = study(made(lambda ill, X: np.where(np.arange(40) < 3, "", words(ill, X))))
    reader, known, *_ = process
    assert known.operator.key == "filter_examples"
    assert run(process)[2]["gene0"] == 1.0


def test_the_note_of_the_table_tells_what_is_read_from_it(made):
    note = next(iter(study(made(words)))).note
    assert (
        note.text == '40 rows, 60 attributes; "diagnosis" has the classes "ill" (20), "well" (20).'
    )
