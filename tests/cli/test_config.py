"""The configuration file, engines and caches from the command line."""

import json
import sys

import pytest

from fsops.config import config_file, configured, write_settings
from fsops.errors import UsageError
from fsops.examples import examples_folder


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Return a function that writes the configuration."""
    file = tmp_path / "config.toml"
    monkeypatch.setenv("FSOPS_CONFIG", str(file))
    return lambda text: file.write_text(text, encoding="utf-8")


def test_without_a_file_nothing_is_set(config):
    assert configured("engine") == {}


def test_the_usual_place_is_among_the_users_files(monkeypatch, tmp_path):
    monkeypatch.delenv("FSOPS_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert config_file() == tmp_path / "fsops" / "config.toml"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have other folders")
def test_on_linux_the_usual_place_is_the_folder_config(monkeypatch, tmp_path):
    for variable in ("FSOPS_CONFIG", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert config_file() == tmp_path / ".config" / "fsops" / "config.toml"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[engin]", 'Did you mean "engine"'),
        ("[engine]\njob = 2", 'Did you mean "jobs"'),
        ("[engine]\njobs = 'two'", "engine.jobs must be a whole number"),
        ("[engine]\nname = 3", "engine.name must be text in quotes"),
        ("[engine]\njobs = 0", "engine.jobs must be at least 1"),
        ("engine = 3", "write \\[engine\\]"),
        ("[engine", "cannot be read"),
    ],
)
def test_mistakes_get_a_sentence(config, text, said):
    config(text)
    with pytest.raises(UsageError, match=said):
        configured("engine")


def test_cache_info_and_clear(fsops, quickstart, tmp_path, config):
    folder = tmp_path / "cache"
    first = fsops("run", quickstart, "--cache", folder, "-q")
    second = fsops("run", quickstart, "--cache", folder, "-q", "--jobs", "2")
    assert first.exit_code == second.exit_code == 0
    assert first.stdout == second.stdout
    assert "results, " in fsops("cache", "info", "--cache", folder).stdout
    assert "removed" in fsops("cache", "clear", "--cache", folder).stdout
    assert "0 results" in fsops("cache", "info", "--cache", folder).stdout


def test_time_that_is_over_has_its_own_exit_code(refused, quickstart, config):
    assert "stopped after 0.001 seconds" in refused(124, "run", quickstart, "--timeout", "0.001")


def test_an_unknown_engine_is_refused(refused, quickstart, config):
    message = refused(2, "run", quickstart, "--engine", "proceses")
    assert 'Did you mean "processes"' in message


def test_the_folder_of_public_data_can_be_configured(fsops, tmp_path, monkeypatch):
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    file = tmp_path / "config.toml"
    file.write_text(f"[data]\nfolder = '{tmp_path / 'sets'}'\n")
    monkeypatch.setenv("FSOPS_CONFIG", str(file))
    missing = fsops("data", "describe", "colon", "--format", "json")
    assert str(tmp_path / "sets") in missing.stdout
    monkeypatch.delenv("FSOPS_DATA", raising=False)


def test_settings_are_written_beside_the_comments_of_the_user(config, tmp_path):
    config('# mine\n[engine]\njobs = 4  # not all\n\n[data]\nfolder = "~/data"\n')
    write_settings({"engine": {"name": "processes", "jobs": 2}, "cache": {"limit": "2GB"}})
    text = (tmp_path / "config.toml").read_text()
    assert "# mine" in text
    assert "jobs = 2  # not all" in text
    assert configured("engine") == {"name": "processes", "jobs": 2}
    assert configured("cache") == {"limit": "2GB"}
    assert configured("data") == {"folder": "~/data"}
    write_settings({"engine": {"name": None, "jobs": None}})
    assert configured("engine") == {}


def test_writing_makes_the_file_and_its_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("FSOPS_CONFIG", str(tmp_path / "deep" / "config.toml"))
    write_settings({"engine": {"jobs": None}})
    assert not (tmp_path / "deep").exists()
    write_settings({"engine": {"jobs": 2}})
    assert configured("engine") == {"jobs": 2}


@pytest.mark.parametrize(
    ("section", "name", "value", "said"),
    [
        ("engine", "jobs", 0, "jobs must be at least 1"),
        ("engine", "name", "thread", "There are .serial., "),
        ("engine", "scheduler", "localhost", "tcp://host:8786"),
        ("cache", "limit", "much", "is not an amount of memory"),
        ("engine", "job", 2, 'Did you mean "jobs"'),
    ],
)
def test_what_a_run_would_refuse_is_not_written(config, tmp_path, section, name, value, said):
    config("# nothing yet\n")
    with pytest.raises(UsageError, match=said):
        write_settings({section: {name: value}})
    assert (tmp_path / "config.toml").read_text() == "# nothing yet\n"


def test_a_file_with_a_mistake_is_not_written_over(config, tmp_path):
    config("[engine")
    with pytest.raises(UsageError, match="cannot be read"):
        write_settings({"engine": {"jobs": 2}})
    assert (tmp_path / "config.toml").read_text() == "[engine"


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("", (), {"name": "serial", "jobs": 1, "scheduler": None}),
        ("", ("--engine", "threads", "-j", 2), {"name": "threads", "jobs": 2, "scheduler": None}),
        (
            '[engine]\nname = "threads"\njobs = 3\n',
            (),
            {"name": "threads", "jobs": 3, "scheduler": None},
        ),
    ],
)
def test_the_record_tells_the_engine_that_was_used(fsops, tmp_path, config, text, options, told):
    config(text)
    quickstart = examples_folder() / "quickstart.xml"
    assert fsops("run", quickstart, "--out", tmp_path / "out", *options).exit_code == 0
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    assert record["engine"] == told
