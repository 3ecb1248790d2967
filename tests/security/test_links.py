"""Folders from strangers with links to files of the user: nothing is written through them."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fsops.cli.app import app
from fsops.errors import StorageError
from fsops.plots import save_figures

QUICKSTART = Path(__file__).resolve().parents[2] / "processes" / "quickstart.xml"


@pytest.fixture
def canary(tmp_path):
    file = tmp_path / "mine" / "canary.txt"
    file.parent.mkdir()
    file.write_text("do not touch")
    yield file
    assert file.read_text() == "do not touch"
    assert not file.is_symlink()
    assert list(file.parent.iterdir()) == [file]


@pytest.fixture
def received(tmp_path):
    folder = tmp_path / "received"
    folder.mkdir()
    shutil.copy(QUICKSTART, folder / "study.xml")
    return folder


def fsops(*arguments):
    result = CliRunner().invoke(app, [str(a) for a in arguments], prog_name="fsops")
    assert "Traceback" not in result.stderr
    return result


@pytest.mark.parametrize("target", ["canary.txt", "new.txt"])
@pytest.mark.parametrize("force", [(), ("--force",)])
def test_draw_does_not_write_through_a_link_beside_the_process(received, canary, target, force):
    (received / "study.svg").symlink_to(canary.parent / target)
    result = fsops("draw", received / "study.xml", *force)
    assert result.exit_code in (1, 2)
    assert "link" in result.stderr if force else "exists" in result.stderr


def test_draw_follows_a_link_that_the_user_has_named(received, tmp_path):
    (tmp_path / "picture.svg").symlink_to(tmp_path / "elsewhere.svg")
    assert fsops("draw", received / "study.xml", tmp_path / "picture.svg").exit_code == 2  # exists
    command = ("draw", received / "study.xml", tmp_path / "picture.svg", "--force")
    assert fsops(*command).exit_code == 0
    assert (tmp_path / "elsewhere.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("name", ["run.json", "select_top_k.weights.csv"])
def test_results_do_not_go_through_links_in_the_folder(received, canary, name):
    out = received / "results"
    out.mkdir()
    (out / name).symlink_to(canary)
    result = fsops("run", received / "study.xml", "--out", out, "--quiet")
    if name == "run.json":
        assert "run.json" in result.stderr
        assert "symbolic link" in result.stderr


def test_examples_are_not_copied_through_links(tmp_path, canary):
    folder = tmp_path / "copies"
    folder.mkdir()
    (folder / "quickstart.xml").symlink_to(canary.parent / "new.xml")
    result = fsops("examples", "quickstart", "--copy", folder)
    assert result.exit_code == 2
    assert "exists" in result.stderr


def test_figures_do_not_go_through_links(tmp_path, canary):
    from fsops import AttributeWeights
    from fsops.plots import figures_for

    weights = AttributeWeights(["a", "b"], [1.0, 2.0])
    first = figures_for(weights)[0].name
    (tmp_path / f"w.{first}.svg").symlink_to(canary)
    with pytest.raises(StorageError, match="symbolic link"):
        save_figures(weights, tmp_path / "w")
