"""How operators get tables in files, before the run."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from fsops import ExampleSet
from fsops.core.checks.file_passes import passes_over_files
from fsops.core.checks.plan import plan
from fsops.data.pass_costs import TableSize, columns_traffic, moments_traffic
from fsops.plugins import plugins
from fsops.storage import read_process

PROCESS = """<process version="fsops-1"><operator class="process" name="Large"><process>
<operator class="read_parquet" name="Read">
  <parameter key="path" value="table.parquet"/>
  <parameter key="streaming" value="{streaming}"/>
</operator>
<operator class="weight_by_sam" name="SAM"/>
<operator class="normalize" name="Scale"/>
<operator class="weight_by_auc" name="AUC"/>
<operator class="weight_by_relief" name="Relief"/>
<operator class="feature_selection_stability_validation" name="Stability">
  <parameter key="iterations" value="20"/>
  <process><operator class="select_by_mrmr_cfs" name="MRMR">
    <parameter key="k" value="9"/></operator>
  <connect from_port="examples" to_op="MRMR" to_port="examples"/>
  <connect from_op="MRMR" from_port="weights" to_port="weights"/></process>
</operator>
<connect from_op="Read" from_port="examples" to_op="SAM" to_port="examples"/>
<connect from_op="Read" from_port="examples" to_op="Scale" to_port="examples"/>
<connect from_op="Scale" from_port="examples" to_op="AUC" to_port="examples"/>
<connect from_op="Read" from_port="examples" to_op="Relief" to_port="examples"/>
<connect from_op="Relief" from_port="weights" to_port="result 4"/>
<connect from_op="Read" from_port="examples" to_op="Stability" to_port="examples"/>
<connect from_op="SAM" from_port="weights" to_port="result 1"/>
<connect from_op="AUC" from_port="weights" to_port="result 2"/>
<connect from_op="Stability" from_port="weights" to_port="result 3"/>
</process></operator></process>
"""


@pytest.fixture(scope="module")
def passes(tmp_path_factory):
    """Return a function from the limit to the passes over a table of 4 MB."""
    folder = tmp_path_factory.mktemp("large")
    rng = np.random.default_rng(0)
    table = ExampleSet.from_numpy(rng.normal(size=(5000, 100)), ["n", "y"] * 2500)
    pq.write_table(table.to_arrow(), folder / "table.parquet", row_group_size=500)

    def of(limit, streaming="false"):
        file = folder / "process.xml"
        file.write_text(PROCESS.format(streaming=streaming), encoding="utf-8")
        process = read_process(file, plugins().registry)
        found = passes_over_files(plan(process), limit)
        return {each.operator.node.name: each for each in found}

    return of


def test_a_table_that_fits_is_loaded_as_usual(passes):
    assert passes(10**9) == {}


def test_a_table_that_is_too_large_stays_in_its_file(passes):
    found = passes(5_000_000)
    assert {name: each.way for name, each in found.items()} == {
        "SAM": "in blocks",
        "Scale": "by attributes",
        "AUC": "by attributes",
        "Relief": "refused",
        "MRMR": "in blocks",
    }
    assert str(found["AUC"].passes) == "1"
    assert found["AUC"].traffic == columns_traffic(TableSize(5000, 101))
    assert found["SAM"].size == TableSize(5000, 101)
    assert str(found["SAM"].passes) == "1"
    # The moments of 19 resamples are computed in one pass; redundancies of each in 2 to 9.
    assert str(found["MRMR"].passes) == f"{2 + 20 * 2}–{2 + 20 * 9}"


def test_a_table_that_fits_may_be_kept_in_its_file(passes):
    assert {n: e.way for n, e in passes(10**9, "true").items()} == {
        "SAM": "in blocks",
        "Scale": "loaded",
        "AUC": "loaded",
        "Relief": "loaded",
        "MRMR": "in blocks",
    }


def test_far_less_is_sent_than_a_large_table_has():
    size = TableSize(375_000, 2000)
    traffic = moments_traffic(size, sets=10)
    assert traffic.bytes(workers=2) < 0.01 * size.bytes
    # Statistics grow with the attributes, and not with the rows of a table of this size.
    assert moments_traffic(TableSize(4 * 10**5, 2000)).back == moments_traffic(size).back
    assert (traffic + traffic).bytes(3) == 2 * traffic.bytes(3)
