"""What the README shows works as shown."""

import re
from pathlib import Path

import pytest

from fsops import read_process, run
from fsops.core.operator import operator_of
from fsops.operators import retrieve
from fsops.report.picture import process_svg

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", README, re.S)
COMMANDS = [
    line.partition("  #")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", README, re.S)
    for line in block.splitlines()
    if line.startswith("fsops ")
]


def test_python_process_gives_the_numbers_of_the_file(capsys):
    names = {}
    exec(PYTHON[0], names)  # noqa: S102 - it is our own text
    from_file = run(read_process(ROOT / "processes" / "quickstart.xml"))
    assert run(names["process"])[0].equals(from_file[0])
    assert "accuracy: 92" in capsys.readouterr().out


def test_a_file_is_run_written_and_reported_from_python(folder):
    pytest.importorskip("jinja2")
    exec(PYTHON[1], {})  # noqa: S102 - it is our own text
    assert (folder / "results" / "run.json").exists()
    assert (folder / "report.html").exists()


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def test_operator_takes_ten_lines():
    lines = [line for line in PYTHON[2].splitlines() if line.strip()]
    assert len(lines) <= 10
    names = {}
    exec(PYTHON[2], names)  # noqa: S102 - it is our own text
    assert operator_of(names["weight_by_range"]).title == "Weight by range"
    assert names["fsops_operators"]() == [names["weight_by_range"]]


@pytest.fixture
def own_table(folder):
    """Put a table of the reader's own into the folder."""
    table = retrieve(repository_entry="breast cancer").take(range(60)).to_pandas()
    table.rename(columns={"label": "diagnosis"}).to_csv(folder / "patients.csv", index=False)


@pytest.mark.usefixtures("own_table")
@pytest.mark.parametrize("command", COMMANDS)
def test_command_works_as_printed(command, as_printed):
    if command.startswith("fsops run study.xml"):
        as_printed(next(c for c in COMMANDS if c.startswith("fsops new study.xml")))
    done = as_printed(command)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.strip()


def test_printed_figures_are_those_of_the_quickstart():
    printed = re.search(r"accuracy\s+([\d.]+) %\s+± ([\d.]+) %", README)
    main = run(read_process(ROOT / "processes" / "quickstart.xml"))[0].main
    assert printed.groups() == (f"{100 * main.mean:.2f}", f"{100 * main.deviation:.2f}")


def test_the_printed_block_is_what_the_quickstart_prints(as_printed):
    shown = re.search(r"```text\n(Performance.*?)```", README, re.S)[1]
    printed = as_printed("fsops run processes/quickstart.xml").stdout
    assert " ".join(shown.split()).replace("─", "") in " ".join(printed.split()).replace("─", "")


def test_picture_is_that_of_the_quickstart():
    drawn = process_svg(read_process(ROOT / "processes" / "quickstart.xml"))
    assert (ROOT / "docs" / "quickstart.svg").read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", *sorted(p.name for p in (ROOT / "docs").glob("*.md"))]
)
def test_links_lead_somewhere(page):
    file = ROOT / page if (ROOT / page).exists() else ROOT / "docs" / page
    for link in re.findall(r"\]\(([^)#:]+)\)", file.read_text(encoding="utf-8")):
        is_generated = link.startswith("operators/")  # by `make docs`
        assert is_generated or (file.parent / link).exists(), link
