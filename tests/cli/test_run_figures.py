"""``fsops run --figures``."""

import json
import shlex


def test_figures_are_written_beside_the_results(fsops, small, tmp_path):
    out = tmp_path / "out"
    result = fsops("run", small, "--out", out, "--figures", "svg")
    assert result.exit_code == 0, result.stderr
    figures = sorted(file.name for file in out.glob("*.svg"))
    assert figures == [
        "read.examples.class_boxes.svg",
        "read.examples.correlation.svg",
        "run.runtime.svg",
        "weigh.weights.weights.svg",
    ]
    record = json.loads((out / "run.json").read_text())
    assert set(figures) <= {file["file"] for file in record["results"]}
    assert shlex.split(record["command"])[-2:] == ["--figures", "svg"]
    assert "weigh.weights.weights.svg" in result.stderr


def test_equal_runs_give_equal_figures(fsops, small, tmp_path):
    contents = []
    for name in ("one", "two"):
        fsops("run", small, "--out", tmp_path / name, "--figures", "svg", "--quiet")
        files = sorted((tmp_path / name).glob("*.svg"))
        contents.append([f.read_bytes() for f in files if f.name != "run.runtime.svg"])
    assert contents[0] == contents[1]
    assert len(contents[0]) == 3


def test_no_figures_without_being_asked(fsops, small, tmp_path):
    fsops("run", small, "--out", tmp_path / "out")
    assert not list((tmp_path / "out").glob("*.svg"))


def test_figures_need_a_folder(refused, small):
    message = refused(2, "run", small, "--figures", "svg")
    assert "Figures need a folder to be written to." in message
    assert "--out DIR" in message


def test_an_unknown_format_names_the_known_ones(refused, small, tmp_path):
    assert "'svg', 'png', 'pdf'" in refused(2, "run", small, "--out", tmp_path, "--figures", "jpg")
