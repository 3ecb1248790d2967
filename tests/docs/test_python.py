"""What the page about Python shows works as shown."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from fsops import RunOptions, read_process, run

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


@pytest.fixture
def with_processes(tmp_path, monkeypatch):
    (tmp_path / "processes").symlink_to(ROOT / "processes")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_is_written_and_reported(with_processes):
    pytest.importorskip("jinja2")
    outcome = executed(PYTHON[2])["outcome"]
    assert (outcome.seed, len(outcome)) == (7, 2)
    assert (with_processes / "results" / "run.json").exists()
    assert (with_processes / "report.html").exists()


def test_a_run_has_two_steps(with_processes, capsys):
    assert executed(PYTHON[3])["outcome"].seed == 1
    assert "Finished(" in capsys.readouterr().out


def test_a_saved_run_is_reported_later(with_processes):
    pytest.importorskip("jinja2")
    executed(PYTHON[4])
    assert "Cross Validation" in (with_processes / "later.html").read_text(encoding="utf-8")


def test_every_option_of_a_run_is_explained():
    shown = [option.name for option in fields(RunOptions)]
    assert [name for name in shown if f"\n    {name} : " not in RunOptions.__doc__] == []


def test_how_to_get_data_is_told(monkeypatch, capsys):
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    executed(PYTHON[5])
    assert "FSOPS_DATA" in capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_command_works_as_printed(command, as_printed):
    done = as_printed(command)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.strip()
