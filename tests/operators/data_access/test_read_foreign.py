"""Tables of SPSS, Stata, SAS and R, and studies of them."""

import numpy as np
import pandas as pd
import pytest

from fsops.errors import DataError
from fsops.operators import read_r, read_statistics_file
from fsops.plugins import plugins
from fsops.studies.study import study_process

ROWS = 24


@pytest.fixture
def frame():
    ill = np.arange(ROWS) % 2
    X = np.random.default_rng(0).normal(size=(ROWS, 4))
    X[:, 0] += 3 * ill
    X[3, 2] = np.nan
    table = pd.DataFrame(X, columns=pd.Index(list("abcd"), dtype=object))
    return table.assign(outcome=pd.Series(np.where(ill, "x", "y"), dtype=object))


def write(frame, path):
    if path.suffix == ".dta":
        frame.to_stata(path, write_index=False)
    elif path.suffix in (".sav", ".zsav"):
        pyreadstat = pytest.importorskip("pyreadstat")
        coded = frame.assign(outcome=np.where(frame.outcome == "x", 1.0, 2.0))
        labels = {"outcome": {1.0: "x", 2.0: "y"}}
        pyreadstat.write_sav(
            coded, path, variable_value_labels=labels, compress=path.suffix == ".zsav"
        )
    elif path.suffix == ".xpt":
        pyreadstat = pytest.importorskip("pyreadstat")
        pyreadstat.write_xport(frame, path, file_format_version=5)
    else:
        rdata = pytest.importorskip("rdata")
        if path.suffix == ".rds":
            rdata.write_rds(path, frame)
        else:
            rdata.write_rda(path, {"mine": frame})


@pytest.mark.parametrize("name", ["t.dta", "t.sav", "t.zsav", "t.xpt", "t.rds", "t.rda"])
def test_a_study_reads_the_table(frame, tmp_path, name):
    write(frame, tmp_path / name)
    process = study_process("s", tmp_path / name, "outcome", plugins().registry)
    told = next(iter(process)).note.text
    assert told.startswith('24 rows, 4 attributes; "outcome" has the classes "x" (12), "y" (12).')
    assert "1 value is missing" in told


def test_values_are_those_that_were_written(frame, tmp_path):
    write(frame, tmp_path / "t.dta")
    write(frame, tmp_path / "t.rds")
    for found in (
        read_statistics_file(path=str(tmp_path / "t.dta"), label="outcome"),
        read_r(path=str(tmp_path / "t.rds"), label="outcome"),
    ):
        np.testing.assert_array_equal(found.numeric(), frame[list("abcd")].to_numpy())
        assert found.label.categories == ("x", "y")


def test_what_is_wrong_is_named(frame, tmp_path):
    rdata = pytest.importorskip("rdata")
    (tmp_path / "bad.dta").write_bytes(b"nothing of that kind")
    with pytest.raises(DataError, match='"bad.dta" is not a file of SPSS, Stata or SAS'):
        read_statistics_file(path=str(tmp_path / "bad.dta"))
    rdata.write_rda(tmp_path / "two.rda", {"one": frame, "two": frame})
    with pytest.raises(DataError, match="holds 2 data frames") as found:
        read_r(path=str(tmp_path / "two.rda"))
    assert '"one", "two"' in found.value.hint
    assert len(read_r(path=str(tmp_path / "two.rda"), object="two")) == ROWS
    with pytest.raises(DataError, match='no data frame "tow"'):
        read_r(path=str(tmp_path / "two.rda"), object="tow")
