"""A run: a process with options, executed."""

import json
import threading

import pytest

import fsops
from fsops import AttributeWeights, ExampleSet, Process, Run, RunOptions, write_process
from fsops.core.frame.events import Finished, PortKept
from fsops.errors import InvalidProcess, StorageError, UsageError
from fsops.operators import read_csv, retrieve, select_top_k, weight_by_sam, write_csv


@pytest.fixture
def process():
    process = Process("Weighting")
    table = process.add(retrieve, repository_entry="breast cancer")
    weights = process.add(weight_by_sam, table)
    process.result(process.add(select_top_k, weights, k=10))
    return process


def test_a_file_runs_in_one_call(small):
    outcome = fsops.run(str(small), seed=7)
    assert isinstance(outcome[0], AttributeWeights)
    assert outcome[ExampleSet] is outcome[1]
    assert list(outcome) == outcome.results
    assert (outcome.seed, len(outcome)) == (7, 2)


def test_a_process_is_executed_with_its_options(process):
    events = []
    run = Run(process, RunOptions(seed=1, until="Weight by SAM"))
    outcome = run.execute(listener=events.append)
    assert outcome.names == ["Weight by SAM.weights"]
    assert [e.path for e in events if isinstance(e, Finished)] == [
        ("Retrieve",),
        ("Weight by SAM",),
    ]
    assert outcome.timings["Weight by SAM",].runs == 1


def test_a_run_executes_twice_with_equal_results(process):
    run = Run(process)
    assert run.execute()[0].equals(run.execute()[0])


def test_parameters_are_set_in_the_run_and_not_in_the_process(process):
    outcome = fsops.run(process, set={"Select Top k.k": 5})
    assert len(outcome[0].selected()) == 5
    assert process["Select Top k"].parameters == {"k": 10}
    assert len(fsops.run(process)[0].selected()) == 10


def test_texts_as_on_the_command_line_are_set_too(process):
    assert len(fsops.run(process, set=["Select Top k.k=5"])[0].selected()) == 5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"Select Top.k": 5}, 'set["Select Top.k"]: there is no operator "Select Top". Did you'),
        ({"Select Top k.kk": 5}, '"Select Top k" has no parameter "kk". Did you mean "k"?'),
        ({"Select Top k.k": 0}, "Select Top k: k is 0, but must be a whole number of at least 1."),
    ],
)
def test_a_wrong_parameter_is_refused_before_the_run(process, settings, message):
    with pytest.raises(fsops.FsopsError) as caught:
        fsops.run(process, set=settings)
    assert message in str(caught.value)


def test_changing_the_process_later_does_not_change_the_run(process):
    run = Run(process)
    process["Select Top k"].parameters["k"] = 3
    assert len(run.execute()[0].selected()) == 10


def test_macros_may_be_numbers(process):
    process["Select Top k"].parameters["k"] = "%{k}"
    assert len(fsops.run(process, macros={"k": 4})[0].selected()) == 4


def test_a_macro_that_a_file_does_not_use_is_refused(small):
    with pytest.raises(UsageError, match=r"macros: nothing in the process uses %\{who\}"):
        fsops.run(small, macros={"who": "me"})


def test_an_unknown_option_is_named_with_the_one_that_is_meant(process):
    with pytest.raises(TypeError, match="no argument 'job'.*\"jobs\""):
        fsops.run(process, job=2)


def test_what_is_no_process_is_refused():
    with pytest.raises(UsageError, match="must be a Process or the path of its file"):
        fsops.run(3)


def test_engines_by_name_and_open_ones_give_the_same(quickstart):
    serial = fsops.run(quickstart)
    by_name = fsops.run(quickstart, engine="threads", jobs=2)
    engine = fsops.open_engine("threads", fsops.EngineSettings(jobs=2))
    try:
        opened = [fsops.run(quickstart, engine=engine) for _ in range(2)]
    finally:
        engine.close()
    for outcome in (by_name, *opened):
        assert [a.equals(b) for a, b in zip(serial, outcome, strict=True)] == [True, True]
    assert by_name.record()["engine"] == {"name": "threads", "jobs": 2, "scheduler": None}
    assert opened[0].record()["engine"]["name"] == "ThreadEngine"


def test_the_configured_engine_runs_the_loops(quickstart, config):
    config('[engine]\nname = "threads"\njobs = 2')
    assert fsops.run(quickstart).record()["engine"]["name"] == "threads"


def test_resume_takes_results_from_the_usual_folder(quickstart, config, tmp_path):
    config(f'[cache]\nfolder = "{tmp_path}/kept"')
    fsops.run(quickstart, resume=True)
    events = []
    fsops.run(quickstart, resume=True, listener=events.append)
    cached = {e.path[-1]: e.cached for e in events if isinstance(e, Finished)}
    assert cached["Cross Validation"]


def test_a_store_serves_as_the_cache(quickstart, tmp_path):
    store = fsops.ResultStore(tmp_path / "kept")
    fsops.run(quickstart, cache=store)
    assert store.usage().entries > 0


def test_a_negative_seed_is_drawn_and_told(process):
    seeds = {fsops.run(process, seed=-1).seed for _ in range(3)}
    assert len(seeds) == 3
    assert min(seeds) >= 0


def test_a_run_can_be_cancelled(process):
    stop = threading.Event()
    stop.set()
    with pytest.raises(fsops.FsopsError, match="stopped"):
        fsops.run(process, cancel=stop)


def test_a_process_with_an_error_does_not_start(small):
    small.with_name("table.csv").unlink()
    with pytest.raises(InvalidProcess, match="There is no file"):
        fsops.run(small)


# --- writing --------------------------------------------------------------------------------


def test_a_file_may_write_only_into_its_folder(small, tmp_path):
    text = small.read_text().replace(
        '<operator class="weight_by_sam"',
        '<operator class="write_csv" name="Write"><parameter key="path" value="{}"/></operator>'
        '<connect from_op="Read" from_port="examples" to_op="Write" to_port="examples"/>'
        '<operator class="weight_by_sam"',
    )
    inside, outside = tmp_path / "in", tmp_path / "elsewhere"
    inside.mkdir()
    outside.mkdir()
    (inside / "table.csv").write_bytes(small.with_name("table.csv").read_bytes())
    file = inside / "process.xml"
    file.write_text(text.format("copy.csv"))
    fsops.run(file)
    assert (inside / "copy.csv").exists()
    file.write_text(text.format(outside / "copy.csv"))
    with pytest.raises(StorageError, match="outside its folder"):
        fsops.run(file)
    fsops.run(file, allow_write=[outside])
    assert (outside / "copy.csv").exists()


def test_a_process_from_python_may_write_anywhere(tmp_path):
    process = Process()
    table = process.add(retrieve, repository_entry="golf")
    process.result(process.add(write_csv, table, path=str(tmp_path / "golf.csv")))
    fsops.run(process)
    assert (tmp_path / "golf.csv").exists()


def test_files_in_the_options_are_written(small, tmp_path):
    pytest.importorskip("jinja2")
    out = tmp_path / "out"
    outcome = fsops.run(small, out=out, report=out / "page.html")
    assert {file.file for file in outcome.files} <= {file.name for file in out.iterdir()}
    assert "Weigh.weights" in (out / "page.html").read_text(encoding="utf-8")
    assert json.loads((out / "run.json").read_text())["command"] == (
        f"fsops run {small} --seed 2001 --out {out} --report {out / 'page.html'}"
    )


def test_a_report_that_cannot_be_written_is_refused_before_the_run(small, tmp_path):
    pytest.importorskip("jinja2")
    events = []
    with pytest.raises(UsageError, match="There is no folder"):
        fsops.run(small, report=tmp_path / "no" / "page.html", listener=events.append)
    assert events == []


def test_a_folder_for_ports_that_cannot_be_made_is_refused(small, tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StorageError, match="Nothing can be written to the folder"):
        fsops.run(small, ports=tmp_path / "taken")


def test_results_have_their_keys_in_the_folder_of_the_ports(small, tmp_path):
    events = []
    outcome = fsops.run(small, ports=tmp_path / "ports", listener=events.append)
    kept = {(e.path[-1], e.port): e.key for e in events if isinstance(e, PortKept)}
    assert outcome.keys == [kept["Weigh", "weights"], kept["Read", "examples"]]
    assert fsops.run(small).keys is None


def test_problems_are_known_without_running(small):
    run = Run(small, RunOptions(set={"Weigh.s0": "%{nothing}"}))
    assert any("nothing" in problem.message for problem in run.problems())
    with pytest.raises(InvalidProcess):
        run.refuse_errors()


# --- the folder of the data sets ------------------------------------------------------------


@pytest.fixture
def reading(tmp_path):
    """Return a process file that reads a table from the folder in its macro `data`."""
    process = Process("Reading")
    table = process.add(read_csv, path="%{data}/table.csv", label="y")
    process.result(table)
    process.macros["data"] = "../missing/data"
    file = tmp_path / "here" / "reading.xml"
    file.parent.mkdir()
    write_process(process, file)
    return file


def test_the_environment_names_the_folder_of_the_data_sets(reading, tmp_path, monkeypatch):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "table.csv").write_text("a,y\n1,x\n2,z\n", encoding="utf-8")
    monkeypatch.setenv("FSOPS_DATA", str(folder))
    outcome = fsops.run(str(reading))
    assert len(outcome[0]) == 2
    assert outcome.record()["macros"]["data"] == str(folder)
    other = tmp_path / "other"
    other.mkdir()
    (other / "table.csv").write_text("a,y\n1,x\n", encoding="utf-8")
    assert len(fsops.run(str(reading), macros={"data": str(other)})[0]) == 1


def test_a_folder_of_data_sets_that_does_not_exist_is_named_with_the_remedy(reading, monkeypatch):
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    with pytest.raises(UsageError, match='"../missing/data", does not exist') as raised:
        fsops.run(str(reading))
    assert "FSOPS_DATA" in raised.value.hint
    assert "--macro data=FOLDER" in raised.value.hint
