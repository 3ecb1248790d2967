"""The tools of a release: bill of materials, licenses, links of the site, change notes."""

import importlib.metadata
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import fsops

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tools"))


def test_the_bill_lists_every_dependency_with_version_and_licence():
    import sbom

    bill = sbom.bill()
    listed = {part["name"]: part for part in bill["components"]}
    names = [sbom.normal(text.split(">")[0]) for text in PROJECT["project"]["dependencies"]]
    assert [name for name in names if name not in listed] == []
    assert listed["numpy"]["version"] == importlib.metadata.version("numpy")
    assert [name for name, part in listed.items() if not part["licenses"]] == []
    assert bill["metadata"]["component"]["version"] == importlib.metadata.version("fsops")
    edges = {edge["ref"]: edge["dependsOn"] for edge in bill["dependencies"]}
    assert any(name.startswith("pkg:pypi/numpy@") for name in edges[listed["pandas"]["bom-ref"]])
    assert sbom.bill() == bill


def test_links_of_the_site_that_lead_nowhere_are_found(tmp_path):
    import check_links

    (tmp_path / "one.html").write_text(
        '<h1 id="top">One</h1><a href="two.html#part">2</a><a href="#top">up</a>'
        '<a href="https://example.org/x">far</a><img src="no.png"><a href="two.html#no">3</a>'
        '<a href="missing.html">4</a>',
        encoding="utf-8",
    )
    (tmp_path / "two.html").write_text('<p id="part">Two</p>', encoding="utf-8")
    wrong = list(check_links.broken(tmp_path / "one.html", tmp_path))
    assert wrong == ["no.png", "two.html#no", "missing.html"]


def test_change_notes_have_a_known_kind():
    kinds = {kind["directory"] for kind in PROJECT["tool"]["towncrier"]["type"]}
    notes = [file for file in (ROOT / "changes").glob("*.md") if file.name != "README.md"]
    assert [file.name for file in notes if file.name.split(".")[1] not in kinds] == []
    start = PROJECT["tool"]["towncrier"]["start_string"].strip()
    assert (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").count(start) == 1


def test_the_newest_section_of_the_changelog_is_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = text.partition("\n## ")[2].split(maxsplit=1)[0]
    assert newest == fsops.__version__


@pytest.mark.slow
def test_notes_become_a_section(tmp_path):
    pytest.importorskip("towncrier")
    (tmp_path / "changes").mkdir()
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    (tmp_path / "CHANGELOG.md").write_text(
        f"# Changelog\n\n{PROJECT['tool']['towncrier']['start_string']}\n## 0.9 (2026-01-01)\n",
        encoding="utf-8",
    )
    (tmp_path / "changes" / "tables.added.md").write_text("Reads tables.\n", encoding="utf-8")
    command = [sys.executable, "-m", "towncrier", "build", "--yes", "--version", "1.1"]
    subprocess.run(
        [*command, "--date", "2027-01-01"], cwd=tmp_path, check=True, capture_output=True
    )
    text = (tmp_path / "CHANGELOG.md").read_text(encoding="utf-8")
    assert text.index("## 1.1 (2027-01-01)") < text.index("### Added") < text.index("## 0.9")
    assert "- Reads tables." in text
