"""``fsops draw``."""

from pathlib import Path

QUICKSTART = Path(__file__).resolve().parents[3] / "processes" / "quickstart.xml"


def test_picture_is_written_beside_the_process(fsops, tmp_path):
    copy = tmp_path / "mine.xml"
    copy.write_bytes(QUICKSTART.read_bytes())
    done = fsops("draw", str(copy))
    assert done.exit_code == 0
    assert (tmp_path / "mine.svg").read_text(encoding="utf-8").startswith("<svg")


def test_picture_that_exists_is_kept_unless_forced(fsops, tmp_path):
    target = tmp_path / "x.svg"
    target.write_text("mine")
    done = fsops("draw", str(QUICKSTART), str(target))
    assert done.exit_code == 2
    assert "exists" in done.stderr
    assert target.read_text() == "mine"
    assert fsops("draw", str(QUICKSTART), str(target), "--force").exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("<svg")


def test_the_file_can_be_given_as_an_option(fsops, tmp_path):
    target = tmp_path / "x.svg"
    assert fsops("draw", str(QUICKSTART), "-o", str(target)).exit_code == 0
    assert target.read_text(encoding="utf-8").startswith("<svg")
    twice = fsops("draw", str(QUICKSTART), str(target), "-o", str(target))
    assert twice.exit_code == 2
    assert "Two files" in twice.stderr
