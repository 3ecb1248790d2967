"""Paths in processes from strangers: nothing outside is read, written or deleted without consent."""

import os
import shutil
from pathlib import Path

import pytest
from lxml import etree
from typer.testing import CliRunner

from fsops import Process, read_process
from fsops.cli.app import app
from fsops.operators import read_csv
from fsops.storage import write_process
from fsops.storage.trust import is_trusted

SECRET = "secret_column"
TABLE = f"{SECRET},y\n1,a\n2,b\n3,a\n"

# Each is a path in the process, with the folders that `scene` makes: home/process has the process,
# home/mine has what belongs to the user.
OUTSIDE = [
    "{mine}/canary.csv",
    "../mine/canary.csv",
    "./../mine/canary.csv",
    "sub/../../mine/canary.csv",
    "../process/../mine/canary.csv",
    "../../home/mine/canary.csv",
    "~/mine/canary.csv",
    "~/process/../mine/canary.csv",
    "/{mine}/canary.csv",
    "//{mine}/canary.csv",
    "{mine}//./canary.csv",
    "{process}/../mine/canary.csv",
    "link.csv",
    "chain.csv",
    "folder/canary.csv",
    "folder/../mine/canary.csv",
    "sub/up/mine/canary.csv",
    "%{{where}}/canary.csv",
    "%{{dots}}/mine/canary.csv",
    "%{{process_path}}/../mine/canary.csv",
    "%{{dot}}%{{dot}}/mine/canary.csv",
    "%{{link}}.csv",
    "../process2/canary.csv",
    "../PROCESS/canary.csv",
]
READ_ONLY = [
    "%{{tempdir}}/../../../../../../../..{mine}/canary.csv",
]
# Names that only look as if they led out. They name files in the folder, or nothing at all.
HARMLESS = [
    "..\\mine\\canary.csv",
    "C:\\mine\\canary.csv",
    "\\\\server\\share\\canary.csv",
    "%2e%2e/mine/canary.csv",
    "..%2fmine%2fcanary.csv",
    "file://{mine}/canary.csv",
    "~nobody-of-this-name/canary.csv",
    "{long}.csv",
    "CON",
    "sub/inside.csv",
    "．．/mine/canary.csv",
    "$HOME/mine/canary.csv",
    "`cat {mine}/canary.csv`",
    " ../mine/canary.csv ",
    "sub/",
    "..\u200b/mine/canary.csv",
]


@pytest.fixture
def scene(tmp_path, monkeypatch):
    home = tmp_path / "home"
    process, mine = home / "process", home / "mine"
    for folder in (process / "sub", mine, home / "process2", home / "PROCESS", home / "repository"):
        folder.mkdir(parents=True)
    for folder in (mine, home / "process2", home / "PROCESS"):
        (folder / "canary.csv").write_text(TABLE)
    (process / "sub/inside.csv").write_text("x,y\n1,a\n2,b\n")
    (process / "link.csv").symlink_to(mine / "canary.csv")
    (process / "chain.csv").symlink_to("link.csv")
    (process / "folder").symlink_to(mine)
    (process / "sub/up").symlink_to(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("FSOPS_REPOSITORY", str(home / "repository"))
    before = contents(home)
    yield home
    assert {k: v for k, v in contents(home).items() if k in before} == before


def contents(home):
    """Return the files of the user with their content and times."""
    return {
        file: (file.read_bytes(), file.stat().st_mtime_ns)
        for folder in ("mine", "process2", "PROCESS", "repository")
        for file in sorted((home / folder).rglob("*"))
        if file.is_file()
    }


def stranger(home, *operators, name="study.xml"):
    """Write a process as a stranger would: not by fsops."""
    macros = {"where": str(home / "mine"), "dots": "..", "dot": ".", "link": "link"}
    root = etree.fromstring('<process version="fsops-1"><context><macros/></context></process>')
    for key, value in macros.items():
        macro = etree.SubElement(root[0][0], "macro")
        etree.SubElement(macro, "key").text, etree.SubElement(macro, "value").text = key, value
    outer = etree.SubElement(root, "operator", {"class": "process", "name": "Process"})
    level = etree.SubElement(outer, "process")
    for number, (kind, key, value, _) in enumerate(operators):
        node = etree.SubElement(level, "operator", {"class": kind, "name": f"Step {number}"})
        etree.SubElement(node, "parameter", key=key, value=value)
        if number:
            before = operators[number - 1]
            link = {"from_op": f"Step {number - 1}", "from_port": before[3]}
            to = "input" if kind == "store" else "examples"
            etree.SubElement(level, "connect", link | {"to_op": f"Step {number}", "to_port": to})
    last = {"from_op": f"Step {len(operators) - 1}", "from_port": operators[-1][3]}
    etree.SubElement(level, "connect", last | {"to_port": "result 1"})
    file = home / "process" / name
    file.write_bytes(etree.tostring(root))
    return file


def reader(path):
    return ("read_csv", "path", path, "examples")


def writer(path):
    return ("write_csv", "path", path, "examples")


def filled(path, home):
    return path.format(mine=home / "mine", process=home / "process", long="x" * 5000)


def fsops(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments], prog_name="fsops")
    assert "Traceback" not in result.output
    return result


@pytest.mark.parametrize("path", [*OUTSIDE, *READ_ONLY])
def test_nothing_outside_is_read(scene, path):
    file = stranger(scene, reader(filled(path, scene)))
    for command in (("validate", file), ("run", file, "--all"), ("run", file, "--jobs", "1")):
        result = fsops(*command)
        assert SECRET not in result.output.replace(str(scene), "")
        if command[0] == "run":
            assert result.exit_code != 0
            assert "wants to read" in " ".join(result.output.split())
            assert "--allow-read" in result.output


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_is_written(scene, path):
    file = stranger(scene, reader("sub/inside.csv"), writer(filled(path, scene)))
    result = fsops("run", file)
    assert result.exit_code == 1
    assert "--allow-write" in result.output


@pytest.mark.parametrize("path", HARMLESS)
def test_names_that_only_look_like_paths_stay_inside(scene, path):
    written = stranger(scene, reader("sub/inside.csv"), writer(filled(path, scene)))
    fsops("run", written)
    result = fsops("run", stranger(scene, reader(filled(path, scene))))
    assert SECRET not in result.output.replace(str(scene), "")


def test_there_are_forty_path_cases():
    assert len({*OUTSIDE, *READ_ONLY, *HARMLESS}) >= 40


# --- the repository -------------------------------------------------------------------------


ENTRIES = [
    "//Local Repository/heart",
    "//x/heart",
    "//x/../heart",
    "//x/y/../../../mine/heart",
    "/{repository}/heart",
    "../repository/heart",
]


def store(path):
    return ("store", "repository_entry", path, "output")


@pytest.mark.parametrize("entry", ENTRIES)
@pytest.mark.parametrize("suffix", [".table.parquet", ".weights.csv", ".performance.json"])
def test_entries_of_the_repository_are_not_replaced_or_deleted(scene, entry, suffix):
    mine = scene / "repository" / f"heart{suffix}"
    mine.write_text("mine")
    file = stranger(
        scene, reader("sub/inside.csv"), store(entry.format(repository=scene / "repository"))
    )
    assert fsops("run", file).exit_code == 1
    assert mine.read_text() == "mine"
    assert list((scene / "repository").iterdir()) == [mine]
    mine.unlink()


def test_the_repository_works_with_consent(scene):
    repository = scene / "repository"
    file = stranger(scene, reader("sub/inside.csv"), store("//Local Repository/data/heart"))
    result = fsops("run", file)
    assert f"--allow-write {repository / 'data'}" in " ".join(result.output.split())
    assert fsops("run", file, "--allow-write", repository, "--quiet").exit_code == 0
    again = stranger(
        scene, ("retrieve", "repository_entry", "//Local Repository/data/heart", "examples")
    )
    assert fsops("run", again, "--quiet").exit_code == 0
    shutil.rmtree(repository / "data")


def test_an_entry_that_is_a_link_is_neither_read_nor_written(scene):
    canary = scene / "mine" / "canary.csv"
    (scene / "process/heart.table.parquet").symlink_to(canary)
    write = stranger(scene, reader("sub/inside.csv"), store("heart"))
    assert "symbolic link" in fsops("run", write).output
    read = stranger(scene, ("retrieve", "repository_entry", "heart", "examples"))
    assert "wants to read" in " ".join(fsops("run", read).output.split())


# --- consent --------------------------------------------------------------------------------


def test_consent_for_a_folder_or_a_file(scene):
    file = stranger(scene, reader("../mine/canary.csv"))
    for path in (scene / "mine", scene / "mine/canary.csv"):
        assert SECRET in fsops("run", file, "--allow-read", path).output
        assert fsops("validate", file, "--allow-read", path).exit_code == 0
    assert fsops("run", file, "--allow-read", scene / "process2").exit_code != 0
    assert SECRET in fsops("run", file, "--trust").output
    assert fsops("run", file).exit_code != 0  # --trust is for one run


def test_files_that_the_user_names_may_be_read(scene, monkeypatch):
    mine = scene / "mine/canary.csv"
    file = stranger(scene, reader("x.csv"))
    assert SECRET in fsops("run", file, "--set", f"Step 0.path={mine}").output
    file = stranger(scene, reader("%{where}/canary.csv"))
    assert SECRET in fsops("run", file, "--macro", f"where={mine.parent}").output
    monkeypatch.setenv("FSOPS_DATA", str(mine.parent))
    assert SECRET in fsops("run", file).output


def test_the_configuration_allows_folders(scene, tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    config.write_text(f'[data]\nallow_read = ["{scene / "mine"}"]\n')
    monkeypatch.setenv("FSOPS_CONFIG", str(config))
    assert SECRET in fsops("run", stranger(scene, reader("../mine/canary.csv"))).output
    config.write_text('[data]\nallow_read = "x"\n')
    assert "must be a list of texts" in fsops("run", stranger(scene, reader("x"))).output


def test_a_process_is_trusted_until_it_is_changed(scene, tmp_path):
    file = stranger(scene, reader("{mine}/canary.csv".format(mine=scene / "mine")))
    told = fsops("trust", file)
    assert "Trusted" in told.output
    assert "canary.csv" in told.output
    assert SECRET in fsops("run", file).output
    moved = shutil.copy(file, tmp_path / "moved.xml")
    assert SECRET in fsops("run", moved).output
    file.write_bytes(file.read_bytes().replace(b"Step 0", b"Step 9"))
    assert fsops("run", file).exit_code != 0


def test_what_the_user_writes_here_is_trusted(scene):
    process = Process("mine")
    process.result(process.add(read_csv, path=str(scene / "mine/canary.csv")))
    file = scene / "own.xml"
    write_process(process, file)
    assert read_process(file).readable is None
    assert SECRET in fsops("run", file).output


def test_a_study_of_a_table_elsewhere_runs_at_once(scene, tmp_path):
    rows = [f"{i % 2 * 9 + i / 20},{i % 3},{'xy'[i % 2]}" for i in range(20)]
    table = tmp_path / "table.csv"
    table.write_text("\n".join(["a,b,class", *rows]))
    study = scene / "process" / "own.xml"
    assert fsops("new", study, "--data", table, "--label", "class").exit_code == 0
    assert is_trusted(study.read_bytes())
    assert fsops("validate", study).exit_code == 0


def test_a_folder_with_linked_tables_is_not_read(scene):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({SECRET: [1.0, 2.0]}), scene / "mine/canary.parquet")
    (scene / "process/tables").mkdir()
    (scene / "process/tables/a.parquet").symlink_to(scene / "mine/canary.parquet")
    file = stranger(scene, ("read_parquet", "path", "tables", "examples"))
    result = fsops("run", file)
    assert SECRET not in result.output
    assert "wants to read" in " ".join(result.output.split())
    os.unlink(scene / "mine/canary.parquet")


def test_workers_read_no_more_than_the_run(scene, engines):
    import pickle

    from fsops.engine.services import RunServices

    services = RunServices()
    services.readable = [Path("/only")]
    assert pickle.loads(pickle.dumps(services)).readable == [Path("/only")]
