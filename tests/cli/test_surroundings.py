"""The surroundings of a run do not change its results (catalog: A3)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

QUICKSTART = Path(__file__).resolve().parents[2] / "processes" / "quickstart.xml"
SURROUNDINGS = [
    {"PYTHONHASHSEED": "0", "LANG": "C", "LC_ALL": "C"},
    {"PYTHONHASHSEED": "12345", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"},
    {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2", "TZ": "Pacific/Kiritimati"},
]


@pytest.mark.slow
def test_hash_seed_language_time_zone_and_threads_do_not_matter():
    found = []
    for settings in SURROUNDINGS:
        command = [sys.executable, "-m", "fsops", "run", str(QUICKSTART), "--format", "json"]
        run = subprocess.run(
            command, capture_output=True, env={**os.environ, **settings}, timeout=250, check=True
        )
        found.append(json.dumps(json.loads(run.stdout)["results"]))
    assert len(found[0]) > 100
    assert found[1:] == found[:1] * 2
