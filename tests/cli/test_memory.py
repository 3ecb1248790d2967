"""``--memory-limit``: amounts of memory, and runs that keep to them."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from fsops import ExampleSet
from fsops.errors import UsageError
from fsops.memory import parse_size

PROCESS = """<process version="fsops-1"><operator class="process" name="Streaming"><process>
<operator class="read_parquet" name="Read">
  <parameter key="path" value="table.parquet"/>
  <parameter key="streaming" value="{streaming}"/>
</operator>
<operator class="{key}" name="Weigh"/>
<connect from_op="Read" from_port="examples" to_op="Weigh" to_port="examples"/>
<connect from_op="Weigh" from_port="weights" to_port="result 1"/>
</process></operator></process>
"""


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1GB", 10**9),
        ("1.5 GiB", 3 * 2**29),
        ("500mb", 5 * 10**8),
        ("2G", 2 * 10**9),
        ("1000000", 10**6),
        (" 1 TB ", 10**12),
    ],
)
def test_amounts_are_read_as_people_write_them(text, size):
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1e9", "1 XB", "1,5GB", "100kB", "0", "inf"])
def test_other_amounts_are_refused_with_an_example(text):
    with pytest.raises(UsageError, match="1GB|1MB"):
        parse_size(text)


@pytest.fixture
def process(tmp_path):
    """Return a function that writes a process over a table of some 3 MB."""
    rng = np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(6000, 60)), np.array(["n", "y"] * 3000))
    pq.write_table(table.to_arrow(), tmp_path / "table.parquet", row_group_size=1000)

    def write(key, streaming="true"):
        file = tmp_path / f"{key}_{streaming}.xml"
        file.write_text(PROCESS.format(key=key, streaming=streaming), encoding="utf-8")
        return file

    return write


def test_a_table_beyond_the_limit_is_filtered(fsops, process, tmp_path):
    run = ("run", process("weight_by_sam"), "--format", "json", "--out", tmp_path / "out")
    streamed = fsops(*run, "--memory-limit", "2MB")
    assert streamed.exit_code == 0, streamed.stderr
    plain = fsops("run", process("weight_by_sam", "false"), "--format", "json")
    found, expected = (json.loads(r.stdout)["results"][0] for r in (streamed, plain))
    for a, b in zip(found["weights"], expected["weights"], strict=True):
        assert a["attribute"] == b["attribute"]
        assert a["weight"] == pytest.approx(b["weight"], rel=1e-10)
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    assert "--memory-limit 2000000" in record["command"]


def test_what_does_not_fit_is_told_in_a_sentence(process, refused):
    message = refused(1, "run", process("weight_by_relief"), "--memory-limit", "2MB", "--quiet")
    assert "Weigh: The table would take 2.9 MB of memory, but the limit is 2 MB" in message


def test_a_wrong_amount_is_told(process, refused):
    message = refused(2, "run", process("weight_by_auc"), "--memory-limit", "plenty")
    assert '"plenty" is not an amount of memory; write 500MB, 1GB or 2GiB.' in message
