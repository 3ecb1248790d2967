"""``fsops run``: results, messages and files."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from fsops import ExampleSet
from fsops.cli.output import run as output
from fsops.errors import DataError
from fsops.examples import examples_folder
from fsops.plugins import PluginProblem, plugins
from fsops.plugins.manager import PluginInfo
from fsops.runs.run import Run


def test_results_go_to_stdout_and_everything_else_to_stderr(fsops, small):
    result = fsops("run", small)
    assert result.exit_code == 0
    assert result.stdout.startswith("Attribute weights  Weigh.weights")
    assert "Data table  Read.examples" in result.stdout
    assert "Read: done in" in result.stderr
    assert "with seed 2001" in result.stderr


def test_quiet_says_nothing_but_the_results(fsops, small):
    result = fsops("run", small, "--quiet")
    assert result.stderr == ""
    assert "Weigh.weights" in result.stdout


def test_all_rows_only_on_request(fsops, weighting):
    header = ",".join(f"x{i}" for i in range(30))
    rows = "\n".join(
        ",".join([*(str(i * j % 7) for i in range(30)), "pq"[j % 2]]) for j in range(9)
    )
    file = weighting(f"{header},y\n{rows}\n")
    assert "more attributes" in fsops("run", file).stdout
    everything = fsops("run", file, "--all").stdout
    assert "more" not in everything
    assert all(re.search(rf"\bx{i} ", everything) for i in range(30))


def test_json_is_one_document_without_times(fsops, small):
    first, second = (fsops("run", small, "--format", "json", "--quiet") for _ in range(2))
    assert first.stdout == second.stdout
    document = json.loads(first.stdout)
    assert [r["name"] for r in document["results"]] == ["Weigh.weights", "Read.examples"]
    assert [r["type"] for r in document["results"]] == ["AttributeWeights", "ExampleSet"]
    assert document["seed"] == 2001
    assert document["results"][1]["rows"] == 4


def test_a_setting_changes_the_result(fsops, small):
    plain = json.loads(fsops("run", small, "--format", "json").stdout)
    changed = json.loads(fsops("run", small, "--set", "Weigh.s0=5", "--format", "json").stdout)
    assert plain["results"][0] != changed["results"][0]


def test_a_macro_that_nothing_uses_is_refused(refused, small):
    said = refused(2, "run", small, "--macro", "who=me")
    assert "nothing in the process uses %{who}" in said


def test_a_setting_or_macro_without_a_value_is_refused(refused, quickstart):
    assert "Write it as Operator.parameter=value" in refused(2, "run", quickstart, "--set", "x")
    assert "Write it as name=value" in refused(2, "run", quickstart, "--macro", "x")


def test_a_macro_fills_a_parameter(fsops, process_file):
    file = process_file(
        '<operator class="retrieve" name="R"><parameter key="repository_entry" value="%{data}"/>'
        '</operator><connect from_op="R" from_port="examples" to_port="result 1"/>'
    )
    shown = fsops("run", file, "--macro", "data=golf").stdout
    assert "14 rows" in shown
    assert "Outlook" in shown


def test_warnings_are_shown_once_with_place_and_count(fsops, quickstart):
    result = fsops("run", quickstart, "--set", "Select Top k.k=40")
    said = [line for line in result.stderr.splitlines() if line.startswith("Warning")]
    assert len(said) == 1
    assert "Cross Validation › Training › Select Top k: k is 40" in said[0]
    assert said[0].endswith("(10 times)")
    document = json.loads(
        fsops("run", quickstart, "--set", "Select Top k.k=40", "--format", "json").stdout
    )
    assert document["warnings"][0]["count"] == 10


def test_warnings_are_shown_also_when_the_run_fails(fsops, weighting):
    rows = "".join(f"{i},{i % 3},{'pq'[i % 2]}\n" for i in range(20))
    file = weighting(f"a,b,y\n{rows}oops,1,p\n", operator="weight_by_information_gain")
    result = fsops("run", file, "--set", "Weigh.missing=error")
    assert "looks numerical" in result.stderr


def test_a_process_without_results_says_so(fsops, process_file):
    file = process_file(
        '<operator class="retrieve" name="R"><parameter key="repository_entry" value="golf"/>'
        "</operator>"
    )
    assert "returns no result" in fsops("run", file).stderr


def test_a_broken_plugin_is_named(fsops, small, monkeypatch):
    problem = PluginProblem(PluginInfo("relief", "fsops-relief", "0.1"), "No module named x")
    monkeypatch.setattr(plugins(), "problems", [problem])
    assert "Plugin relief (fsops-relief 0.1): No module" in fsops("run", small).stderr
    assert fsops("run", small, "--quiet").stderr == ""


class Broken:
    def __rich_console__(self, console, options):
        raise RuntimeError("boom")


def broken():
    raise RuntimeError("boom")


@pytest.mark.parametrize("fail", [broken, Broken])
def test_a_renderer_that_fails_does_not_hide_the_rest(fsops, small, monkeypatch, fail):
    def show(value, rows):
        return fail() if isinstance(value, ExampleSet) else "fine"

    monkeypatch.setattr(output, "show", show)
    result = fsops("run", small)
    assert result.exit_code == 0
    assert "fine" in result.stdout
    assert "cannot be shown: RuntimeError: boom" in result.stdout


def test_a_small_run_into_a_pipe_loads_no_more_than_it_needs(small):
    unneeded = (
        "rich.progress",
        "pandas",
        "scipy.stats",
        "fsops.storage.wide_csv",
        "fsops.report.summary",
    )
    program = (
        "import sys\n"
        "from fsops.cli import main\n"
        f"sys.argv = ['fsops', 'run', {str(small)!r}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        f"print([name for name in {unneeded} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={name: value for name, value in os.environ.items() if name != "FORCE_COLOR"},
    )
    assert result.stdout.startswith("Attribute weights  Weigh.weights\n")
    assert result.stdout.endswith("\n[]\n")


def test_debug_shows_the_traceback(fsops, small, monkeypatch):
    def fail(*args, **kwargs):
        raise DataError("All wrong.")

    monkeypatch.setattr(Run, "execute", fail)
    result = fsops("run", small, "--debug")
    assert result.exit_code == 1
    assert "Traceback" in result.stderr
    assert result.stderr.rstrip().endswith("Error: All wrong.")


# --- files ----------------------------------------------------------------------------------


@pytest.fixture
def written(fsops, small, tmp_path):
    out = tmp_path / "out" / "deep"
    result = fsops("run", small, "--out", out, "--set", "Weigh.s0=%{small}", "--macro", "small=0.2")
    assert result.exit_code == 0
    return out


def test_out_gets_every_result_and_a_record(written):
    names = {file.name for file in written.iterdir()}
    assert names == {
        "run.json", "weigh.weights.csv", "read.examples.parquet", "read.examples.csv",
    }  # fmt: skip
    table = ExampleSet.from_arrow(pq.read_table(written / "read.examples.parquet"))
    assert table.label.name == "y"


def test_the_record_tells_everything(written, small):
    record = json.loads((written / "run.json").read_text())
    assert record["fsops"]
    assert record["libraries"]["numpy"]
    assert record["seed"] == 2001
    assert record["macros"] == {"small": "0.2"}
    assert record["process"]["sha256"] == hashlib.sha256(small.read_bytes()).hexdigest()
    weigh = next(o for o in record["operators"] if o["path"] == ["Weigh"])
    assert weigh["parameters"]["s0"] == 0.2
    assert weigh["parameters"]["signed"] is False
    assert weigh["set_by_command"] == ["s0"]
    assert weigh["runs"] == 1
    assert weigh["seconds"] > 0
    for file in record["results"]:
        content = (written / file["file"]).read_bytes()
        assert file["sha256"] == hashlib.sha256(content).hexdigest()
        assert file["bytes"] == len(content)


def test_the_recorded_command_repeats_the_run_byte_for_byte(fsops, written):
    record = json.loads((written / "run.json").read_text())
    before = {f.name: f.read_bytes() for f in written.iterdir() if f.name != "run.json"}
    program, *arguments = shlex.split(record["command"])
    assert program == "fsops"
    assert fsops(*arguments).exit_code == 0
    assert before == {f.name: f.read_bytes() for f in written.iterdir() if f.name != "run.json"}


def test_the_seed_counts(fsops, quickstart, tmp_path):
    contents = []
    for number, seed in enumerate((1, 1, 2)):
        out = tmp_path / str(number)
        fsops("run", quickstart, "--seed", seed, "--out", out, "--quiet")
        contents.append({f.name: f.read_bytes() for f in out.iterdir() if f.name != "run.json"})
    assert contents[0] == contents[1]
    assert contents[0] != contents[2]


def test_an_unwritable_folder_is_told_before_the_run(refused, small, tmp_path):
    (tmp_path / "taken").write_text("a file")
    said = refused(1, "run", small, "--out", tmp_path / "taken")
    assert "for the results cannot be written: file exists" in said
    assert "done in" not in said


def test_switched_off_operators_are_recorded_as_they_stand(fsops, process_file, tmp_path):
    file = process_file(
        '<operator class="retrieve" name="R"><parameter key="repository_entry" value="golf"/>'
        '</operator><operator class="select_top_k" name="Off" activated="false">'
        '<parameter key="k" value="nonsense"/></operator>'
        '<connect from_op="R" from_port="examples" to_port="result 1"/>'
    )
    assert fsops("run", file, "--out", tmp_path / "o").exit_code == 0
    record = json.loads((tmp_path / "o" / "run.json").read_text())
    off = next(o for o in record["operators"] if o["path"] == ["Off"])
    assert off["enabled"] is False
    assert off["parameters"] == {"k": "nonsense"}


# --- what can go wrong ----------------------------------------------------------------------


def test_missing_process_file(refused, tmp_path, small):
    assert "there is no such file" in refused(2, "run", tmp_path / "gone.xml")
    assert 'Did you mean "process.xml"?' in refused(2, "run", tmp_path / "proces.xml")


def test_not_xml(refused, tmp_path):
    file = tmp_path / "p.xml"
    file.write_text("hello")
    assert "not XML" in refused(2, "run", file)


def test_unknown_operator(refused, weighting):
    said = refused(2, "run", weighting("a,y\n1,p\n2,q\n", operator="weight_by_samm"))
    assert 'There is no operator "weight_by_samm". Did you mean "weight_by_sam"' in said
    assert '→ Use "Weight by SAM"' in said


def test_wrong_parameter(refused, quickstart, tmp_path):
    file = tmp_path / "p.xml"
    text = quickstart.read_text().replace('key="k" value="10"', 'key="k" value="none"')
    file.write_text(text)
    said = refused(2, "run", file)
    assert "Cross Validation › Training › Select Top k" in said
    assert 'k is "none", but must be a whole number of at least 1.' in said


def test_unknown_parameter(refused, quickstart, tmp_path):
    file = tmp_path / "p.xml"
    file.write_text(quickstart.read_text().replace('key="k"', 'key="kk"'))
    assert 'There is no parameter "kk". Did you mean "k"?' in refused(2, "run", file)


def test_wrong_column(refused, weighting):
    assert 'There is no column "z"' in refused(2, "run", weighting("a,y\n1,p\n2,q\n", label="z"))


def test_missing_label(refused, process_file, tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n3,4\n")
    file = process_file(
        '<operator class="read_csv" name="Read"><parameter key="path" value="table.csv"/>'
        '</operator><operator class="weight_by_sam" name="Weigh"/>'
        '<connect from_op="Read" from_port="examples" to_op="Weigh" to_port="examples"/>'
        '<connect from_op="Weigh" from_port="weights" to_port="result 1"/>'
    )
    assert "The data has no label." in refused(2, "run", file)


def test_one_class_only(refused, weighting):
    said = refused(1, "run", weighting("a,b,y\n1,2,p\n2,3,p\n"))
    assert 'Weigh: At least two classes are needed, but all rows have the class "p"' in said


def test_constant_columns_get_weight_zero(fsops, weighting):
    file = weighting("a,b,y\n1,2,p\n1,3,q\n1,5,q\n1,4,p\n")
    document = json.loads(fsops("run", file, "--format", "json").stdout)
    weights = {row["attribute"]: row["weight"] for row in document["results"][0]["weights"]}
    assert weights["a"] == 0
    assert weights["b"] > 0


def test_empty_table(refused, weighting):
    assert "has no rows" in refused(2, "run", weighting("a,b,y\n"))


def test_missing_values(refused, weighting):
    said = refused(2, "run", weighting("a,b,y\n1,,p\n2,3,q\n3,3,q\n1,4,p\n"))
    assert 'Values are missing in "b"' in said
    assert "pairwise" in said


def test_text_in_a_numeric_column(refused, weighting):
    rows = "".join(f"{i},{i % 3},{'pq'[i % 2]}\n" for i in range(30))
    said = refused(2, "run", weighting(f"a,b,y\n{rows}x,2,p\n"))
    assert 'must be numerical, but "a" is not' in said


def test_missing_data_file(refused, weighting, tmp_path):
    file = weighting("a,y\n1,p\n")
    (tmp_path / "table.csv").unlink()
    said = refused(2, "run", file)
    assert "There is no file" in said
    assert "table.csv" in said.replace(" ", "")  # a long path may be broken


@pytest.mark.parametrize("data", ["\x1b[31mred\x1b[0m", "[bold]b[/bold]", "a\u202eb", ":smile:"])
def test_names_are_shown_as_text(fsops, weighting, data):
    result = fsops("run", weighting(f"{data},y\n1,p\n2,q\n1,p\n5,q\n"))
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "\u202e" not in result.stdout
    expected = data.replace("\x1b", "\\x1b").replace("\u202e", "\\u202e")
    assert expected in result.stdout


def test_a_macro_that_only_the_run_knows_stands_in_the_record_as_in_the_file(fsops, tmp_path):
    loops = examples_folder() / "loops.xml"
    assert fsops("run", loops, "--out", tmp_path / "out").exit_code == 0
    record = json.loads((tmp_path / "out" / "run.json").read_text(encoding="utf-8"))
    top = next(o for o in record["operators"] if o["path"][-1] == "Select Top k")
    assert top["parameters"]["k"] == "%{k}"
