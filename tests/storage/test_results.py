"""Results as files."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from fsops import AttributeWeights, Collection, Criterion, ExampleSet, FlowObject, PerformanceVector
from fsops.data import ConfusionMatrix
from fsops.errors import StorageError
from fsops.operators import naive_bayes
from fsops.plugins import Writer, plugins
from fsops.plugins.manager import Plugins
from fsops.storage import results
from fsops.storage.results import as_json, file_stem, json_text, prepare_folder, write_results


def write(folder, **values):
    return write_results(list(values.values()), list(values), folder, plugins())


@pytest.fixture
def weights():
    return AttributeWeights(
        ["a", 'b,"x"\n', "ä"], [0.1 + 0.2, np.nan, np.inf], details={"p_value": [1e-300, 0.5, 1.0]}
    )


def test_weights_keep_every_bit(tmp_path, weights):
    (file,) = write(tmp_path, W=weights)
    assert file.file == "w.csv"
    frame = pd.read_csv(tmp_path / "w.csv")
    assert frame["attribute"].tolist() == ["ä", "a", 'b,"x"\n']
    assert frame["weight"].tolist()[:2] == [np.inf, 0.1 + 0.2]
    assert np.isnan(frame["weight"][2])
    assert frame["p_value"].tolist() == [1.0, 1e-300, 0.5]


def test_a_table_keeps_types_and_roles(tmp_path, two_classes):
    files = write(tmp_path, T=two_classes)
    assert [f.file for f in files] == ["t.csv", "t.parquet"]
    assert ExampleSet.from_arrow(pq.read_table(tmp_path / "t.parquet")).equals(two_classes)


def test_a_large_table_has_no_csv(tmp_path, two_classes, monkeypatch):
    monkeypatch.setattr(results, "SMALL_TABLE", 10)
    assert [f.file for f in write(tmp_path, T=two_classes)] == ["t.parquet"]


def test_performance(tmp_path):
    performance = PerformanceVector(
        [Criterion("accuracy", (0.5, 1.0)), Criterion("kappa", (np.nan,))],
        confusion=ConfusionMatrix(("n", "y"), np.array([[1, 2], [3, 4]])),
    )
    write(tmp_path, P=performance)
    document = json.loads((tmp_path / "p.json").read_text())
    assert document["criteria"][0]["mean"] == 0.75
    assert document["criteria"][0]["values"] == [0.5, 1.0]
    assert document["criteria"][1]["mean"] is None
    assert document["confusion"] == {"classes": ["n", "y"], "counts": [[1, 2], [3, 4]]}


def test_model(tmp_path, two_classes):
    write(tmp_path, M=naive_bayes(two_classes))
    document = json.loads((tmp_path / "m.json").read_text())
    assert document["name"] == "Naive Bayes"
    assert document["label"]["categories"] == ["no", "yes"]
    assert len(document["attributes"]) == 6


def test_a_collection_is_spread_over_files(tmp_path, weights):
    files = write(tmp_path, C=Collection([weights] * 10), D=Collection([Collection([weights])]))
    names = [file.file for file in files]
    assert names[0] == "c.01.csv"
    assert names[-1] == "d.1.1.csv"
    assert {file.result for file in files} == {"C", "D"}


class Pathway(FlowObject):
    title = "Pathway"


class Steps(FlowObject):
    def to_pandas(self):
        return pd.DataFrame({"when": pd.to_datetime(["2020-01-01"]), "n": [1], "x": [None]})


def test_anything_else(tmp_path):
    assert [f.file for f in write(tmp_path, A=Pathway(), B=Steps())] == ["a.json", "b.csv"]
    assert json.loads((tmp_path / "a.json").read_text()) == {"type": "Pathway", "text": "<Pathway>"}
    assert (tmp_path / "b.csv").read_text() == "when,n,x\n2020-01-01,1,\n"
    assert as_json(Steps())["rows"] == [{"when": "2020-01-01 00:00:00", "n": 1, "x": None}]


def test_the_first_rows_of_a_table_as_json(two_classes):
    document = as_json(two_classes)
    assert document["rows"] == 40
    assert len(document["first_rows"]) == 10
    assert document["attributes"][-1] == {
        "name": "label", "type": "binominal", "role": "label", "categories": ["no", "yes"],
    }  # fmt: skip
    json.loads(json_text(document))


def test_equal_results_give_equal_bytes(tmp_path, weights, two_classes):
    one, two = (write(tmp_path, W=weights, T=two_classes, M=naive_bayes(two_classes)) for _ in "12")
    assert one == two


def test_same_names_get_numbers(tmp_path, weights):
    files = write_results([weights] * 3, ["A.w", "a w", "A/w"], tmp_path, plugins())
    assert [f.file for f in files] == ["a.w.csv", "a_w.csv", "a_w_2.csv"]


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("Cross Validation.model", "cross_validation.model"),
        ("../../etc/passwd", "etc_passwd"),
        ("a\x00b\n/c:d*", "a_b_c_d"),
        ("...", "result"),
        ("CON.weights", "_con.weights"),
        ("Größe 日本", "größe_日本"),
        ("x" * 400, "x" * 150),
        ("日" * 100, "日" * 50),
    ],
)
def test_file_names_are_safe(name, stem):
    assert file_stem(name) == stem


def test_no_result_takes_the_place_of_the_record(tmp_path, weights):
    assert write(tmp_path, run=Pathway())[0].file == "run_2.json"


def test_a_failure_changes_nothing(tmp_path, weights):
    (tmp_path / "a.csv").write_text("old")

    def fail(value, path):
        path.write_text("half")
        raise RuntimeError("boom")

    found = Plugins(writers=[*plugins().writers, Writer(Pathway, ".p", fail)])
    with pytest.raises(StorageError, match=r"Pathway cannot be written \(RuntimeError: boom\)"):
        write_results([weights, Pathway()], ["a", "b"], tmp_path, found)
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]
    assert (tmp_path / "a.csv").read_text() == "old"


def test_a_writer_of_a_plugin_wins_and_may_write_several_files(tmp_path):
    def put(value, path):
        path.write_text("one")
        path.with_suffix(".more").write_text("two")

    found = Plugins(writers=[*plugins().writers, Writer(Pathway, ".p", put)])
    files = write_results([Pathway()], ["a"], tmp_path, found)
    assert [f.file for f in files] == ["a.more", "a.p"]
    assert files[1].bytes == 3


def test_an_unusable_folder(tmp_path, weights):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written: file exists"):
        prepare_folder(tmp_path / "file")
    with pytest.raises(StorageError, match="no such file or directory"):
        write(tmp_path / "gone", W=weights)


def test_the_folder_is_made_and_left_empty(tmp_path):
    prepare_folder(tmp_path / "a" / "b")
    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_built_in_writers_are_registered():
    assert all(writer in plugins().writers for writer in results.fsops_writers())


def test_a_spreadsheet_executes_no_cell_of_a_safe_file(tmp_path):
    frame = pd.DataFrame(
        {"=name": ["=1+1", "-5", "plain"], "x": [-1.5, 2.0, np.nan], "@t": ["+a", None, "-b"]}
    )
    weights = AttributeWeights(["=cmd()", "b"], [-1.0, 0.5])
    values, names = [ExampleSet.from_pandas(frame), weights], ["table", "weights"]
    write_results(values, names, tmp_path, plugins(), safe=True)
    assert (tmp_path / "table.csv").read_text().splitlines() == [
        "'=name,x,'@t",
        "'=1+1,-1.5,'+a",
        "-5,2.0,",
        "plain,,'-b",
    ]
    assert "\n'=cmd(),-1.0\n" in (tmp_path / "weights.csv").read_text()
    assert pq.read_table(tmp_path / "table.parquet").column_names == ["=name", "x", "@t"]
    write_results(values, names, tmp_path, plugins())
    assert "\n=1+1," in (tmp_path / "table.csv").read_text()
