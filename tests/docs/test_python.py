"""What the page about Python shows works as shown."""

import re
from pathlib import Path

import pytest

from fsops import read_process, run

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", PAGE, re.S)
COMMANDS = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S)
    for line in block.splitlines()
]


def executed(text):
    names = {}
    exec(text, names)  # noqa: S102 - it is our own text
    return names


def test_calls_give_the_numbers_of_the_process_file():
    found = executed(PYTHON[0])["found"]
    from_file = run(read_process(ROOT / "processes" / "quickstart.xml"))
    assert found.performance.equals(from_file[0])
    assert found.weights.equals(from_file[1])


def test_a_process_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    process = executed(PYTHON[1])["process"]
    assert run(read_process(tmp_path / "relief.xml"))[0].equals(run(process)[0])


def test_how_to_get_data_is_told(monkeypatch, capsys):
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    executed(PYTHON[2])
    assert "FSOPS_DATA" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_command_works_as_printed(command, as_printed):
    done = as_printed(command)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.strip()
