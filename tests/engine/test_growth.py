"""A long loop costs memory only for its results."""

import gc
import tracemalloc

from fsops import run
from fsops.storage import parse_process

PROCESS = """<process version="fsops-1"><operator class="process" name="Long"><process>
<operator class="generate_data" name="Data"/>
<operator class="loop" name="Loop"><parameter key="iterations" value="{count}"/><process>
<operator class="weight_by_correlation" name="Weights"/>
<connect from_port="input 1" to_op="Weights" to_port="examples"/>
</process></operator>
<connect from_op="Data" from_port="examples" to_op="Loop" to_port="input 1"/>
<connect from_op="Data" from_port="examples" to_port="result 1"/>
</process></operator></process>
"""


def peak(count):
    """Return the most bytes in use during a loop whose results nothing uses."""
    process = parse_process(PROCESS.format(count=count).encode())
    gc.collect()
    tracemalloc.start()
    try:
        run(process, summarize=False)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_an_iteration_whose_result_is_not_used_leaves_hardly_a_byte():
    peak(10)  # caches fill
    grown = (peak(500) - peak(100)) / 400
    assert grown < 500  # bytes; it was 1,360 when the changes of each iteration were kept
