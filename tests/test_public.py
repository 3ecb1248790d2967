"""The public names, and what importing them costs."""

import importlib
import json
import pkgutil
import subprocess
import sys

import pytest

import fsops
import fsops.operators
from fsops.core import Operator, operator_of

HEAVY = (
    "matplotlib",
    "networkx",
    "numpy",
    "pandas",
    "pyarrow",
    "scipy.stats",
    "sklearn",
    "dask",
    "PyQt6",
)


def modules_after(statement):
    """Return which heavy libraries a fresh Python has loaded after a statement."""
    program = f"{statement}; import sys, json; print(json.dumps(sorted(sys.modules)))"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    loaded = json.loads(out.stdout)
    return [name for name in HEAVY if name in loaded]


@pytest.mark.parametrize("name", fsops.__all__)
def test_every_public_name_can_be_imported(name):
    assert getattr(fsops, name) is not None
    assert name in dir(fsops)


def test_the_names_of_the_issue_are_public():
    from fsops import (  # noqa: F401
        AttributeWeights,
        Collection,
        ExampleSet,
        Model,
        PerformanceVector,
        Process,
        hookimpl,
        operator,
        run,
    )


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Exampleset"):
        fsops.Exampleset  # noqa: B018


@pytest.mark.parametrize("name", ["load_ipython_extension", "KnifePath", "SizeCurves"])
def test_names_for_ipython_and_plugins_are_there_but_not_listed(name):
    assert getattr(fsops, name).__name__ == name
    assert name not in dir(fsops)


def test_importing_fsops_loads_no_heavy_library():
    assert modules_after("import fsops") == []


def test_importing_the_operators_loads_numpy_at_most():
    assert set(modules_after("import fsops.operators")) <= {"numpy"}


def test_listing_the_operators_loads_numpy_at_most():
    listing = "from fsops.plugins import plugins; list(plugins().registry)"
    assert set(modules_after(listing)) <= {"numpy"}


def test_running_a_small_process_loads_numpy_and_networkx_at_most(tmp_path):
    (tmp_path / "small.csv").write_text("a,b,class\n1,2,x\n2,1,y\n3,2,x\n5,1,y\n")
    running = (
        "from fsops import Process, run; from fsops.operators import read_csv, weight_by_sam;"
        "p = Process();"
        f"table = p.add(read_csv, csv_file={str(tmp_path / 'small.csv')!r}, label='class');"
        "p.result(p.add(weight_by_sam, table)); assert len(run(p)[0]) == 2"
    )
    assert set(modules_after(running)) <= {"networkx", "numpy"}


@pytest.mark.parametrize("name", fsops.operators.__all__)
def test_every_built_in_operator_is_a_plain_function_of_its_key(name):
    function = getattr(fsops.operators, name)
    assert operator_of(function).key == name
    assert function.__doc__


def test_the_ten_line_plugin_works():
    import numpy as np

    from fsops import AttributeWeights, ExampleSet, operator

    @operator(group="Weighting/Mine")
    def weight_by_range(examples: ExampleSet) -> AttributeWeights:
        """Weight by range"""
        return examples.weights(np.ptp(examples.numeric(), axis=0))

    weights = weight_by_range(ExampleSet.from_numpy([[1.0, 5.0], [2.0, 9.0]]))
    assert dict(weights) == {"att1": 1.0, "att2": 4.0}
    assert weights.origin == "Weight by range"


def test_every_declared_operator_is_listed():
    # They are loaded by the lists in __init__.pyi: one that is missing there would not exist.
    modules = [
        importlib.import_module(found.name)
        for found in pkgutil.walk_packages(fsops.operators.__path__, "fsops.operators.")
        if not found.ispkg
    ]
    declared = {
        function.operator.key
        for module in modules
        for function in vars(module).values()
        if isinstance(getattr(function, "operator", None), Operator)
        and function.__module__ == module.__name__
    }
    assert declared == set(fsops.operators.__all__)
