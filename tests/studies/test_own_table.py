"""How somebody's own table is to be read."""

import numpy as np
import pandas as pd
import pytest

from fsops.errors import UsageError
from fsops.plugins import plugins
from fsops.studies.layout import read_table
from fsops.studies.own_table import own_table, remarks

ROWS = 40


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    genes = pd.DataFrame(rng.normal(size=(ROWS, 5)), columns=[f"gene{j}" for j in range(5)])
    return genes.assign(diagnosis=np.where(np.arange(ROWS) % 2, "ill", "well"))


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a table and gives the parameters to read it, and what is told."""

    def write(frame, label=None, **layout):
        frame.to_csv(tmp_path / "table.csv", index=False, **layout)
        reader, known, reasons = own_table(tmp_path / "table.csv", label, plugins().registry)
        return reader[1], remarks(reader, known, reasons), known

    return write


def test_semicolons_decimal_commas_and_umlauts_of_a_german_spreadsheet_are_read(frame, read):
    frame = frame.rename(columns={"gene0": "Größe"})
    parameters, told, known = read(frame, sep=";", decimal=",", encoding="latin-1")
    assert parameters["decimal_character"] == ","
    assert parameters["encoding"] == "latin-1"
    assert "skip" not in parameters
    assert len(known.schema.regular_numerical) == 5
    assert "Größe" in known.schema
    assert "decimal comma" in told


def test_decimal_commas_that_cannot_be_told_from_separators_are_refused(frame, read):
    genes = [f"gene{j}" for j in range(5)]
    frame[genes] = frame[genes].map(lambda number: f"{number:.5f}".replace(".", ","))
    with pytest.raises(UsageError, match="no column to select from") as caught:
        read(frame)
    assert "semicolons" in caught.value.hint


def test_words_for_missing_among_numbers_are_missing(frame, read):
    frame = frame.astype({"gene1": object})
    frame.loc[3, "gene1"] = "n/a"
    parameters, told, known = read(frame)
    assert "n/a" in parameters["missing_values"]
    assert "NA" in parameters["missing_values"]  # as before
    assert known.missing == {"gene1"}
    assert 'Also taken as missing: "n/a".' in told


def test_a_gene_with_other_text_in_it_is_left_out_and_told_but_never_the_id(frame, read):
    frame = frame.astype({"gene1": object})
    frame.loc[3, "gene1"] = "<0.01"
    parameters, told, _ = read(frame)
    assert "id" not in parameters
    assert parameters["skip"] == ["gene1"]
    assert 'Left out: "gene1" (text among numbers, such as "<0.01"' in told


def test_numbers_with_a_unit_are_left_out_and_told_but_never_the_id(frame, read):
    frame["gene1"] = [f"{value:.3f} mg" for value in frame["gene1"]]
    parameters, told, known = read(frame)
    assert "id" not in parameters
    assert parameters["skip"] == ["gene1"]
    assert '"gene1" (numbers with a unit, such as "' in told


def test_columns_without_any_value_are_left_out(frame, read):
    frame["gene2"] = np.nan
    parameters, told, known = read(frame)
    assert parameters["skip"] == ["gene2"]
    assert 'Left out: "gene2" (no values).' in told
    assert not known.missing


def test_rows_without_a_label_are_counted(frame, tmp_path):
    frame.loc[:2, "diagnosis"] = None
    frame.to_csv(tmp_path / "table.csv", index=False)
    reader, known, reasons = own_table(tmp_path / "table.csv", None, plugins().registry)
    told = remarks(reader, known, reasons, read_table(reader))
    assert '3 rows have no value in "diagnosis" and are left out.' in told


def test_numbers_of_the_rows_are_the_id_and_dates_are_left_out(frame, read):
    frame.insert(0, "patient_id", np.arange(ROWS) * 7 + 100)
    frame.insert(1, "admitted", [f"{1 + j % 28:02}.01.2020" for j in range(ROWS)])
    parameters, told, known = read(frame)
    assert parameters["id"] == "patient_id"
    assert parameters["skip"] == ["admitted"]
    assert known.schema.regular_names == tuple(f"gene{j}" for j in range(5))
    assert told == (
        '40 rows, 5 attributes; "diagnosis" has the classes "ill", "well". '
        'The id of the rows is "patient_id". Left out: "admitted" (dates).'
    )


def test_the_row_numbers_that_r_and_pandas_write_are_the_id(frame, read):
    frame.insert(0, "", np.arange(ROWS))
    assert read(frame)[0]["id"] == "row.names"


def test_counts_of_a_gene_are_no_id(frame, read):
    frame.insert(0, "reads", np.random.default_rng(1).permutation(1000)[:ROWS])
    assert "id" not in read(frame)[0]


def test_columns_that_may_be_the_label_are_named_first(frame, read):
    frame = frame.rename(columns={"diagnosis": "ward"})
    with pytest.raises(UsageError) as caught:
        read(frame[["gene0", "gene1", "ward", "gene2"]])
    assert 'there are "gene2", "ward", "gene0"' in caught.value.hint


def test_a_label_that_cannot_be_learned_is_refused(frame, read):
    with pytest.raises(UsageError, match='All rows have "ill" in "diagnosis"'):
        read(frame.assign(diagnosis="ill"))
    names = frame.assign(gene=[f"G{j}" for j in range(ROWS)])
    with pytest.raises(UsageError, match="Nearly every row") as caught:
        read(names, "gene")
    assert "in R with t()" in caught.value.hint
