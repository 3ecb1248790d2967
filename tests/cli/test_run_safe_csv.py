"""``fsops run --safe-csv``."""

import json
import shlex

import pytest


@pytest.mark.parametrize(("option", "cell"), [([], "=1+1"), (["--safe-csv"], "'=1+1")])
def test_a_formula_is_written_as_text_on_request(fsops, small, tmp_path, option, cell):
    table = tmp_path / "data.csv"
    table.write_text("a;y\n1;=1+1\n2;b\n")
    out = tmp_path / "out"
    setting = f"Read.path={table}"
    result = fsops("run", small, "--set", setting, "--until", "Read", "--out", out, *option)
    assert result.exit_code == 0, result.stderr
    cells = (out / "read.examples.csv").read_text().replace("\n", ",").split(",")
    assert cell in cells
    command = shlex.split(json.loads((out / "run.json").read_text())["command"])
    assert ("--safe-csv" in command) == bool(option)
