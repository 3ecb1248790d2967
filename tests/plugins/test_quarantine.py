"""A plugin whose import cannot be survived is named and switched off, until it changes."""

import json
import os
import re

import pytest

from fsops.plugins import manager, quarantine

GOOD = """
from fsops import AttributeWeights, hookimpl, operator

@operator(group="Testing", role="weighting")
def nothing(weights: AttributeWeights) -> AttributeWeights:
    \"\"\"Nothing\"\"\"
    return weights

@hookimpl
def fsops_operators():
    return [nothing]
"""
FATAL = {
    "import os; os._exit(3)": r"ended the program \(exit code 3\)",
    "import os; os._exit(0)": r"ended the program \(exit code 0\)",
    "import ctypes; ctypes.string_at(0)": r"crashed \(SIGSEGV\)",
    "raise KeyboardInterrupt": "raised KeyboardInterrupt",
    "raise MemoryError": "raised MemoryError",
    "while True: pass": "took more than 1 seconds",
}


@pytest.fixture(autouse=True)
def remembered(tmp_path, monkeypatch):
    """Return the file of verdicts, of this test only."""
    monkeypatch.setenv("FSOPS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / quarantine.FILE


@pytest.fixture
def untried(monkeypatch):
    """Forbid to start a child."""
    return lambda: monkeypatch.setattr(quarantine, "_tried", lambda entry: pytest.fail("tried"))


@pytest.fixture
def loaded(monkeypatch):
    """Return a function that loads plugins as the program does."""

    def load(entries):
        monkeypatch.setattr(manager, "_installed", lambda: entries)
        return manager.plugins.__wrapped__()

    return load


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals work differently there")
@pytest.mark.parametrize("code", FATAL)
def test_a_fatal_import_is_survived_named_and_remembered(
    code, install, entries, loaded, untried, monkeypatch
):
    monkeypatch.setattr(quarantine, "SECONDS", 1.0)
    install("fatal", code)
    install("good", GOOD)
    found = loaded(entries())
    assert [info.name for info in found.loaded] == ["good"]
    (problem,) = found.problems
    assert problem.plugin.distribution == "fsops-fatal"
    assert problem.plugin.version == "1.2.3"
    assert re.search(FATAL[code], problem.reason)
    assert "switched off until it changes" in problem.reason
    untried()
    assert [p.reason for p in loaded(entries()).problems] == [problem.reason]


def test_an_ordinary_error_is_left_to_the_loader(install, entries, loaded, remembered):
    install("missing", "import a_library_that_is_not_installed")
    found = loaded(entries())
    assert "ModuleNotFoundError" in found.problems[0].reason
    # The library may be installed later, which does not change the plugin.
    assert list(json.loads(remembered.read_text()).values()) == [""]


def test_a_plugin_that_changes_is_tried_again(install, site, entries, monkeypatch):
    tried = []
    monkeypatch.setattr(quarantine, "_tried", lambda entry: tried.append(entry.name) or "Bad.")
    install("mine", GOOD)
    for _ in range(2):
        good, refused = quarantine.inspected(entries())
        assert not good
        assert [each.reason for each in refused] == [f"Bad. {quarantine.OFF}"]
    assert tried == ["mine"]
    (site / "plugin_mine.py").write_text(GOOD + "\n# fixed\n")
    quarantine.inspected(entries())
    assert tried == ["mine", "mine"]


def test_damaged_verdicts_count_as_none(install, entries, remembered, monkeypatch):
    monkeypatch.setattr(quarantine, "_tried", lambda entry: "")
    install("mine", GOOD)
    remembered.parent.mkdir()
    for text in ("", "[1, 2]", '"x"', "{", "\xff"):
        remembered.write_text(text)
        good, refused = quarantine.inspected(entries())
        assert len(good) == 1
        assert not refused


def test_without_plugins_of_others_nothing_is_inspected(loaded, monkeypatch):
    monkeypatch.setattr(quarantine, "inspected", lambda entries: pytest.fail("inspected"))
    ours = [e for e in manager._installed() if e.value.startswith("fsops.")]
    assert loaded(ours).problems == []
