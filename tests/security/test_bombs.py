"""Small files that declare gigabytes: refused in a sentence, without taking the memory."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("openpyxl")
PROGRAM = Path(__file__).with_name("bombs.py")
CEILING = 300
"""MB above the memory before the file."""


def started(folder, step):
    environment = {k: v for k, v in os.environ.items() if k != "FSOPS_FILE_LIMIT"}
    done = subprocess.run(
        [sys.executable, PROGRAM, folder, step],
        capture_output=True, text=True, timeout=300, check=False, env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("bombs")
    started(made, "make")
    return made


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory in kilobytes")
@pytest.mark.parametrize("step", ["validate", "read"])
def test_no_bomb_takes_more_than_the_ceiling(folder, step):
    report = json.loads(started(folder, step))
    assert len(report) >= 30
    assert {name: told for name, told in report.items() if told[0] > CEILING} == {}
    if step == "read":
        refused = [text for _, text in report.values() if text != "read"]
        assert len(refused) >= 20
        assert not [text for text in refused if "damaged" in text and "parquet" in text]
        assert sum(" MB" in text or " GB" in text or " TB" in text for text in refused) >= 15
