"""What many tests need: a small table, shared engines, and how a message to the user is checked."""

import os
import signal
import tempfile

# In the background of a shell, or under nohup, programs ignore these signals, and so would the
# programs that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
if os.name == "posix" and signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
# Tests run side by side, one on each core: more threads of linear algebra would only wait for each
# other. Numpy reads this when it is loaded. For several threads there is a fixture.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MKL_NUM_THREADS", "1")
# What a developer has set in the configuration file must not decide about tests.
os.environ["FSOPS_CONFIG"] = os.devnull
# Processes that tests write are not noted among those that the developer trusts.
os.environ["FSOPS_TRUST"] = tempfile.mkdtemp(prefix="fsops-trusted-")

from collections import Counter, defaultdict
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from threadpoolctl import threadpool_limits

from fsops import ExampleSet
from fsops.core.frame.engine import EngineSettings
from fsops.engine.engines.registry import open_engine
from fsops.errors import DataError, ParameterError

# The same examples every time, so that a change is judged by what it changes. To look for new
# ones: HYPOTHESIS_PROFILE=explore. No clock decides, because the machine may be busy.
NO_CLOCK = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("steady", derandomize=True, **NO_CLOCK)
settings.register_profile("explore", max_examples=300, **NO_CLOCK)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))


# --- where the time goes ----------------------------------------------------------------------


def pytest_addoption(parser):
    parser.addoption(
        "--times", action="store_true", help="report the time of the tests by folder, slowest first"
    )


def cpu_seconds():
    """Return the processor time of this process and of the processes it has started and awaited."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note the processor time of each phase. A busy machine makes it hardly longer, unlike the wall time."""
    report = yield
    now = cpu_seconds()
    report.cpu_seconds = now - item.config.stash.get(MEASURED, now)
    item.config.stash[MEASURED] = now
    return report


def pytest_collection_finish(session):
    session.config.stash[MEASURED] = cpu_seconds()


MEASURED = pytest.StashKey[float]()


def pytest_terminal_summary(terminalreporter, config):
    if not config.getoption("times"):
        return
    wall, cpu, number = defaultdict(float), defaultdict(float), Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "cpu_seconds"):
                folder = "/".join(report.nodeid.partition("::")[0].split("/")[:-1])
                wall[folder] += report.duration
                cpu[folder] += report.cpu_seconds
                number[folder] += report.when == "call"
    terminalreporter.section("time by folder")
    terminalreporter.line("   CPU s  wall s  tests  folder")
    for folder in [*sorted(cpu, key=cpu.get, reverse=True)]:
        line = f"{cpu[folder]:8.1f}{wall[folder]:8.1f}{number[folder]:7d}  {folder}"
        terminalreporter.line(line)
    total = f"{sum(cpu.values()):8.1f}{sum(wall.values()):8.1f}{sum(number.values()):7d}  all"
    terminalreporter.line(total)


# --- what is shared ---------------------------------------------------------------------------


@pytest.fixture(scope="session")
def engines():
    """Return a function from the name of an engine to the one that all tests share.

    An engine starts when a test first asks for it, and ends with the test run. A test that kills
    workers, stops a run or needs other settings opens an engine of its own.
    """
    opened = {}

    def get(name):
        if name not in opened:
            opened[name] = open_engine(name, EngineSettings(jobs=2))
        return opened[name]

    yield get
    for engine in opened.values():
        if engine is not None:
            engine.close()


@pytest.fixture
def several_threads():
    """Let linear algebra use two threads here, as on the machine of a user.

    For tests that compare bytes: sums depend on the number of threads, results must not.
    """
    with threadpool_limits(limits=2, user_api="blas"):
        yield


# What a sentence for people does not contain.
RAW = ("Traceback", "<class", "object at", "dtype", "pydantic", "ufunc", "0x", "\n", "  ")


@pytest.fixture
def alive_in_session():
    """Return a function that tells the processes of a session, without those that are dead."""

    def alive(session):
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdecimal():
                continue
            try:
                state, _, _, number = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
            except OSError:
                continue
            if int(number) == session and state != "Z":
                found.append(int(entry.name))
        return found

    return alive


@pytest.fixture
def refused():
    """Return a block that must end in an error whose sentence has all the given words."""

    @contextmanager
    def block(*words, error=DataError):
        with pytest.raises(error) as caught:
            yield caught
        message = str(caught.value)
        assert [word for word in words if word not in message] == [], message
        assert [sign for sign in RAW if sign in message] == [], message
        begins_well = message[0].isupper() or message[0] in '"0123456789'
        assert begins_well or error is ParameterError, message  # which begins with its name
        assert message[-1] in ".?", message

    return block


@pytest.fixture
def two_classes():
    """Return 40 rows × 6 attributes of which the first two tell the classes apart."""
    rng = np.random.default_rng(1)
    codes = np.arange(40) % 2
    X = rng.normal(size=(40, 6))
    X[:, :2] += 2 * codes[:, None]
    return ExampleSet.from_numpy(X, np.array(["no", "yes"])[codes])


@pytest.fixture(autouse=True)
def same_folder_of_data_sets():
    """Undo what a test, or a configuration that it reads, says about the folder of data sets."""
    before = os.environ.get("FSOPS_DATA")
    yield
    if before is None:
        os.environ.pop("FSOPS_DATA", None)
    else:
        os.environ["FSOPS_DATA"] = before
