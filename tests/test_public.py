"""The public names, what importing them costs, and that the manual needs no others."""

import ast
import importlib
import json
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import fsops
import fsops.operators
from fsops.core import Operator, operator_of

ROOT = Path(__file__).resolve().parents[1]
PUBLIC = (
    "fsops",
    "fsops.errors",
    "fsops.operators",
    "fsops.plugins",
    "fsops.sklearn",
    "fsops.testing",
)
NAMES = ROOT / "tests" / "public_names.txt"
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


# --- which names there are ------------------------------------------------------------------


def test_the_public_names_are_those_of_the_list():
    # A name that is added or removed changes what users can rely on: say so in the CHANGELOG.
    found = {f"{m}.{name}" for m in PUBLIC for name in importlib.import_module(m).__all__}
    listed = NAMES.read_text(encoding="utf-8").split()
    assert listed == sorted(listed)
    assert (found - {*listed}, {*listed} - found) == (set(), set())


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_there_and_shown(module):
    loaded = importlib.import_module(module)
    assert [name for name in loaded.__all__ if getattr(loaded, name, None) is None] == []
    assert [name for name in loaded.__all__ if name not in dir(loaded)] == []


def test_every_public_module_is_on_the_page_about_the_interface():
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*`([a-z.]+)`\*\*", page, re.M) == [
        "fsops",
        "fsops.operators",
        "fsops.plugins",
        "fsops.testing",
        "fsops.sklearn",
        "fsops.errors",
    ]


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Exampleset"):
        fsops.Exampleset  # noqa: B018


@pytest.mark.parametrize("name", ["load_ipython_extension", "KnifePath", "SizeCurves"])
def test_names_for_ipython_and_plugins_are_there_but_not_listed(name):
    assert getattr(fsops, name).__name__ == name
    assert name not in dir(fsops)


@pytest.mark.parametrize("name", fsops.operators.__all__)
def test_every_built_in_operator_is_a_plain_function_of_its_key(name):
    function = getattr(fsops.operators, name)
    assert operator_of(function).key == name
    assert function.__doc__


def test_every_declared_operator_is_listed():
    # They are loaded by the list in __init__.pyi: one that is missing there would not exist.
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


# --- the manual -----------------------------------------------------------------------------


NOT_READ = {"_build", "_extensions", "operators"}
"""Folders of the manual that `make docs` writes, or that build the site."""


def manual(pattern):
    """Return the files of the manual that people read."""
    return [
        p for p in (ROOT / "docs").rglob(pattern) if not NOT_READ & set(p.relative_to(ROOT).parts)
    ]


def python_parts():
    """Return the Python code of the README, the guide, the manual and new plugins."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *manual("*.md")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)):
            yield f"{page.relative_to(ROOT)}, block {number}", block
    for notebook in manual("*.ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        yield notebook.name, "\n".join(code for code in codes if not code.startswith("%"))
    for script in manual("*.py"):
        yield script.name, script.read_text(encoding="utf-8")
    for template in (ROOT / "fsops" / "testing" / "templates").rglob("*.py.tmpl"):
        yield template.name, template.read_text(encoding="utf-8").replace("$package", "mine")


PARTS = dict(python_parts())


def imported_names(code):
    """Return module and name of all imports from fsops."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module, alias.name) for alias in node.names)


def is_public(module, name):
    if module.partition(".")[0] not in ("fsops", "fsops_gui"):
        return True
    known = module in PUBLIC and importlib.import_module(module).__all__
    return bool(known) and (not name or name in known or f"{module}.{name}" in PUBLIC)


@pytest.mark.parametrize("part", PARTS)
def test_the_manual_imports_public_names_only(part):
    assert [names for names in imported_names(PARTS[part]) if not is_public(*names)] == []


def test_imports_in_the_manual_are_found():
    assert len(PARTS) > 10
    assert sum(len([*imported_names(code)]) for code in PARTS.values()) > 30
    assert [*imported_names("import fsops.data\nfrom fsops import run as r")] == [
        ("fsops.data", ""),
        ("fsops", "run"),
    ]


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("numpy", "array", True),
        ("fsops", "run", True),
        ("fsops", "operators", True),
        ("fsops.sklearn", "WeightBySam", True),
        ("fsops", "data", False),
        ("fsops.data", "ExampleSet", False),
        ("fsops.errors", "did_you_mean", False),
        ("fsops.operators", "*", False),
        ("fsops_gui.app", "", False),
    ],
)
def test_what_is_public(module, name, public):
    assert is_public(module, name) is public


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


# --- what an import costs -------------------------------------------------------------------


def modules_after(statement):
    """Return all modules that a fresh Python has loaded after a statement."""
    program = f"{statement}; import sys, json; print(json.dumps(sorted(sys.modules)))"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    return json.loads(out.stdout.splitlines()[-1])


def heavy_after(statement):
    """Return which heavy libraries a fresh Python has loaded after a statement."""
    return {*HEAVY}.intersection(modules_after(statement))


def test_importing_fsops_loads_no_heavy_library():
    assert heavy_after("import fsops") == set()


def test_importing_the_operators_loads_numpy_at_most():
    assert heavy_after("import fsops.operators") <= {"numpy"}


def test_listing_the_operators_loads_numpy_at_most():
    listing = "from fsops.plugins import plugins; list(plugins().registry)"
    assert heavy_after(listing) <= {"numpy"}


def test_running_a_small_process_loads_numpy_and_networkx_at_most(tmp_path):
    (tmp_path / "small.csv").write_text("a,b,class\n1,2,x\n2,1,y\n3,2,x\n5,1,y\n")
    running = (
        "from fsops import Process, run; from fsops.operators import read_csv, weight_by_sam;"
        "p = Process();"
        f"table = p.add(read_csv, path={str(tmp_path / 'small.csv')!r}, label='class');"
        "p.result(p.add(weight_by_sam, table)); assert len(run(p)[0]) == 2"
    )
    assert heavy_after(running) <= {"numpy", "networkx"}


def test_fitting_a_selector_needs_neither_graph_nor_engine_nor_plugins():
    fitting = (
        "from fsops.sklearn import WeightBySam;"
        "WeightBySam(k=2).fit([[1, 2, 5], [2, 1, 4], [3, 3, 3], [5, 1, 9]], ['x', 'y', 'x', 'y'])"
    )
    ours = [name for name in modules_after(fitting) if name.partition(".")[0] == "fsops"]
    rooms = {name.split(".")[1] for name in ours if "." in name}
    assert rooms <= {"algorithms", "core", "data", "errors", "operators", "sklearn", "version"}
    assert [
        name for name in ours if name.startswith(("fsops.core.graph", "fsops.core.checks"))
    ] == []
