"""The mutation score of ``fsops.core`` and ``fsops.engine``: how many small faults tests notice.

    python benchmarks/mutation.py --mutants 300 --seed 1 [--out FILE.json]

A mutant is one small change in the body of one function: another comparison, ``and`` for ``or``, a
condition negated, a number plus one, plus for minus, ``return None``, a call left out. Mutants are
drawn without replacement from all functions of both packages. For each, the tests that execute the
changed line run until one fails: at most 60 tests and 10 s, tests of the same package first, tests
longer than 4 s never. So the score is a lower bound. Mutants that change nothing a user can see
count as survivors. Changes outside of functions (defaults, declarations) are not drawn.

The tests are collected once, in a copy of the repository. Each mutant has a forked child, in which
the code of the function is exchanged; started programs and workers read the changed file.
"""

from __future__ import annotations

import argparse
import ast
import gc
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from pathlib import Path
from types import CodeType, FunctionType
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ["fsops/core", "fsops/engine"]
TESTS = ["tests/core", "tests/engine", "tests/runs", "tests/editing", "tests/operators/control"]
MOST_TESTS, MOST_SECONDS, LONGEST = 60, 10.0, 4.0
PAIRS = [
    (ast.Lt, ast.GtE),
    (ast.LtE, ast.Gt),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.Div),
    (ast.And, ast.Or),
]
OTHER = dict(PAIRS) | {two: one for one, two in PAIRS}


class Mutant(NamedTuple):
    """One change: the module, the function that has it, and the number of its node in the tree."""

    file: str
    function: str
    line: int
    statement: int
    node: int
    kind: str


def kind_of(node: ast.AST) -> str | None:  # noqa: PLR0911 - one for each kind
    """Return how a node can be changed; None for one that stays."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        return "comparison"
    if isinstance(node, ast.BoolOp):
        return "and, or"
    if isinstance(node, ast.If | ast.IfExp | ast.While):
        return "condition"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return "number"
    if isinstance(node, ast.BinOp) and type(node.op) in OTHER:
        return "arithmetic"
    if isinstance(node, ast.Return) and not _is_none(node.value):
        return "return"
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return "call"
    return None


def _is_none(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def change(node: ast.AST) -> None:
    """Change a node in place."""
    if isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp | ast.BinOp):
        node.op = OTHER[type(node.op)]()
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        ast.fix_missing_locations(node.test)
    elif isinstance(node, ast.Constant):
        node.value += 1
    elif isinstance(node, ast.Return | ast.Expr):
        node.value = ast.copy_location(ast.Constant(None), node.value)


def mutants_of(file: str) -> list[Mutant]:
    """Return every mutant of a module; annotations, defaults and decorators stay as they are."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    number = {id(node): i for i, node in enumerate(ast.walk(tree))}
    found: list[Mutant] = []

    def visit(node: ast.AST, names: list[str], function: str, statement: int = 0) -> None:
        if isinstance(node, ast.stmt):
            statement = node.lineno
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                visit(each, [*names, node.name], function)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for each in node.body:
                visit(
                    each, [*names, node.name, "<locals>"], function or ".".join([*names, node.name])
                )
        elif not isinstance(node, ast.AnnAssign) or node.value is not None:
            kind = kind_of(node)
            if kind and function:
                found.append(Mutant(file, function, node.lineno, statement, number[id(node)], kind))
            children = (
                [node.value] if isinstance(node, ast.AnnAssign) else ast.iter_child_nodes(node)
            )
            for each in children:
                visit(each, names, function, statement)

    visit(tree, [], "")
    return found


def changed_code(mutant: Mutant) -> tuple[CodeType, str]:
    """Return the code of the function with the change, and the text of the changed module."""
    tree = ast.parse(Path(mutant.file).read_text(encoding="utf-8"))
    change(list(ast.walk(tree))[mutant.node])
    code = compile(tree, os.path.abspath(mutant.file), "exec")
    return next(c for c in _codes(code) if c.co_qualname == mutant.function), ast.unparse(tree)


def _codes(code: CodeType) -> list[CodeType]:
    inner = [c for c in code.co_consts if isinstance(c, CodeType)]
    return [each for c in inner for each in (c, *_codes(c))]


def exchange(mutant: Mutant, code: CodeType) -> int:
    """Give the function the changed code, wherever it is; return how often that was done."""
    done = 0
    for each in gc.get_objects():
        if (
            isinstance(each, FunctionType)
            and each.__code__.co_qualname == mutant.function
            and os.path.abspath(each.__code__.co_filename) == os.path.abspath(mutant.file)
            and len(each.__code__.co_freevars) == len(code.co_freevars)
        ):
            each.__code__ = code
            done += 1
    return done


class Plugin:
    """Takes the place of pytest's loop over the collected tests."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        self.started = time.time()

    def pytest_runtestloop(self, session) -> bool:
        """Measure once which tests execute a line; then try the mutants."""
        self.items = {item.nodeid: item for item in session.items}
        file = Path("lines.json")
        self._in_child(lambda: self._measure(file), seconds=3600, wall=3600)
        lines, self.seconds = json.loads(file.read_text())
        self.tests = {name: {int(k): v for k, v in each.items()} for name, each in lines.items()}
        modules = [str(f) for p in PACKAGES for f in sorted(Path(p).rglob("*.py"))]
        every = [m for module in modules for m in mutants_of(module)]
        rng = random.Random(self.given.seed)
        sample = rng.sample(every, min(self.given.mutants, len(every)))
        outcomes = []
        for i, mutant in enumerate(sample, 1):
            outcomes.append((mutant, self._try(mutant)))
            self._report(len(every), outcomes, i == len(sample))
            print(f"{i}/{len(sample)}", outcomes[-1], file=sys.__stderr__, flush=True)
        return True

    def _in_child(self, work, seconds: float, wall: float) -> int:
        """Run in a fork; return 0, 1 after a failed test, or 2 if it took too long or died."""
        pid = os.fork()
        if not pid:
            os.setsid()
            silent = os.open(os.devnull, os.O_WRONLY)
            os.dup2(silent, 1)
            os.dup2(silent, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
            result = 2
            try:
                result = int(work() or 0)
            finally:
                os._exit(result)
        end = time.monotonic() + wall
        while time.monotonic() < end:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 2
            time.sleep(0.02)
        os.killpg(pid, 9)
        os.waitpid(pid, 0)
        return 2

    def _measure(self, file: Path) -> int:
        import coverage
        from _pytest.runner import runtestprotocol

        watch = coverage.Coverage(data_file=None, source=PACKAGES, branch=False)
        watch.start()
        seconds: dict[str, float] = {}
        items = list(self.items.values())
        for item, following in zip(items, [*items[1:], None], strict=True):
            watch.switch_context(item.nodeid)
            reports = runtestprotocol(item, log=False, nextitem=following)
            if all(report.passed for report in reports):
                seconds[item.nodeid] = sum(report.duration for report in reports)
        watch.stop()
        data = watch.get_data()
        lines = {
            str(Path(name).relative_to(Path.cwd())): {
                line: [t for t in tests if t in seconds and seconds[t] < LONGEST]
                for line, tests in data.contexts_by_lineno(name).items()
            }
            for name in data.measured_files()
        }
        file.write_text(json.dumps([lines, seconds]))
        return 0

    def _chosen(self, mutant: Mutant) -> list[str]:
        """Return the tests that execute the line: those of the package first, then the shortest."""
        package = mutant.file.split("/")[1]
        lines = self.tests.get(mutant.file, {})
        # A line in the middle of a statement may not be noted.
        tests = lines.get(mutant.line) or lines.get(mutant.statement) or []
        order = sorted(tests, key=lambda t: (f"tests/{package}" not in t, self.seconds[t]))
        chosen, total = [], 0.0
        for test in order[:MOST_TESTS]:
            total += self.seconds[test]
            if total > MOST_SECONDS:
                break
            chosen.append(test)
        return chosen

    def _try(self, mutant: Mutant) -> str:
        chosen = self._chosen(mutant)
        if not chosen:
            return "no test"
        code, text = changed_code(mutant)
        file = Path(mutant.file)
        original, when = file.read_text(encoding="utf-8"), file.stat().st_mtime

        def work() -> int:
            from _pytest.runner import runtestprotocol

            if not exchange(mutant, code):
                return 3
            items = [self.items[t] for t in chosen]
            for item, following in zip(items, [*items[1:], None], strict=True):
                if any(r.failed for r in runtestprotocol(item, log=False, nextitem=following)):
                    return 1
            return 0

        file.write_text(text, encoding="utf-8")
        # Another time than before, so that no compiled file of another mutant is taken for it.
        self.started += 10
        os.utime(file, (self.started, self.started))
        try:
            total = sum(self.seconds[t] for t in chosen)
            status = self._in_child(work, seconds=30 + 5 * total, wall=120 + 10 * total)
        finally:
            file.write_text(original, encoding="utf-8")
            os.utime(file, (when, when))
        return {0: "survived", 1: "killed", 3: "not found"}.get(status, "killed, no answer")

    def _report(self, every: int, outcomes: list[tuple[Mutant, str]], is_last: bool) -> None:
        # Some functions cannot be exchanged, such as those that exist only while another one runs.
        outcomes = [each for each in outcomes if each[1] != "not found"]
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for mutant, outcome in outcomes:
            counts[".".join(mutant.file.split("/")[:2])][outcome] += 1
        killed = sum(outcome.startswith("killed") for _, outcome in outcomes)
        report = {
            "possible": every,
            "mutants": len(outcomes),
            "killed": killed,
            "score": round(killed / max(1, len(outcomes)), 3),
            "packages": {name: dict(each) for name, each in sorted(counts.items())},
            "not killed": [
                f"{m.file}:{m.line} {m.function}: {m.kind}, {outcome}"
                for m, outcome in outcomes
                if not outcome.startswith("killed")
            ],
        }
        if self.given.out:
            self.given.out.write_text(json.dumps(report, indent=1), encoding="utf-8")
        if is_last:
            print(json.dumps(report, indent=1), file=sys.__stdout__, flush=True)


def main() -> None:
    """Copy the repository, and start pytest with the plugin there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=lambda text: Path(text).resolve())
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        import pytest

        options = ["-m", "not slow", "-p", "no:cacheprovider", "-p", "no:xdist", "--timeout=0"]
        sys.exit(pytest.main([*options, "-s", *TESTS], plugins=[Plugin(given)]))
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        copy = Path(folder) / "fsops"
        ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, ignore=ignored)
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), str(copy / "gui")])}
        command = [sys.executable, "benchmarks/mutation.py", "--inside", *sys.argv[1:]]
        if given.out:
            command += ["--out", str(given.out)]
        sys.exit(subprocess.run(command, cwd=copy, env=settings, check=False).returncode)


if __name__ == "__main__":
    main()
