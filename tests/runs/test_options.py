"""Options of a run."""

from dataclasses import fields
from pathlib import Path

import pytest

from fsops.engine.cache import ResultStore
from fsops.errors import StorageError, UsageError
from fsops.runs.options import RunKeywords, RunOptions, open_store


def test_the_configured_engine_is_used_unless_the_options_name_another(config):
    config('[engine]\nname = "threads"\njobs = 2')
    with RunOptions().open_engine() as engine:
        assert type(engine).__name__ == "ThreadEngine"
    with RunOptions(engine="serial").open_engine() as engine:
        assert engine is None


@pytest.mark.parametrize(
    ("jobs", "kind"), [(2, "ProcessEngine"), (1, "NoneType"), (None, "NoneType")]
)
def test_several_jobs_mean_processes(config, jobs, kind):
    with RunOptions(jobs=jobs).open_engine() as engine:
        assert type(engine).__name__ == kind


@pytest.mark.parametrize(
    ("text", "said", "kind"),
    [
        ("jobs = 2", RunOptions(), "ProcessEngine"),
        ('name = "threads"', RunOptions(jobs=2), "ThreadEngine"),
        ('name = "serial"\njobs = 2', RunOptions(), "NoneType"),
        ('name = "serial"', RunOptions(jobs=2), "ProcessEngine"),
        ('name = "threads"', RunOptions(engine="processes"), "ProcessEngine"),
    ],
)
def test_a_number_of_jobs_keeps_the_engine_that_is_configured(config, text, said, kind):
    config(f"[engine]\n{text}")
    with said.open_engine() as engine:
        assert type(engine).__name__ == kind


def test_a_wrong_limit_names_the_file(config):
    config('[cache]\nlimit = "much"')
    with pytest.raises(UsageError, match=r'config.toml: cache.limit: "much" is not an amount'):
        open_store()


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="nobody can write there on Linux")
def test_a_cache_that_cannot_be_written_is_refused_before_the_run(config):
    with (
        pytest.raises(StorageError, match="Nothing can be stored"),
        RunOptions(cache=Path("/proc/self")).open_store(),
    ):
        pass


def test_the_cache_has_its_folder_and_limit(config, tmp_path):
    config(f'[cache]\nfolder = "{tmp_path}/kept"\nlimit = "2GB"')
    store = open_store()
    assert store.folder == tmp_path / "kept"
    assert store.limit == 2 * 10**9
    assert open_store(tmp_path / "other").folder == tmp_path / "other"


def test_the_keywords_of_run_are_the_options():
    assert list(RunKeywords.__annotations__) == [option.name for option in fields(RunOptions)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"jobs": 0}, "jobs is 0, but must be at least 1."),
        ({"jobs": "2"}, "jobs is '2', but must be a whole number."),
        ({"seed": 1.5}, "seed is 1.5, but must be a whole number."),
        ({"timeout": -1}, "timeout is -1, but must not be negative."),
        ({"figures": "gif", "out": "x"}, 'must be "svg", "png", "pdf"'),
        ({"figures": "svg"}, "Figures need a folder"),
        ({"set": "Select Top k.k=5"}, "must be a dict"),
        ({"allow_write": "out"}, "must be a list of folders"),
        ({"engine": object(), "jobs": 2}, "belong to an engine that is named"),
    ],
)
def test_a_wrong_option_is_refused_with_a_sentence(options, message):
    with pytest.raises(UsageError) as caught:
        RunOptions(**options)
    assert message in str(caught.value)


def test_an_open_engine_is_used_and_stays_open():
    class Engine:
        closed = False

        def close(self):
            self.closed = True

    engine = Engine()
    with RunOptions(engine=engine).open_engine() as opened:
        assert opened is engine
    assert not engine.closed


def test_the_cache_is_a_store_a_folder_or_the_usual_folder(config, tmp_path):
    config(f'[cache]\nfolder = "{tmp_path}/usual"')
    store = ResultStore(tmp_path / "store")
    for options, folder in (
        (RunOptions(cache=store), "store"),
        (RunOptions(cache=tmp_path / "mine"), "mine"),
        (RunOptions(cache=str(tmp_path / "mine")), "mine"),
        (RunOptions(cache=True), "usual"),
        (RunOptions(resume=True), "usual"),
    ):
        with options.open_store() as opened:
            assert opened.folder == tmp_path / folder
    with RunOptions().open_store() as opened:
        assert opened is None


def test_memory_may_be_given_as_text():
    assert RunOptions(memory_limit="1GB").memory_bytes == 10**9
    assert RunOptions(memory_limit=5_000_000).memory_bytes == 5_000_000
    assert RunOptions().memory_bytes is None


def test_the_command_has_every_option_that_decides_about_results():
    options = RunOptions(
        set={"Select Top k.k": 5, "Read.types": [("a", "real")], "W.signed": True},
        macros={"n": 3},
        until="Select Top k",
        memory_limit="1GB",
        allow_write=["there"],
        out="results",
        figures="svg",
        report="my page.html",
        jobs=4,
    )
    assert options.command("study.xml", 7) == (
        "fsops run study.xml --set 'Select Top k.k=5' --set 'Read.types=[[\"a\", \"real\"]]' "
        "--set W.signed=true --macro n=3 --seed 7 --until 'Select Top k' "
        "--memory-limit 1000000000 --allow-write there --out results --figures svg "
        "--report 'my page.html'"
    )
