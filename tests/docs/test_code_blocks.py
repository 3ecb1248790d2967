"""Every code block of the pages runs, or a comment before it names the reason or its own test.

``<!-- not run: REASON -->`` and ``<!-- tested by tests/FILE.py -->`` are not visible on the site.
"""

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops import read_process

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?"
    r"^(?P<indent> *)```(?P<language>[^\n]*)\n(?P<text>.*?)^ *```$",
    re.M | re.S,
)
LANGUAGES = {"sh", "console", "python", "xml"}
# These tests run all blocks of their pages, and compare the results with the text.
OWN_TESTS = {
    "README.md": "test_readme.py",
    "python.md": "test_python.py",
    "scikit-learn.md": "test_scikit_learn.py",
    "sparse.md": "test_sparse.py",
    "plugins.md": "test_plugins.py",
}
SLOW = {"your-data.md", "report.md", "running.md"}


RAPIDMINER = """<?xml version="1.0" encoding="UTF-8"?>
<process version="9.7.000">
  <operator activated="true" class="process" name="Process">
    <process expanded="true">
      <operator activated="true" class="generate_data" name="Data">
        <parameter key="target_function" value="two gaussians classification"/>
      </operator>
      <operator activated="true" class="weight_by_chi_squared_statistic" name="Weights"/>
      <connect from_op="Data" from_port="output" to_op="Weights" to_port="example set"/>
      <connect from_op="Weights" from_port="weights" to_port="result 1"/>
    </process>
  </operator>
</process>
"""


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str
    mark: str

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks(file):
    """Return the code blocks of a page, without the directives of Sphinx."""
    text = file.read_text(encoding="utf-8")
    name = str(file.relative_to(DOCS)) if file.is_relative_to(DOCS) else file.name
    return [
        Block(name, text[: m.start()].count("\n") + 1, m["language"], m["text"], m["mark"] or "")
        for m in BLOCK.finditer(text)
        if not m["language"].startswith("{")
    ]


GENERATED = {"_build", "operators", "results"}
PAGES = {
    block.page: blocks(file)
    for file in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
    if not GENERATED & set(file.relative_to(ROOT).parts)
    for block in blocks(file)[:1]
}
RUN_HERE = [page for page in PAGES if page not in OWN_TESTS]


def commands(text):
    """Return the commands of a block; a backslash continues a line."""
    joined = re.sub(r"\\\n\s*", "", text)
    return [line for line in joined.splitlines() if line.strip()]


@pytest.fixture
def reader(folder, monkeypatch):
    """Give the folder the files that the pages name."""
    (folder / "process.xml").write_bytes((ROOT / "processes" / "quickstart.xml").read_bytes())
    (folder / "selection.rmp").write_text(RAPIDMINER, encoding="utf-8")
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    monkeypatch.setenv("PATH", programs)
    table(62, 2000).to_csv(folder / "patients.csv", index=False)
    return folder


def table(rows, attributes):
    """Return a table of patients with an id, a date of admission and a diagnosis."""
    values = np.random.default_rng(5).normal(size=(rows, attributes))
    frame = pd.DataFrame(values, columns=[f"gene_{i}" for i in range(attributes)]).round(4)
    frame.insert(0, "patient", [f"P{i:03d}" for i in range(rows)])
    days = pd.date_range("2024-01-01", periods=rows).strftime("%Y-%m-%d")
    return frame.assign(admitted=days, diagnosis=["normal"] * 22 + ["tumour"] * (rows - 22))


def words(text):
    return " ".join(text.split())


def prepare(command, as_printed):
    """Let a page begin as its reader does: ``fsops new`` writes a new file, later pages use it."""
    study = Path("study.xml")
    if command.startswith("fsops new"):
        study.unlink(missing_ok=True)
    elif study.name in command and not study.exists():
        assert as_printed(f"fsops new {study} --data patients.csv --label diagnosis").exit_code == 0


def run_block(block, names, as_printed):
    if block.language == "python":
        exec(compile(block.text, block.place, "exec"), names)  # noqa: S102 - our own text
    elif block.language == "xml":
        Path("shown.xml").write_text(block.text, encoding="utf-8")
        assert list(read_process("shown.xml")), block.place
    elif block.language == "console":
        command, _, printed = block.text.removeprefix("$ ").partition("\n")
        prepare(command, as_printed)
        done = as_printed(command)
        assert words(printed) in words(done.stdout + done.stderr), block.place
    else:
        for command in commands(block.text):
            prepare(command, as_printed)
            done = as_printed(command)
            assert done.exit_code == 0, f"{block.place}: {command}\n{done.stderr}"


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=[pytest.mark.slow] if p in SLOW else []) for p in RUN_HERE]
)
def test_blocks_of_a_page_run_in_order(page, reader, as_printed):
    names = {"__name__": "__main__"}
    for block in PAGES[page]:
        if not block.mark:
            run_block(block, names, as_printed)


@pytest.mark.parametrize("page", RUN_HERE)
def test_a_block_that_is_not_run_has_a_reason_or_a_test(page):
    for block in PAGES[page]:
        kind, _, reason = block.mark.partition(": ")
        if block.mark.startswith("tested by "):
            test = ROOT / block.mark.removeprefix("tested by ")
            assert Path(page).name in test.read_text(encoding="utf-8"), block.place
        elif block.mark:
            assert kind == "not run", block.place
            assert len(reason) > 15, block.place
        else:
            assert block.language in LANGUAGES, block.place


def test_pages_with_their_own_test_exist():
    assert set(OWN_TESTS) <= set(PAGES)
    assert [t for t in OWN_TESTS.values() if not (Path(__file__).parent / t).exists()] == []
