"""A cache that cannot keep anything: said once, and an error if the run relies on it."""

import errno
import os

import pytest

from fsops import run
from fsops.engine.cache import ResultStore
from fsops.errors import StorageError
from fsops.storage import parse_process

PROCESS = b"""<process version="fsops-1"><operator class="process" name="Full"><process>
<operator class="generate_data" name="Data"/>
<operator class="loop" name="Loop"><parameter key="iterations" value="4"/><process>
<operator class="weight_by_correlation" name="Weights"/>
<connect from_port="input 1" to_op="Weights" to_port="examples"/>
<connect from_op="Weights" from_port="weights" to_port="output 1"/>
</process></operator>
<connect from_op="Data" from_port="examples" to_op="Loop" to_port="input 1"/>
<connect from_op="Loop" from_port="output 1" to_port="result 1"/>
</process></operator></process>
"""


@pytest.fixture
def full(monkeypatch):
    """A disk on which files can be made, but not moved to their place."""

    def replace(source, target):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", replace)


def test_a_full_disk_costs_the_cache_but_not_the_run(full, tmp_path):
    outcome = run(parse_process(PROCESS), cache=tmp_path / "cache")
    assert len(outcome[0]) == 4
    said = [warning for warning in outcome.warnings if "could not be cached" in warning.message]
    assert [warning.count for warning in said] == [1]
    assert "no space left on device" in said[0].message


def test_with_resume_it_is_an_error(full, tmp_path, monkeypatch):
    monkeypatch.setenv("FSOPS_CACHE", str(tmp_path / "cache"))
    with pytest.raises(StorageError, match="cannot be cached in .* any more: no space left"):
        run(parse_process(PROCESS), resume=True)


def test_a_store_remembers_why(full, tmp_path):
    store = ResultStore(tmp_path)
    assert not store.put("ab" * 32, 1)
    assert "no space left" in store.failure
    store.required = True
    with pytest.raises(StorageError, match="Free some space"):
        store.put("ab" * 32, 1)
