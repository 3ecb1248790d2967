"""``%load_ext fsops``."""

from pathlib import Path

import pytest

import fsops

pytest.importorskip("IPython", reason="IPython is not installed")
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402

QUICKSTART = Path(__file__).resolve().parents[1] / "processes" / "quickstart.xml"


@pytest.fixture
def shell():
    found = InteractiveShell()
    fsops.load_ipython_extension(found)
    yield found
    found.history_manager.end_session()


def test_a_process_file_is_run(shell, capsys):
    shell.run_line_magic("fsops", f'"{QUICKSTART}"')
    assert [type(result).__name__ for result in shell.user_ns["results"]] == [
        "PerformanceVector", "AttributeWeights",
    ]  # fmt: skip
    assert shell.user_ns["outcome"].results is shell.user_ns["results"]
    assert "accuracy" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "cell", "said"),
    [
        ("", "", "No process given."),
        ("nowhere.xml", "", "there is no such file"),
        ("", "<process", "Error: "),
    ],
)
def test_mistakes_get_a_sentence(shell, capsys, line, cell, said):
    shell.run_cell_magic("fsops", line, cell) if cell else shell.run_line_magic("fsops", line)
    assert said in capsys.readouterr().out
    assert "results" not in shell.user_ns
