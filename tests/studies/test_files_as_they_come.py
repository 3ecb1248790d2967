"""Files as programs write them: each is understood, and the process written for it runs."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fsops import run
from fsops.errors import FsopsError
from fsops.plugins import plugins
from fsops.storage import read_process, write_process
from fsops.studies.study import study_process

ROWS = 24


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    ill = np.arange(ROWS) % 2
    X = rng.normal(size=(ROWS, 6)).round(4)
    X[:, 0] += 4 * ill
    table = pd.DataFrame(
        X, columns=[f"g{j}" for j in range(6)], index=[f"s{i}" for i in range(ROWS)]
    )
    return table.assign(outcome=np.where(ill, "x", "y"))


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Return a function that writes a study of a file, runs it from its file, and gives the note."""
    monkeypatch.chdir(tmp_path)

    def write(name, label="outcome", **settings):
        file = tmp_path / name
        process = study_process(
            "study", file, label, plugins().registry, tmp_path, settings=settings
        )
        write_process(process, tmp_path / "study.xml")
        again = read_process(tmp_path / "study.xml")
        results = run(again)
        reader = next(iter(again))
        assert results[2]["g0"] == 1.0
        assert set(results[2].names) <= {f"g{j}" for j in range(6)} | {"g1.1"}
        return reader.note.text, reader.parameters

    return write


def packed(kind, text, path):
    data = text.encode()
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            file.writestr("table.csv", data)
            file.writestr("__MACOSX/._table.csv", b"x")
    elif kind == "zst":
        with pa.CompressedOutputStream(str(path), "zstd") as file:
            file.write(data)
    else:
        path.write_bytes({"gz": gzip, "bz2": bz2, "xz": lzma}[kind].compress(data))


@pytest.mark.parametrize(
    "name", ["t.csv.gz", "t.tsv.gz", "t.txt.bz2", "t.csv.xz", "t.csv.zst", "t.zip"]
)
def test_compressed_tables_are_read(frame, study, tmp_path, name):
    separator = "\t" if ".tsv" in name else ","
    packed(name.rpartition(".")[2], frame.to_csv(sep=separator, index_label="id"), tmp_path / name)
    told, parameters = study(name)
    assert told.startswith('24 rows, 6 attributes; "outcome" has the classes "x" (12), "y" (12).')
    assert parameters["path"] == name


def series_matrix(frame):
    genes = frame.drop(columns="outcome").T
    quoted = [f'"{name}"' for name in genes.columns]
    lines = [
        '!Series_title\t"A study"',
        "!Sample_title\t" + "\t".join(f'"Patient {i}"' for i in range(len(frame))),
        "!Sample_characteristics_ch1\t" + "\t".join(f'"outcome: {v}"' for v in frame.outcome),
        "!Sample_characteristics_ch1\t" + "\t".join(f'"age: {20 + i}"' for i in range(len(frame))),
        "!series_matrix_table_begin",
        '"ID_REF"\t' + "\t".join(quoted),
        *(
            '"' + name + '"\t' + "\t".join(map(str, row))
            for name, row in zip(genes.index, genes.to_numpy(), strict=True)
        ),
        "!series_matrix_table_end",
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", ["GSE1_series_matrix.txt", "GSE1_series_matrix.txt.gz"])
def test_a_geo_series_matrix_is_read_with_its_characteristics(frame, study, tmp_path, name):
    text = series_matrix(frame).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    told, parameters = study(name)
    assert parameters["path"] == name
    assert '24 rows, 6 attributes; "outcome" has the classes "x" (12), "y" (12).' in told
    odd = tmp_path / "odd.txt"
    odd.write_bytes(text.replace(b"outcome:", b"state:"))
    with pytest.raises(FsopsError, match="Which column") as found:
        study_process("s", odd, None, plugins().registry)
    assert '"state"' in found.value.hint


def test_a_geo_series_matrix_given_to_read_csv_is_named(frame, tmp_path):
    from fsops.operators import read_csv

    (tmp_path / "m.txt").write_text(series_matrix(frame))
    with pytest.raises(
        FsopsError, match="is a GEO series matrix; the table starts at line 6"
    ) as found:
        read_csv(path=str(tmp_path / "m.txt"))
    assert "Read GEO Series Matrix" in found.value.hint


def test_comment_lines_are_skipped(frame, study, tmp_path):
    text = "# exported by LIMS 3.2\n# on Monday\n" + frame.to_csv(sep="\t", index_label="id")
    (tmp_path / "lims.txt").write_text(text)
    told, parameters = study("lims.txt")
    assert parameters["skip_comments"]
    assert 'Lines that start with "#" are skipped.' in told


def test_read_csv_says_how_comment_lines_are_skipped(frame, tmp_path):
    from fsops.operators import read_csv

    file = tmp_path / "lims.txt"
    file.write_text("# exported by LIMS 3.2\n" + frame.to_csv(sep="\t", index_label="id"))
    told = "begins with comment lines; the table starts at line 2"
    with pytest.raises(FsopsError, match=told) as found:
        read_csv(path=str(file), label="outcome")
    assert found.value.hint == 'Skip lines that start with "#": set skip_comments.'
    read = read_csv(path=str(file), label="outcome", id="id", skip_comments=True)
    np.testing.assert_allclose(read.column("g1"), frame.g1)


@pytest.mark.parametrize("label", [None, "class"])
def test_files_that_name_their_label_themselves_are_read(frame, tmp_path, label):
    lines = [
        f"{int(row.outcome == 'x')} " + " ".join(f"{j + 1}:{row[f'g{j}']}" for j in range(6))
        for _, row in frame.iterrows()
    ]
    (tmp_path / "t.svm").write_text("\n".join(lines) + "\n")
    process = study_process("s", tmp_path / "t.svm", label, plugins().registry)
    told = next(iter(process)).note.text
    assert '24 rows, 6 attributes; "class" has the classes "0" (12), "1" (12).' in told


def test_anndata_files_are_read(frame, study, tmp_path):
    pytest.importorskip("h5py")
    from fsops import ExampleSet
    from fsops.storage.anndata_file import write_anndata_table

    examples = ExampleSet.from_pandas(frame.reset_index(names="sample"))
    roles = {"outcome": "label", "sample": "id"}
    write_anndata_table(examples.with_roles(roles), str(tmp_path / "cells.h5ad"))
    told, parameters = study("cells.h5ad")
    assert parameters["path"] == "cells.h5ad"
    assert '24 rows, 6 attributes; "outcome" has the classes "x" (12), "y" (12).' in told


@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_tables_of_r_with_row_names_and_a_short_header_are_read(frame, study, tmp_path, separator):
    frame.to_csv(tmp_path / "r.txt", sep=separator, quoting=2, index_label=False)
    told, parameters = study("r.txt")
    assert 'The id of the rows is "row.names"' in told or "row.names" in parameters.get(
        "id", "row.names"
    )
    assert "24 rows, 6 attributes" in told


def test_a_wide_table_of_r_is_read_and_a_wrong_name_gets_a_short_answer(tmp_path):
    rng = np.random.default_rng(1)
    t = (
        pd.DataFrame(rng.normal(size=(30, 1500)).round(3))
        .add_prefix("g")
        .assign(outcome=["a", "b"] * 15)
    )
    t.to_csv(tmp_path / "wide.txt", sep=" ", quoting=2, index_label=False)
    process = study_process("s", tmp_path / "wide.txt", "outcome", plugins().registry)
    assert "30 rows, 1500 attributes" in next(iter(process)).note.text
    with pytest.raises(FsopsError, match='has no column "outcom"') as found:
        study_process("s", tmp_path / "wide.txt", "outcom", plugins().registry)
    assert len(str(found.value)) < 500


def test_genes_in_rows_are_exchanged(frame, study, tmp_path):
    frame[["outcome", *frame.columns[:-1]]].T.to_csv(tmp_path / "genes.csv", index_label="gene")
    told, parameters = study("genes.csv")
    assert parameters["transpose"]
    assert "The file has attributes in rows: rows and columns are exchanged." in told
    assert '"outcome" has the classes "x" (12), "y" (12)' in told


def test_genes_in_rows_without_a_row_of_classes_get_a_hint(tmp_path):
    rng = np.random.default_rng(0)
    genes = pd.DataFrame(rng.normal(size=(50, 6)), index=[f"gene{i}" for i in range(50)])
    genes.add_prefix("s").to_csv(tmp_path / "genes.csv", index_label="gene")
    with pytest.raises(FsopsError, match='has no column "outcome"') as found:
        study_process("s", tmp_path / "genes.csv", "outcome", plugins().registry)
    assert (
        'The rows look like genes: add a row "outcome" with the class of each column; then rows '
        "and columns are exchanged."
    ) in found.value.hint


def test_annotations_of_genes_in_rows_are_left_out(frame, study, tmp_path):
    table = frame[["outcome", *frame.columns[:-1]]].T
    table.insert(0, "Gene Symbol", ["", *"ABCDEF"])
    table.insert(1, "ENTREZ_GENE_ID", ["", *range(100, 106)])
    text = "#ID = probe\n#VALUE = log2\n" + table.to_csv(sep="\t", index_label="ID_REF")
    (tmp_path / "annotated.txt").write_text(text)
    told, parameters = study("annotated.txt")
    assert "24 rows, 6 attributes" in told
    assert parameters["transpose"]
    assert parameters["skip_comments"]


@pytest.mark.parametrize("how", ["number", "mean", "first"])
def test_columns_with_the_same_name_are_made_unique_averaged_or_the_first_taken(
    frame, tmp_path, how
):
    from fsops.operators import read_csv

    table = frame.rename(columns={"g2": "g1"})
    table.to_csv(tmp_path / "twice.csv", index_label="id")
    found = read_csv(path=str(tmp_path / "twice.csv"), id="id", label="outcome", duplicates=how)
    if how == "number":
        np.testing.assert_allclose(found.column("g1.1"), frame.g2)
    expected = (frame.g1 + frame.g2) / 2 if how == "mean" else frame.g1
    np.testing.assert_allclose(found.column("g1"), expected)
    assert ("g1.1" in found.names) == (how == "number")
    assert found.names[:3] == ("id", "g0", "g1")


def test_a_study_numbers_equal_names_unless_told_otherwise(frame, study, tmp_path):
    frame.rename(columns={"g2": "g1"}).to_csv(tmp_path / "twice.csv", index_label="id")
    assert "Columns with the same name are numbered." in study("twice.csv")[0]
    assert "Columns with the same name are averaged." in study("twice.csv", duplicates="mean")[0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_byte_order_marks_and_decimal_commas_are_understood(frame, study, tmp_path, encoding):
    frame.index = [f"ä{i}" for i in range(ROWS)]
    frame.to_csv(tmp_path / "de.csv", sep=";", decimal=",", encoding=encoding, index_label="id")
    told, parameters = study("de.csv")
    assert parameters["decimal_character"] == ","
    assert "Numbers have a decimal comma." in told


def test_a_title_above_the_table_of_a_workbook_is_skipped(frame, study, tmp_path):
    pytest.importorskip("openpyxl")
    frame.to_excel(tmp_path / "book.xlsx", index_label="id", startrow=2)
    from openpyxl import load_workbook

    book = load_workbook(tmp_path / "book.xlsx")
    book.active["A1"] = "Study of 24 patients"
    book.save(tmp_path / "book.xlsx")
    assert "24 rows, 6 attributes" in study("book.xlsx")[0]


def test_missing_values_are_counted(frame, study, tmp_path):
    frame.iloc[2:5, 3] = np.nan
    frame.iloc[7, 4] = np.nan
    frame.to_csv(tmp_path / "gaps.csv", index_label="id")
    told, _ = study("gaps.csv")
    assert '4 values are missing, in "g3", "g4": replaced by the mean' in told


def test_a_table_of_two_rows_is_too_small(frame, tmp_path):
    frame.iloc[:2].to_csv(tmp_path / "two.csv")
    with pytest.raises(FsopsError, match="has 2 rows; too few for training"):
        study_process("s", tmp_path / "two.csv", "outcome", plugins().registry)


def test_a_zip_of_several_files_is_refused_by_name(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as file:
        for number in range(15):
            file.writestr(f"part{number}.csv", "a,b\n1,2\n")
    with pytest.raises(FsopsError, match="holds 15 files, but a table is one file") as found:
        study_process("s", tmp_path / "t.zip", "a", plugins().registry)
    assert "part0.csv" in found.value.hint
    assert len(str(found.value)) < 400


def test_a_small_file_that_unpacks_to_very_much_is_refused(tmp_path, monkeypatch):
    from fsops.operators import read_csv

    monkeypatch.setenv("FSOPS_FILE_LIMIT", "1 MB")
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 500_000))
    with pytest.raises(FsopsError, match="unpacks to more than"):
        read_csv(path=str(tmp_path / "bomb.csv.gz"))


def test_a_damaged_compressed_file_is_named(tmp_path):
    from fsops.operators import read_csv

    (tmp_path / "cut.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 5000)[:-30])
    with pytest.raises(FsopsError, match="compressed, but damaged or incomplete"):
        read_csv(path=str(tmp_path / "cut.csv.gz"))


def test_an_unknown_format_names_those_that_can_be_read(tmp_path):
    (tmp_path / "x.mat").write_bytes(b"x")
    with pytest.raises(FsopsError, match='fsops cannot read ".*x.mat"') as found:
        study_process("s", tmp_path / "x.mat", "a", plugins().registry)
    assert found.value.hint.startswith("Supported: ")
