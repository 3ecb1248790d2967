"""What newcomers type first, and what they are told."""

import pytest

from fsops.cli.app import command_line
from fsops.errors import FsopsError, ProcessFileError, StorageError, UsageError
from fsops.storage import read_process
from fsops.storage.files import read_bytes


def test_a_table_in_place_of_a_process_names_the_command_that_makes_one(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ProcessFileError, match="not XML") as found:
        read_process(tmp_path / "table.csv")
    assert "fsops new study.xml --data TABLE" in found.value.hint


def test_a_setting_without_an_operator_names_those_that_have_the_parameter():
    from fsops.examples import starter_process
    from fsops.runs.overrides import apply_settings

    process = starter_process("start")
    node, name = next((n, p.name) for n in process.walk() for p in n.operator.parameters)
    with pytest.raises(UsageError, match="cannot be understood") as found:
        apply_settings(process, [f"{name}=5"])
    assert f'"{node.name}.{name}=5"' in found.value.hint


def test_a_missing_file_is_not_compared_by_its_suffix(tmp_path):
    (tmp_path / "colon.xml").write_text("")
    with pytest.raises(StorageError) as found:
        read_bytes(tmp_path / "missing.xml", 10)
    assert "colon" not in str(found.value)
    with pytest.raises(StorageError, match='Did you mean "colon.xml"'):
        read_bytes(tmp_path / "colno.xml", 10)


def test_a_misspelt_word_for_an_operator_gets_a_suggestion():
    with pytest.raises(FsopsError, match="lasoo") as found:
        command_line().get_command(None, "operators").main(["lasoo"], standalone_mode=False)
    assert '"lasso"' in found.value.hint


def test_an_unknown_option_lists_options_only(capsys):
    with pytest.raises(SystemExit):
        command_line().main(["gui", "--foo"])
    said = capsys.readouterr().err
    assert "Unknown option --foo. Options: --debug" in said
    assert '"process"' not in said
