"""Running graphs: order, nesting, seeds, memory, errors, cancellation."""

import gc
import threading
import weakref
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from pydantic import Field

from fsops import (
    AttributeWeights,
    Context,
    ExampleSet,
    FlowObject,
    Process,
    Subprocess,
    operator,
    run,
)
from fsops.core import File
from fsops.core.frame.events import Failed, Finished, Progressed, Started
from fsops.errors import (
    Cancelled,
    DataError,
    InvalidProcess,
    OperatorFailed,
    ParameterError,
    PortError,
    StorageError,
    UsageError,
)


class Halves(NamedTuple):
    upper: ExampleSet
    lower: ExampleSet


@operator(group="Test")
def load(*, rows: Annotated[int, Field(ge=1)] = 8) -> ExampleSet:
    """Load"""
    return ExampleSet.from_numpy(np.arange(rows * 2.0).reshape(rows, 2), ["a", "b"] * (rows // 2))


@operator(group="Test")
def halve(examples: ExampleSet) -> Halves:
    """Halve"""
    middle = len(examples) // 2
    return Halves(examples.take(np.arange(middle)), examples.take(np.arange(middle, len(examples))))


@operator(group="Test")
def noise(examples: ExampleSet, *, ctx: Context) -> AttributeWeights:
    """Noise"""
    return examples.weights(ctx.rng().random(2))


@operator(group="Test")
def repeat(
    examples: ExampleSet,
    body: Subprocess[[ExampleSet], AttributeWeights],
    *,
    times: int = 3,
    ctx: Context,
) -> AttributeWeights:
    """Repeat"""
    drawn = ctx.map(lambda _: body(examples), range(times), "Times")
    return examples.weights(np.sum([w.values for w in drawn], axis=0))


@operator(group="Test")
def vote(
    examples: ExampleSet, voters: list[Subprocess[[ExampleSet], AttributeWeights]]
) -> AttributeWeights:
    """Vote"""
    return examples.weights(np.sum([voter(examples).values for voter in voters], axis=0))


@operator(group="Test")
def add_up(weights: list[AttributeWeights]) -> AttributeWeights:
    """Add up"""
    return weights[0].with_values(np.sum([w.values for w in weights], axis=0))


@operator(group="Test")
def split_off(examples: ExampleSet) -> list[ExampleSet]:
    """Split off"""
    return [examples.take([i]) for i in range(3)]


@operator(group="Test")
def crash(examples: ExampleSet, *, how: str = "value") -> ExampleSet:
    """Crash"""
    if how == "data":
        raise DataError("The data is sad.")
    raise ZeroDivisionError("by zero")


def looped(times=3, **options):
    process = Process(**options)
    node = process.add(repeat, process.add(load), times=times)
    body = node.inner()
    body.result(body.add(noise, body.source()))
    process.result(node)
    return process


def test_results_come_in_the_order_of_the_result_ports():
    process = Process()
    halves = process.add(halve, process.add(load))
    process.result(halves["lower"])
    process.result(halves["upper"])
    result = run(process)
    assert [r.numeric()[0, 0] for r in result] == [8.0, 0.0]
    assert result.names == ["Halve.lower", "Halve.upper"]


def test_results_are_found_by_type():
    process = Process()
    data = process.add(load)
    process.result(data)
    process.result(process.add(noise, data))
    assert run(process)[AttributeWeights].names == ("att1", "att2")


def test_result_of_a_type_that_is_not_there_is_told():
    process = Process()
    process.result(process.add(load))
    with pytest.raises(UsageError, match=r"attribute weights\), only a data table"):
        run(process)[AttributeWeights]


def test_process_can_be_given_data():
    process = Process()
    process.result(process.add(noise, process.source()))
    assert run(process, load(rows=4))[0].equals(run(process, load(rows=6))[0])


def test_missing_input_of_the_process_is_told():
    process = Process()
    process.result(process.add(noise, process.source()))
    with pytest.raises(PortError, match='Noise: The input "examples" is missing'):
        run(process)


def test_same_seed_same_bytes_and_other_seed_other_numbers():
    process = looped()
    assert run(process)[0].equals(run(process)[0])
    assert not run(process)[0].equals(run(process, seed=1)[0])


def test_iterations_draw_different_numbers():
    once, thrice = run(looped(1))[0].values, run(looped(3))[0].values
    assert not np.allclose(3 * once, thrice)


def test_first_iterations_do_not_depend_on_how_many_follow():
    seen = []

    def record(times):
        process = looped(times)
        process["Repeat"].inner()["Noise"].breakpoints = frozenset({"after"})
        run(
            process,
            pause=lambda node, moment, values: seen.append(values["weights"].values.tolist()),
        )

    record(2)
    record(4)
    assert seen[:2] == seen[2:4]


def test_adding_or_renaming_another_step_changes_nothing():
    process = looped()
    before = run(process)[0]
    process.result(process.add(noise, process["Load"], name="Unrelated"))
    process.rename("Load", "Loader")
    assert run(process)[0].equals(before)


def test_many_inner_processes_and_many_inputs_arrive_in_order():
    process = Process()
    data = process.add(load)
    node = process.add(vote, data)
    node.add_inner()
    for inner in node.subprocesses:
        inner.result(inner.add(noise, inner.source()))
    total = process.add(add_up, node, process.add(noise, data, name="Third"))
    process.result(total)
    assert run(process)[0].values.shape == (2,)


def test_outputs_of_many_are_numbered():
    process = Process()
    node = process.add(split_off, process.add(load))
    process.connect(node["examples 2"], "<sink>", "result 1")
    assert run(process)[0].numeric().tolist() == [[2.0, 3.0]]


def test_result_is_freed_after_its_last_reader():
    alive = []

    class Big(FlowObject):
        port_name, title = "big", "Big"

    refs = []

    def make() -> Big:
        """Make"""
        big = Big()
        refs.append(weakref.ref(big))
        return big

    def use(big: Big) -> Big:
        """Use"""
        return Big()

    def look(big: Big) -> Big:
        """Look"""
        gc.collect()
        alive.append(refs[0]() is not None)
        return big

    for function in (make, use, look):
        function.__annotations__ = {k: Big for k in function.__annotations__}
    process = Process()
    first = process.add(operator(group="T")(make))
    second = process.add(operator(group="T")(use), first)
    process.result(process.add(operator(group="T")(look), second))
    run(process)
    assert alive == [False]


def test_disabled_operator_hands_its_input_on():
    process = Process()
    node = process.add(crash, process.add(load))
    node.enabled = False
    process.result(node)
    assert len(run(process)[0]) == 8


def test_error_of_ours_carries_the_path():
    process = Process()
    node = process.add(repeat, process.add(load))
    body = node.inner()
    body.result(body.add(noise, body.add(crash, body.source(), how="data")))
    process.result(node)
    with pytest.raises(DataError) as caught:
        run(process)
    assert str(caught.value) == "Repeat › Body › Crash: The data is sad."


def test_foreign_error_is_wrapped_with_path_and_cause():
    process = Process()
    process.result(process.add(crash, process.add(load)))
    with pytest.raises(OperatorFailed) as caught:
        run(process)
    assert (
        "Crash: The operator stopped with an unexpected error (ZeroDivisionError: by zero)"
        in str(caught.value)
    )
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_invalid_process_does_not_start():
    heard = []
    process = Process()
    process.result(process.add(load, rows=0))
    with pytest.raises(
        InvalidProcess, match="rows is 0, but must be a whole number of at least 1"
    ) as caught:
        run(process, listener=heard.append)
    assert len(caught.value.problems) == 1
    assert heard == []


def test_events_tell_the_story():
    heard = []
    run(looped(2), listener=heard.append)
    kinds = [(type(e).__name__, e.path) for e in heard]
    inner = ("Repeat", "Body", "Noise")
    assert kinds == [
        ("Started", ("Load",)),
        ("Finished", ("Load",)),
        ("Started", ("Repeat",)),
        ("Progressed", ("Repeat",)),
        ("Started", inner),
        ("Finished", inner),
        ("Progressed", ("Repeat",)),
        ("Started", inner),
        ("Finished", inner),
        ("Progressed", ("Repeat",)),
        ("Finished", ("Repeat",)),
    ]


def test_failure_is_an_event_too():
    heard = []
    process = Process()
    process.result(process.add(crash, process.add(load)))
    with pytest.raises(OperatorFailed):
        run(process, listener=heard.append)
    assert isinstance(heard[-1], Failed)


def test_timings_count_runs_and_peak_memory():
    timings = run(looped(3)).timings
    noise_timing = timings["Repeat", "Body", "Noise"]
    assert noise_timing.runs == 3
    assert 0 < noise_timing.seconds <= timings[("Repeat",)].seconds
    assert timings[("Repeat",)].peak_memory is None or timings[("Repeat",)].peak_memory > 2**20


def test_cancelling_stops_before_the_next_step():
    cancel, heard = threading.Event(), []

    def listener(event):
        heard.append(event)
        if isinstance(event, Progressed) and event.done == 2:
            cancel.set()

    with pytest.raises(Cancelled):
        run(looped(100), listener=listener, cancel=cancel)
    assert len([e for e in heard if isinstance(e, Started) and e.path[-1] == "Noise"]) == 2
    assert not any(isinstance(e, Finished) and e.path == ("Repeat",) for e in heard)


def test_breakpoints_show_the_values_at_the_ports():
    process = looped(1)
    process["Load"].breakpoints = frozenset({"after"})
    process["Repeat"].breakpoints = frozenset({"before"})
    seen = []
    run(process, pause=lambda node, moment, values: seen.append((node.name, moment, list(values))))
    assert seen == [("Load", "after", ["examples"]), ("Repeat", "before", ["examples"])]


def test_macros_are_filled_in_with_the_given_ones_first():
    process = Process(macros={"n": "4"})
    process.result(process.add(load, rows="%{n}"))
    assert len(run(process)[0]) == 4
    assert len(run(process, macros={"n": "6"})[0]) == 6


def test_predefined_macros_are_known():
    process = Process("Mine")
    process.result(process.add(load, name="%{process_name}"))
    assert run(process).names == ["%{process_name}.examples"]


def test_inner_process_that_delivers_nothing_is_told():
    process = looped(1)
    body = process["Repeat"].inner()
    body.disconnect("<sink>", "weights")
    with pytest.raises(
        InvalidProcess, match='Repeat › Body: Nothing is connected to the result "weights"'
    ):
        run(process)


def test_python_functions_serve_as_inner_processes():
    def flat(examples):
        return examples.weights(np.ones(2))

    assert repeat(load(), flat, times=4).values.tolist() == [4.0, 4.0]


# --- what searches and control operators need ------------------------------------------------


@operator(group="Test")
def scaled(
    examples: ExampleSet, *, factor: Annotated[int, Field(ge=1)] = 1, text: str = ""
) -> AttributeWeights:
    """Scaled"""
    return examples.weights(np.array([factor, len(text)], dtype=float))


@operator(group="Test")
def with_settings(
    examples: ExampleSet, body: Subprocess[[ExampleSet], AttributeWeights], *, factor: float = 2.0
) -> AttributeWeights:
    """With settings"""
    return body.configured({"Scaled.factor": factor, "Scaled.text": "abc"})(examples)


def configured_process(**parameters):
    process = Process()
    node = process.add(with_settings, process.add(load), **parameters)
    inner = node.inner()
    inner.result(inner.add(scaled, inner.source("examples")), "weights")
    process.result(node)
    return process


def test_an_operator_can_set_parameters_of_its_inner_process_for_a_while():
    process = configured_process()
    (found,) = run(process)
    assert list(found.values) == [2.0, 3.0]
    assert process.find("Scaled").parameters == {}


def test_fractions_for_whole_numbers_are_rounded_and_wrong_values_told():
    (found,) = run(configured_process(factor=3.6))
    assert found.values[0] == 4.0
    with pytest.raises(ParameterError, match="at least 1"):
        run(configured_process(factor=0.2))


def test_a_function_as_inner_process_gets_settings_as_arguments():
    table = load()
    found = with_settings(table, lambda t, factor, text: t.weights([factor, len(text)]))
    assert list(found.values) == [2.0, 3.0]
    with pytest.raises(PortError, match="must take: examples, factor, text"):
        with_settings(table, lambda t: t.weights([1.0, 1.0]))


@operator(group="Test")
def save(
    examples: ExampleSet, *, target: Annotated[str, File((".txt",), write=True)]
) -> ExampleSet:
    """Save"""
    Path(target).write_text(str(len(examples)))
    return examples


def saving(folder, target):
    process = Process()
    process.folder = folder
    process.result(process.add(save, process.add(load), target=str(target)))
    return process


def test_files_may_be_written_beside_the_process_and_where_the_user_agrees(tmp_path):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    run(saving(home, "a.txt"), allow_write=[])
    assert (home / "a.txt").read_text() == "8"
    run(saving(home, other / "b.txt"), allow_write=[other])
    assert (other / "b.txt").exists()


@pytest.mark.parametrize("target", ["../other/b.txt", "/tmp/elsewhere.txt", "link/b.txt"])
def test_files_elsewhere_are_refused_before_the_operator_runs(tmp_path, target):
    home, other = tmp_path / "home", tmp_path / "other"
    home.mkdir()
    other.mkdir()
    (home / "link").symlink_to(other)
    with pytest.raises(StorageError, match="--allow-write"):
        run(saving(home, target), allow_write=[])
    assert not list(other.iterdir())


def test_from_python_files_may_be_written_anywhere(tmp_path):
    run(saving(None, tmp_path / "c.txt"))
    assert (tmp_path / "c.txt").exists()
