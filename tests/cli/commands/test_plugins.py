"""``fsops plugins``."""

import json
import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from fsops.plugins import PluginProblem, manager, plugins
from fsops.plugins.manager import PluginInfo
from fsops.version import __version__

BROKEN = PluginProblem(PluginInfo("relief", "fsops-relief", "0.1"), "No module named 'x'")


def test_list(fsops):
    result = fsops("plugins", "list")
    assert result.exit_code == 0
    assert "builtin" in result.stdout
    assert "terminal" in result.stdout


def test_without_a_command_those_that_there_are_are_named(fsops):
    result = fsops("plugins")
    assert result.exit_code == 2
    assert 'No subcommand given. Choose one of "list", "disable", "enable", "new".' in result.stderr


def test_list_names_what_is_broken(fsops, monkeypatch):
    monkeypatch.setattr(plugins(), "problems", [BROKEN])
    shown = fsops("plugins", "list").stdout
    assert "Problem: Plugin relief (fsops-relief 0.1): No module named 'x'" in shown
    document = json.loads(fsops("plugins", "list", "--format", "json").stdout)
    assert document["problems"][0]["reason"] == "No module named 'x'"
    builtin = {"name": "builtin", "distribution": "fsops", "version": __version__}
    assert builtin in document["plugins"]


@pytest.fixture
def skeleton(fsops, tmp_path):
    result = fsops("plugins", "new", "mine", "--in", tmp_path)
    assert result.exit_code == 0, result.output
    return result


def test_new_writes_a_package(skeleton, tmp_path):
    written = [line for line in skeleton.stdout.splitlines() if str(tmp_path) in line]
    assert any(line.endswith("pyproject.toml") for line in written)
    assert f'Test it: pytest "{tmp_path / "fsops-mine"}"' in skeleton.stdout


def test_new_never_replaces(skeleton, refused, tmp_path):
    assert "exists" in refused(2, "plugins", "new", "mine", "--in", tmp_path)


def test_its_module_can_be_imported(skeleton, tmp_path):
    modules = [p for p in tmp_path.rglob("*.py") if "test" not in str(p.relative_to(tmp_path))]
    for module in modules:
        subprocess.run([sys.executable, "-m", "py_compile", module], check=True)


def test_a_plugin_is_disabled_and_enabled_in_the_configuration(fsops, monkeypatch, tmp_path):
    file = tmp_path / "config.toml"
    monkeypatch.setenv("FSOPS_CONFIG", str(file))
    monkeypatch.setattr(manager, "_installed", lambda: [EntryPoint("mine", "fsops_mine", "fsops")])
    assert "disabled from the next start" in fsops("plugins", "disable", "mine").stdout
    assert 'disabled = ["mine"]' in file.read_text(encoding="utf-8")
    assert "enabled from the next start" in fsops("plugins", "enable", "mine").stdout
    assert "mine" not in file.read_text(encoding="utf-8")


def test_a_plugin_that_is_not_installed_cannot_be_disabled(refused, monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setattr(manager, "_installed", lambda: [EntryPoint("mine", "fsops_mine", "fsops")])
    assert 'Did you mean "mine"?' in refused(2, "plugins", "disable", "mime")


def test_a_disabled_plugin_is_listed_and_not_loaded(monkeypatch):
    entry = EntryPoint("mine", "fsops_mine", "fsops")
    monkeypatch.setattr(manager, "_installed", lambda: [entry])
    monkeypatch.setenv(manager.BLOCK_VARIABLE, "mine")
    found = plugins.__wrapped__()
    assert [info.name for info in found.disabled] == ["mine"]
    assert found.loaded == []
