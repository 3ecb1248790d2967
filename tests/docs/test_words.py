"""Words that readers stumble over are counted, and may only become fewer."""

import importlib.util
import sys
import tomllib
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "tools" / "words.py"
spec = importlib.util.spec_from_file_location("fsops_words", TOOL)
words = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = words  # dataclasses look for their module
spec.loader.exec_module(words)

LIST = tomllib.loads(words.LIST.read_text(encoding="utf-8"))["word"]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a project with a module and a page."""
    for folder in ("fsops", "gui", "docs"):
        (tmp_path / folder).mkdir()
    (tmp_path / "README.md").write_text("Nobody shall read this.\n\n```\nnobody shall\n```\n")
    (tmp_path / "CONTRIBUTING.md").write_text("Plain words.\n")
    (tmp_path / "fsops" / "one.py").write_text('"""Tells about\nturns."""\nname = "turn"\n')
    monkeypatch.setattr(words, "ROOT", tmp_path)
    return tmp_path


def places(pattern):
    return [text.place for text in words.counted([pattern])[pattern]]


def test_words_are_found_in_docstrings_and_pages_but_not_in_code(project):
    assert places(r"\b[Nn]obody\b") == ["README.md:1"]
    assert places(r"\bturns?\b") == ["fsops/one.py:1"]


def test_identifiers_in_backticks_and_older_releases_are_not_read(project):
    (project / "README.md").write_text("The parameter `turn` is a number.")
    (project / "CHANGELOG.md").write_text("# Log\n\n## 2\n\nPlain.\n\n## 1\n\nEach turn.\n")
    assert places(r"\bturns?\b") == ["fsops/one.py:1"]
    (project / "CHANGELOG.md").write_text("# Log\n\n## 2\n\nEach turn.\n\n## 1\n\nPlain.\n")
    assert "CHANGELOG.md:5" in places(r"\bturns?\b")


def test_every_pattern_has_a_replacement():
    assert [word["pattern"] for word in LIST if not word["use"]] == []


def test_no_word_of_the_list_is_left():
    found = words.counted([word["pattern"] for word in LIST])
    assert {pattern: len(texts) for pattern, texts in found.items() if texts} == {}


@pytest.mark.parametrize(
    "sentence", ["The fraction of rows.", "This turns into a table.", "No row fits."]
)
def test_plain_sentences_are_not_found(project, sentence):
    (project / "CONTRIBUTING.md").write_text(sentence)
    (project / "README.md").write_text("")
    (project / "fsops" / "one.py").write_text("")
    found = words.counted([word["pattern"] for word in LIST])
    assert [pattern for pattern, texts in found.items() if texts] == []
