"""The structure stays as docs/architecture.md describes it."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRIPT = ROOT / "benchmarks" / "architecture.py"


@pytest.fixture(scope="module")
def metrics():
    spec = importlib.util.spec_from_file_location("architecture", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def modules(metrics):
    return metrics.parse(ROOT / "fsops")


def test_there_is_one_context_variable(metrics, modules):
    places = metrics.context_variables(modules)
    assert [place.partition(":")[0] for place in places] == ["fsops.core.frame.frame"]


def test_no_modules_import_each_other(metrics, modules):
    assert metrics.import_cycles(modules) == []


def test_no_module_imports_a_higher_layer_by_string(metrics, modules):
    assert metrics.upward_imports(modules, metrics.layers(ROOT)) == []


def test_hardly_any_public_class_name_is_used_twice(metrics, modules):
    assert (
        len(metrics.repeated_classes(modules | metrics.parse(ROOT / "gui" / "fsops_gui")))
        <= metrics.GOALS[metrics.NAMES]
    )


def test_every_algorithm_is_in_the_folder_of_its_family():
    direct = {path.name for path in (ROOT / "fsops" / "algorithms").glob("*.py")}
    assert direct == {"__init__.py"}


def test_every_folder_in_the_map_exists_and_every_package_is_in_it():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = [p.name for p in (ROOT / "fsops").iterdir() if (p / "__init__.py").exists()]
    assert [name for name in packages if f"  {name}/" not in page] == []
    families = [
        p.name for p in (ROOT / "fsops/algorithms").iterdir() if (p / "__init__.py").exists()
    ]
    assert [name for name in families if f"{name}/" not in page] == []
    for file in (
        "fsops/algorithms/linear/svm_rfe.py",
        "fsops/core/checks/lineage.py",
        "fsops/storage/process_reader.py",
        "fsops/engine/cache",
        "gui/fsops_gui/canvas",
    ):
        assert file in page
        assert (ROOT / file).exists()


@pytest.mark.slow
def test_calls_and_modules_stay_within_their_goals(metrics):
    # Counts do not depend on the load of the machine, so there is no time limit.
    counts = metrics.measure_runs(ROOT)
    assert 0 < counts[metrics.CALLS] <= metrics.GOALS[metrics.CALLS]
    assert 0 < counts[metrics.USED] <= metrics.GOALS[metrics.USED]


@pytest.mark.parametrize("excess", [0, 1])
def test_the_script_fails_if_a_goal_is_missed(metrics, monkeypatch, capsys, excess):
    before = ROOT / "benchmarks" / "architecture_before.json"
    for name, goal in metrics.GOALS.items():
        now = metrics.GOALS | {name: goal + excess}
        monkeypatch.setattr(metrics, "measure", lambda source, verbose, now=now: now)
        monkeypatch.setattr(sys, "argv", [str(SCRIPT), "--against", str(before)])
        assert metrics.main() == excess
        assert capsys.readouterr().out.count("MISSED") == excess
