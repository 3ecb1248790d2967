"""Process files around small tables."""

import pytest

from fsops.examples import examples_folder

HEAD = '<process version="fsops-1"><operator class="process" name="Process"><process>'
TAIL = "</process></operator></process>"
TABLE = "a,b,y\n1,2,p\n4,3,q\n2,5,q\n1,4,p\n"


@pytest.fixture(autouse=True)
def no_configuration(monkeypatch, tmp_path):
    """Let no configuration of this machine change the runs."""
    monkeypatch.setenv("FSOPS_CONFIG", str(tmp_path / "config.toml"))


@pytest.fixture
def config(tmp_path):
    """Return a function that writes the configuration."""
    return lambda text: (tmp_path / "config.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def quickstart():
    return examples_folder() / "quickstart.xml"


@pytest.fixture
def process_file(tmp_path):
    """Return a function that writes a process file with the given content."""

    def write(content):
        file = tmp_path / "process.xml"
        file.write_text(f"{HEAD}{content}{TAIL}", encoding="utf-8")
        return file

    return write


@pytest.fixture
def small(tmp_path, process_file):
    """Return the file of a process that reads and weights a small table."""
    (tmp_path / "table.csv").write_text(TABLE, encoding="utf-8")
    return process_file(
        '<operator class="read_csv" name="Read"><parameter key="path" value="table.csv"/>'
        '<parameter key="label" value="y"/></operator>'
        '<operator class="weight_by_sam" name="Weigh"/>'
        '<connect from_op="Read" from_port="examples" to_op="Weigh" to_port="examples"/>'
        '<connect from_op="Weigh" from_port="weights" to_port="result 1"/>'
        '<connect from_op="Read" from_port="examples" to_port="result 2"/>'
    )
