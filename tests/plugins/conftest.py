"""Installs plugins for a test: real distribution records in a folder of their own."""

import importlib
import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Install = Callable[..., None]


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that Python imports from, empty at first."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if str(folder) in str(getattr(sys.modules[name], "__file__", None)):
            del sys.modules[name]


@pytest.fixture
def install(site: Path) -> Install:
    """Return a function that installs a plugin with the given code."""

    def install_plugin(
        name: str, code: str, *, version: str = "1.2.3", module: str = "", entry: str = ""
    ) -> None:
        imported = module or f"plugin_{name}"
        if code:
            (site / f"{imported}.py").write_text(code, encoding="utf-8")
        record = site / f"fsops_{name}-{version}.dist-info"
        record.mkdir()
        about = f"Metadata-Version: 2.1\nName: fsops-{name}\nVersion: {version}\n"
        (record / "METADATA").write_text(about, encoding="utf-8")
        entries = f"[fsops]\n{entry or name} = {imported}\n"
        (record / "entry_points.txt").write_text(entries, encoding="utf-8")
        importlib.invalidate_caches()

    return install_plugin


@pytest.fixture
def entries(site: Path) -> Callable[[], list[importlib.metadata.EntryPoint]]:
    """Return a function that returns the entry points of the installed plugins, without ours."""

    def find() -> list[importlib.metadata.EntryPoint]:
        found = importlib.metadata.distributions(path=[str(site)])
        return [entry for d in found for entry in d.entry_points if entry.group == "fsops"]

    return find
