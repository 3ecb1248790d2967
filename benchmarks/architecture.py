"""Seven metrics of the architecture and their goals: ``python benchmarks/architecture.py``.

A checkout is measured as it is (``--source``, by default the one of this file). ``--json`` writes
the values to a file. ``--against`` reads such a file, shows both values beside the goal, and
returns 1 if a goal is missed. ``-v`` also lists the places in the source that are counted.

calls between packages
    Calls of a Python function during ``fsops run processes/quickstart.xml``, in all threads, where
    caller and function belong to fsops and the second part of their module names differs
    (``fsops.core.process`` and ``fsops.data.flow``). Only direct calls count, not calls that pass
    through another library. Decorators that run during an import count. Module bodies do not
    count. Nor do generator expressions: each value they yield would count as a call.
modules used by one fit
    Modules of fsops in which at least one function runs from ``from fsops.sklearn import
    WeightBySam`` to the end of ``WeightBySam().fit(X, y)``. The modules loaded by then are given
    as well, without a goal: they include modules of which only the body runs.
context variables
    Calls of ``ContextVar`` in the source of fsops.
import cycles
    Groups of modules of fsops that import each other, directly or through others. Imports inside
    functions count, imports under ``TYPE_CHECKING`` do not.
upward string imports
    Calls of ``import_module`` or ``__import__`` with a string, or a constant of the same module,
    that names another package of fsops which is not in a lower layer (``[tool.importlinter]``).
repeated class names
    Names without a leading underscore that several modules of fsops and fsops_gui give to a class
    at module level.
modules directly in algorithms
    Modules in ``fsops/algorithms``, without those in folders and without ``__init__``.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx

CALLS = "calls between packages"
USED = "modules used by one fit"
LOADED = "modules loaded by one fit"
VARIABLES = "context variables"
CYCLES = "import cycles"
UPWARD = "upward string imports"
NAMES = "repeated class names"
DIRECT = "modules directly in algorithms"
GOALS = {CALLS: 1500, USED: 40, VARIABLES: 1, CYCLES: 0, UPWARD: 0, NAMES: 5, DIRECT: 0}

Modules = Mapping[str, ast.Module]

COUNT = """
import json, sys, threading

calls, used = 0, set()

def package(frame):
    first, *rest = frame.f_globals.get("__name__", "").split(".") if frame else [""]
    return (rest or [""])[0] if first == "fsops" else None

def count(frame, event, arg):
    global calls
    if event != "call" or frame.f_code.co_name in ("<module>", "<genexpr>"):
        return
    callee = package(frame)
    if callee is not None:
        used.add(frame.f_globals["__name__"])
        calls += package(frame.f_back) not in (None, callee)

def measured(function):
    threading.setprofile(count)
    sys.setprofile(count)
    try:
        function()
    finally:
        sys.setprofile(None)
        loaded = [name for name in sys.modules if name.split(".")[0] == "fsops"]
        counts = {"calls": calls, "used": len(used), "loaded": len(loaded)}
        counts["file"] = sys.modules["fsops"].__file__
        with open("counts.json", "w") as file:
            json.dump(counts, file)
"""
RUN = """
def run():
    from fsops.cli import main
    main()

sys.argv = ["fsops", "run", PROCESS]
measured(run)
"""
FIT = """
import numpy as np

def fit():
    from fsops.sklearn import WeightBySam
    WeightBySam().fit(X, y)

y = np.arange(40) % 2
X = np.random.default_rng(1).normal(size=(40, 12)) + y[:, np.newaxis]
measured(fit)
"""


def run_counted(source: Path, code: str) -> dict[str, int]:
    """Run the code in a child process, with the modules and entry points of the checkout."""
    project = tomllib.loads((source / "pyproject.toml").read_text())["project"]
    with tempfile.TemporaryDirectory() as folder:
        about = Path(folder, "fsops-0.dist-info")
        about.mkdir()
        (about / "METADATA").write_text("Name: fsops\nVersion: 0\n")
        entries = (f"{key} = {value}\n" for key, value in project["entry-points"]["fsops"].items())
        (about / "entry_points.txt").write_text("".join(["[fsops]\n", *entries]))
        path = os.pathsep.join([folder, str(source), str(source / "gui")])
        done = subprocess.run(
            [sys.executable, "-c", COUNT + code],
            check=False,
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        )
        if done.returncode:
            sys.exit(f"The run to be measured failed.\n{done.stderr}")
        counts: dict[str, int] = json.loads(Path(folder, "counts.json").read_text())
    assert Path(str(counts.pop("file"))).is_relative_to(source), "another fsops was measured"
    return counts


def parse(root: Path) -> dict[str, ast.Module]:
    """Return the modules of a package by their dotted names."""
    modules = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        modules[name] = ast.parse(path.read_bytes(), str(path))
    return modules


def last_name(node: ast.expr) -> str:
    """Return ``c`` of the expressions ``c`` and ``a.b.c``."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def calls_of(module: ast.Module, *names: str) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and last_name(node.func) in names:
            yield node


def context_variables(modules: Modules) -> list[str]:
    return [
        f"{name}:{call.lineno}"
        for name, module in modules.items()
        for call in calls_of(module, "ContextVar")
    ]


def runtime_imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Return each imported module, with the imported name if there is one."""
    if isinstance(node, ast.Import):
        yield from ((alias.name, "") for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from ((node.module or "", alias.name) for alias in node.names)
    elif isinstance(node, ast.If) and last_name(node.test) == "TYPE_CHECKING":
        for other in node.orelse:
            yield from runtime_imports(other)
    else:
        for child in ast.iter_child_nodes(node):
            yield from runtime_imports(child)


def import_cycles(modules: Modules) -> list[str]:
    graph: nx.DiGraph[str] = nx.DiGraph()
    for name, module in modules.items():
        for origin, imported in runtime_imports(module):
            inner = f"{origin}.{imported}"
            target = inner if inner in modules else origin
            if target in modules and target != name:
                graph.add_edge(name, target)
    groups = nx.strongly_connected_components(graph)
    return sorted(", ".join(sorted(group)) for group in groups if len(group) > 1)


def layers(source: Path) -> dict[str, int]:
    """Return the layer of each package of fsops; 0 is the highest one."""
    contracts = tomllib.loads((source / "pyproject.toml").read_text())["tool"]["importlinter"]
    return {
        package.strip(" ()"): number
        for contract in contracts["contracts"]
        if contract["type"] == "layers" and "fsops" in contract.get("containers", ())
        for number, layer in enumerate(contract["layers"])
        for package in layer.replace(":", "|").split("|")
    }


def assigned(module: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Return the names that the module assigns, also as ``a, b = 1, 2``, with their values."""
    for node in ast.walk(module):
        if isinstance(node, ast.AnnAssign) and node.value:
            yield last_name(node.target), node.value
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                    yield from zip(map(last_name, target.elts), node.value.elts, strict=False)
                else:
                    yield last_name(target), node.value


def string_imports(module: ast.Module) -> Iterator[tuple[int, str]]:
    """Return line and module name of the imports by a string or by a constant of the module."""
    constants = dict(assigned(module))
    for call in calls_of(module, "import_module", "__import__"):
        argument = call.args[0] if call.args else None
        if isinstance(argument, ast.Name):
            argument = constants.get(argument.id)
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
            yield call.lineno, argument.value


def upward_imports(modules: Modules, layer_of: Mapping[str, int]) -> list[str]:
    places = []
    for name, module in modules.items():
        package = (name.split(".") + [""])[1]
        for line, target in sorted(string_imports(module)):
            root, other = (target.split(".") + [""])[:2]
            upward = layer_of.get(other, 0) <= layer_of.get(package, -1)
            if root == "fsops" and other != package and upward:
                places.append(f"{name}:{line} imports {target}")
    return places


def repeated_classes(modules: Modules) -> list[str]:
    places = defaultdict(set)
    for name, module in modules.items():
        for node in module.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].add(name)
    return [
        f"{name}: {', '.join(sorted(found))}"
        for name, found in sorted(places.items())
        if len(found) > 1
    ]


def measure_runs(source: Path) -> dict[str, int]:
    """Return the metrics of a run of a process and of one fit, each in a child process."""
    run = run_counted(source, f"PROCESS = {str(source / 'processes' / 'quickstart.xml')!r}\n{RUN}")
    fit = run_counted(source, FIT)
    return {CALLS: run["calls"], USED: fit["used"], LOADED: fit["loaded"]}


def measure(source: Path, *, verbose: bool) -> dict[str, int]:
    modules = parse(source / "fsops")
    designer = parse(source / "gui" / "fsops_gui")
    algorithms = (source / "fsops" / "algorithms").glob("*.py")
    places = {
        VARIABLES: context_variables(modules),
        CYCLES: import_cycles(modules),
        UPWARD: upward_imports(modules, layers(source)),
        NAMES: repeated_classes({**modules, **designer}),
        DIRECT: sorted(path.stem for path in algorithms if path.stem != "__init__"),
    }
    if verbose:
        for name, lines in places.items():
            print(name, *(f"  {line}" for line in lines), "", sep="\n")
    return measure_runs(source) | {name: len(lines) for name, lines in places.items()}


def show(now: Mapping[str, int], before: Mapping[str, int] | None) -> int:
    """Print the table and return the number of goals missed."""
    missed = 0
    print(f"{'':32}" + (f"{'before':>8}" if before is not None else "") + f"{'now':>8}  goal")
    for name, value in now.items():
        goal = GOALS.get(name)
        late = goal is not None and value > goal
        verdict = "" if goal is None else f"≤ {goal}" + ("  MISSED" if late else "")
        earlier = "" if before is None else f"{before.get(name, '?'):>8}"
        print(f"{name:32}{earlier}{value:8}  {verdict}".rstrip())
        missed += late
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    own = Path(__file__).parents[1]
    parser.add_argument("--source", type=Path, default=own, help="checkout to measure")
    parser.add_argument("--json", type=Path, help="file to write the values to")
    parser.add_argument("--against", type=Path, help="file with earlier values")
    parser.add_argument("-v", "--verbose", action="store_true", help="list the places counted")
    options = parser.parse_args()
    before = json.loads(options.against.read_text()) if options.against else None
    now = measure(options.source.resolve(), verbose=options.verbose)
    if options.json:
        options.json.write_text(json.dumps(now, indent=2) + "\n")
    missed = show(now, before)
    return 1 if before is not None and missed else 0


if __name__ == "__main__":
    sys.exit(main())
