"""Blocks of a file read by workers: the same bytes as without them."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from fsops import ExampleSet, run
from fsops.plugins import plugins
from fsops.storage import read_process

pytestmark = pytest.mark.usefixtures("several_threads")

PROCESS = """<process version="fsops-1"><operator class="process" name="Streaming"><process>
<operator class="read_parquet" name="Read">
  <parameter key="path" value="table.parquet"/>
  <parameter key="streaming" value="true"/>
</operator>
<operator class="weight_by_sam" name="SAM"/>
<operator class="select_by_mrmr_cfs" name="MRMR"/>
<operator class="feature_selection_stability_validation" name="Stability">
  <parameter key="iterations" value="3"/>
  <process><operator class="select_by_mrmr_cfs" name="Selection">
    <parameter key="k" value="4"/></operator>
  <connect from_port="examples" to_op="Selection" to_port="examples"/>
  <connect from_op="Selection" from_port="weights" to_port="weights"/></process>
</operator>
<operator class="normalize" name="Scale"/>
<operator class="weight_by_wilcoxon" name="Ranks"/>
<connect from_op="Read" from_port="examples" to_op="Scale" to_port="examples"/>
<connect from_op="Scale" from_port="examples" to_op="Ranks" to_port="examples"/>
<connect from_op="Ranks" from_port="weights" to_port="result 4"/>
<connect from_op="Read" from_port="examples" to_op="SAM" to_port="examples"/>
<connect from_op="Read" from_port="examples" to_op="Stability" to_port="examples"/>
<connect from_op="Read" from_port="examples" to_op="MRMR" to_port="examples"/>
<connect from_op="SAM" from_port="weights" to_port="result 1"/>
<connect from_op="MRMR" from_port="weights" to_port="result 2"/>
<connect from_op="Stability" from_port="weights" to_port="result 3"/>
</process></operator></process>
"""


@pytest.fixture(scope="module")
def process(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streaming")
    rng = np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(20_000, 20)), rng.integers(0, 2, 20_000))
    pq.write_table(table.to_arrow(), folder / "table.parquet", row_group_size=5000)
    (folder / "process.xml").write_text(PROCESS, encoding="utf-8")
    return read_process(folder / "process.xml", plugins().registry)


@pytest.fixture(scope="module")
def alone(process):
    return run(process, memory_limit=2_000_000)


@pytest.mark.parametrize("name", ["threads", "processes", "dask"])
def test_workers_give_the_same_bytes(name, process, alone, engines):
    found = run(process, memory_limit=2_000_000, engine=engines(name))
    for mine, theirs in zip(alone, found, strict=True):
        assert mine.values.tobytes() == theirs.values.tobytes()
        for detail, values in mine.details.items():
            assert values.tobytes() == theirs.details[detail].tobytes()
