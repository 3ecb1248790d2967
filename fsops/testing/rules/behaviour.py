"""Rules about how an operator behaves: the same result however it is called, and no traces."""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from fsops.core import Context, Process
from fsops.core.frame.engine import Iteration, IterationResult, Work
from fsops.core.frame.events import Event, Progressed
from fsops.core.frame.services import Services
from fsops.data import FlowObject
from fsops.errors import Cancelled, FsopsError
from fsops.runs.options import RunKeywords
from fsops.runs.run import run
from fsops.testing.cases import Case, Subject
from fsops.testing.digest import digest
from fsops.testing.stand_ins import stand_in_noise
from fsops.testing.trial import Answer, expect, result

SECONDS_TO_STOP = 1.0
HERE: RunKeywords = {"engine": "serial", "summarize": False}
"""Whatever the configuration file of the plugin's author says."""


def check_inputs_unchanged(subject: Subject) -> None:
    """Inputs and parameters are the same after the call as before."""
    case = subject.plain
    before = {name: digest(value) for name, value in _given(case).items()}
    result(subject, case)
    changed = [name for name, value in _given(case).items() if digest(value) != before[name]]
    expect(not changed, f"the operator changes its inputs: {', '.join(changed)}")


def _given(case: Case) -> dict[str, Any]:
    return {**case.inputs, **case.parameters}


def check_repeatable(subject: Subject) -> None:
    """The same seed gives the same bytes, whatever the global random numbers are."""
    case = subject.plain
    with _random_state_kept():
        _seed_global(1)
        first = result(subject, case)
        _seed_global(2)
        second = result(subject, case)
    expect_same(first, second, "called twice (random numbers come from ctx.rng only)")


def _seed_global(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - exactly what operators must not depend on


@contextmanager
def _random_state_kept() -> Iterator[None]:
    theirs, ours = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        yield
    finally:
        random.setstate(theirs)
        np.random.set_state(ours)  # noqa: NPY002


def expect_same(one: Answer, two: Answer, situation: str) -> None:
    """Complain about the first output that differs."""
    for port, values in one.outputs.items():
        others = two.outputs[port]
        expect(
            [digest(value) for value in values] == [digest(other) for other in others],
            f'{situation}: the output "{port}" differs: {values} and {others}',
        )


def check_process(subject: Subject) -> None:
    """In a process the operator returns the same as in a Python program."""
    plain = result(subject, subject.plain)
    process, given = _deliver(subject, subject.plain, plain)
    expect_same(plain, _run(subject, process, given, plain), "in a process")


def check_order(subject: Subject) -> None:
    """Other steps, and the order of a loop's iterations, change nothing."""
    plain = result(subject, subject.plain)
    process, given = _deliver(subject, subject.plain, plain)
    process.move(process.add(stand_in_noise).name, 0)
    process.add(stand_in_noise)
    with _random_state_kept():
        expect_same(plain, _run(subject, process, given, plain), "beside other steps")
    if subject.spec.context is not None:
        workers = Context(path=(subject.spec.title,), services=Services(engine=BackwardsEngine()))
        found = result(subject, subject.plain, "in other processes", workers)
        expect_same(plain, found, "with iterations run elsewhere, in reverse order")


def _deliver(subject: Subject, case: Case, plain: Answer) -> tuple[Process, list[FlowObject]]:
    process, given, _ = subject.process(case)
    counts = {port: len(values) for port, values in plain.outputs.items()}
    subject.connect_results(process, counts)
    return process, given


def _run(subject: Subject, process: Process, given: Sequence[FlowObject], plain: Answer) -> Answer:
    """Run the process and sort its results by output port, as the function gave them."""
    try:
        found = iter(run(process, *given, **HERE))
    except FsopsError as error:
        raise AssertionError(f"in a process: {error}") from error
    outputs = {port: [next(found, None) for _ in values] for port, values in plain.outputs.items()}
    return Answer(outputs)


class BackwardsEngine:
    """Runs the iterations of a loop from the last to the first, each with its own copy of all.

    That is what processes on other cores or machines come down to.
    """

    def run(
        self,
        work: Work,
        iterations: Sequence[Iteration],
        done: Callable[[Iteration, IterationResult], None],
        check: Callable[[], None],
    ) -> None:
        """Send each iteration through pickle, and run it."""
        from joblib import wrap_non_picklable_objects

        for iteration in reversed(iterations):
            try:
                function = wrap_non_picklable_objects(work.function)  # type: ignore[attr-defined]
                sent = pickle.dumps((replace(work, function=function), iteration))  # type: ignore[type-var]
                received, item = pickle.loads(sent)  # noqa: S301 # nosec B301
            except (pickle.PicklingError, TypeError, AttributeError) as error:
                raise AssertionError(f"ctx.map: cannot be sent to a worker: {error}") from error
            done(iteration, received(item))

    def close(self) -> None:
        """Nothing to release."""


def check_cancelling(subject: Subject) -> None:
    """A run that is stopped stops at the next step of a loop, within a second."""
    process, given = _deliver(subject, subject.plain, result(subject, subject.plain))
    stop = threading.Event()
    # Not by the clock on the wall: other programs may keep the machine busy.
    began = [time.process_time()]

    def listen(event: Event) -> None:
        if isinstance(event, Progressed) and event.total != 0 and not stop.is_set():
            began.append(time.process_time())
            stop.set()

    try:
        run(process, *given, listener=listen, cancel=stop, **HERE)
    except Cancelled:
        pass
    else:
        expect(not stop.is_set(), "goes on after it was stopped: Cancelled must not be caught")
    seconds = time.process_time() - began[-1]
    expect(
        seconds < SECONDS_TO_STOP,
        f"works {seconds:.1f} s on a small table without a step at which it can be stopped "
        "(loop with ctx.progress or ctx.map)",
    )


def check_pickling(subject: Subject) -> None:
    """Results and the operator itself can be sent to another process."""
    for value in result(subject, subject.plain).values:
        try:
            again = pickle.loads(pickle.dumps(value))  # noqa: S301 # nosec B301
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise AssertionError(f"{value!r} cannot be pickled: {error}") from error
        expect(digest(again) == digest(value), f"{value!r} is another after pickling")
    try:
        same = pickle.loads(pickle.dumps(subject.function)) is subject.function  # noqa: S301 # nosec B301
    except (pickle.PicklingError, TypeError, AttributeError):
        same = False
    expect(same, "cannot be imported: define it at the top of a module, under its own name")


def check_traces(subject: Subject) -> None:
    """The call prints nothing, writes no further file, and leaves global settings alone."""
    case = subject.plain
    printed = io.StringIO()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        before, running = _global_state(), set(threading.enumerate())
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            result(subject, case)
        after, left = _global_state(), set(threading.enumerate()) - running
        written = [path.name for path in Path(folder).iterdir()]
    changed = [name for name, state in before.items() if digest(state) != digest(after[name])]
    expect(not changed, f"the call changes {', '.join(changed)}")
    # Not by their number: a thread of something else may end meanwhile.
    expect(not left, f"the call leaves threads behind: {', '.join(t.name for t in left)}")
    expect(not written, f"the call writes files into the current folder: {', '.join(written)}")
    expect(not printed.getvalue(), f"the call prints: {printed.getvalue()[:80]!r}")


def _global_state() -> dict[str, Any]:
    return {
        "numpy's error handling (np.seterr)": np.geterr(),
        "numpy's global random numbers": np.random.get_state(),  # noqa: NPY002
        "Python's global random numbers": random.getstate(),
        "the current folder": os.getcwd(),  # noqa: PTH109
        "environment variables": dict(os.environ),
    }
