"""Memory is compared with the need before it is taken."""

import subprocess
import sys

import numpy as np
import pytest

from fsops import memory
from fsops.algorithms.base.distances import squared_distances
from fsops.algorithms.kernel.clinical import ClinicalRows, base_kernels
from fsops.algorithms.linear.svm_dual import WarmMachines
from fsops.errors import DataError, UsageError
from fsops.operators import join, nominal_to_numerical, sklearn_transformer, transpose
from fsops.testing import make_examples

MB = 2**20


@pytest.fixture
def scarce(monkeypatch):
    """Only 1 MB is available, and small requests are compared as well."""
    monkeypatch.setattr(memory, "SMALL", 0)
    monkeypatch.setenv(memory.VARIABLE, "1MB")


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A system whose files about memory are in a folder."""
    monkeypatch.delenv(memory.VARIABLE, raising=False)
    for name, file in {"_MEMINFO": "meminfo", "_STATUS": "status", "_GROUPS": "groups"}.items():
        monkeypatch.setattr(memory, name, tmp_path / file)
    monkeypatch.setattr(memory, "_MOUNT", tmp_path / "cgroup")

    def write(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("meminfo", f"MemTotal: {64 * 1024**2} kB\nMemAvailable:  {32 * 1024**2} kB\n")
    return write


# --- available ------------------------------------------------------------------------------


def test_available_is_what_the_machine_can_give(system):
    assert memory.available() == 32 * 2**30


def test_a_group_of_version_2_limits_it_also_from_above(system):
    system("groups", "0::/user/job\n")
    system("cgroup/user/job/memory.max", "max\n")
    system("cgroup/user/job/memory.current", f"{100 * MB}\n")
    system("cgroup/user/memory.max", f"{1000 * MB}\n")
    system("cgroup/user/memory.current", f"{600 * MB}\n")
    system("cgroup/user/memory.stat", f"anon 5\ninactive_file {50 * MB}\nactive_file 7\n")
    assert memory.available() == 450 * MB


def test_a_group_of_version_1_limits_it(system):
    system("groups", "9:cpu:/\n4:cpuset,memory:/docker/1\n0::/\n")
    system("cgroup/memory/docker/1/memory.limit_in_bytes", f"{800 * MB}\n")
    system("cgroup/memory/docker/1/memory.usage_in_bytes", f"{300 * MB}\n")
    system("cgroup/memory/docker/1/memory.stat", f"total_inactive_file {20 * MB}\n")
    assert memory.available() == 520 * MB


def test_a_container_that_sees_only_its_own_group_is_limited(system):
    # The path is that of the host; in the container the group is the mount itself.
    system("groups", "4:memory:/docker/1\n")
    system("cgroup/memory/memory.limit_in_bytes", f"{700 * MB}\n")
    system("cgroup/memory/memory.usage_in_bytes", f"{300 * MB}\n")
    assert memory.available() == 400 * MB


def test_a_group_over_its_limit_leaves_nothing(system):
    system("groups", "0::/\n")
    system("cgroup/memory.max", "1000")
    system("cgroup/memory.current", "2000")
    assert memory.available() == 0


def test_unreadable_files_say_nothing(system):
    system("meminfo", "MemAvailable: plenty\n")
    system("groups", "nonsense\n\n:::\n0::/../..\n4:memory:\n")
    assert memory.available() is None or memory.available() > 0  # psutil may be installed


def test_the_variable_takes_precedence(system, monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "2GB")
    assert memory.available() == 2 * 10**9
    monkeypatch.setenv(memory.VARIABLE, "much")
    with pytest.raises(UsageError, match='"much" is not an amount of memory'):
        memory.available()


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS and /proc")
def test_the_limit_of_the_address_space_counts():
    code = (
        "import resource; from fsops.memory import available;"
        "resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30)); print(available())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 0 < int(done.stdout) < 2**30


# --- require --------------------------------------------------------------------------------


def test_the_message_has_both_numbers_and_advice(monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "1.5GB")
    memory.require(1.4e9, "The matrix", "Use fewer rows.")
    with pytest.raises(DataError) as refused:
        memory.require(3.2e11, "The matrix", "Use fewer rows.")
    text = str(refused.value)
    assert text == ("The matrix needs 320 GB of memory, but 1.5 GB are available. Use fewer rows.")


def test_a_small_request_asks_nothing(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: pytest.fail("asked"))
    memory.require(memory.SMALL - 1, "The matrix", "")


def test_where_nothing_is_known_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.require(1e18, "The matrix", "")


# --- in algorithms and operators ------------------------------------------------------------


def test_distances_and_kernels_of_all_rows_are_refused(scarce):
    X = np.zeros((300, 2))
    with pytest.raises(DataError, match=r"matrix of distances of 300 × 300 rows needs 2\.16 MB"):
        squared_distances(X, X)
    with pytest.raises(DataError, match="The kernel matrix of 300 × 300 rows"):
        WarmMachines(np.ones((1, 300)), 1.0, 1e-3)
    rows = ClinicalRows.of(X, np.zeros((300, 0), dtype=int))
    with pytest.raises(DataError, match="2 kernel matrices of 300 × 300 rows"):
        base_kernels(rows, np.arange(2))


def test_dummy_coding_is_refused(scarce):
    table = make_examples(2000, numerical=0, nominal=30)
    with pytest.raises(DataError, match=r"30 nominal attributes as \d+ indicators for 2,000 rows"):
        nominal_to_numerical(table)


def test_a_join_and_a_transposition_are_refused(scarce):
    table = make_examples(300, numerical=500, nominal=0)
    keyed = table.with_roles({table.names[0]: "id"})
    with pytest.raises(DataError, match="joined table with 300 rows and .* needs .* 1 MB are"):
        join(keyed, keyed, remove_double_attributes=False)
    with pytest.raises(DataError, match="transposed table of 300 rows and 50. attributes"):
        transpose(table)


def test_a_sparse_result_is_not_made_dense(scarce):
    table = make_examples(400, numerical=3, nominal=0)
    with pytest.raises(DataError, match="The result of OneHotEncoder with 400 × "):
        sklearn_transformer(table, transformer="sklearn.preprocessing.OneHotEncoder")
