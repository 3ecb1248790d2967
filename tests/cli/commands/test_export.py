"""``fsops export``."""

from pathlib import Path

PROCESSES = Path(__file__).resolve().parents[3] / "processes"
QUICKSTART = PROCESSES / "quickstart.xml"


def test_script_is_printed(fsops):
    done = fsops("export", QUICKSTART, "--to", "python")
    assert done.exit_code == 0
    compile(done.stdout, "script", "exec")
    assert "weight_by_sam(" in done.stdout


def test_script_is_written_and_kept_unless_forced(fsops, tmp_path):
    target = tmp_path / "mine.py"
    assert fsops("export", QUICKSTART, "--out", target).stdout == f"Written: {target}\n"
    target.write_text("mine")
    done = fsops("export", QUICKSTART, "--out", target)
    assert done.exit_code == 2
    assert "exists" in done.stderr
    assert target.read_text() == "mine"
    assert fsops("export", QUICKSTART, "--out", target, "--force").exit_code == 0
    assert "def main():" in target.read_text()


def test_settings_and_macros_of_the_command_line_count(fsops):
    done = fsops("export", PROCESSES / "loops.xml", "--set", "Loop.iterations=3")
    assert "iterations=3" in done.stdout


def test_a_pipeline_is_written_where_the_process_is_one(fsops, refused):
    assert "Pipeline(" in fsops("export", QUICKSTART, "--to", "sklearn").stdout
    said = refused(2, "export", PROCESSES / "filters.xml", "--to", "sklearn")
    assert "not a pipeline of scikit-learn" in said


def test_an_unknown_target_is_told(refused):
    assert "'java' is not one of" in refused(2, "export", QUICKSTART, "--to", "java")


def test_a_step_that_is_missing_is_told_in_a_sentence(refused, tmp_path):
    text = QUICKSTART.read_text().replace('class="naive_bayes"', 'class="no_such_learner"')
    wrong = tmp_path / "wrong.xml"
    wrong.write_text(text)
    for target in ("python", "sklearn"):
        said = refused(2, "export", wrong, "--to", target)
        assert 'Naive Bayes: "no_such_learner" is not installed' in said
