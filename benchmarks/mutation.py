"""The mutation score of some modules: how many small faults their tests notice.

    python benchmarks/mutation.py --minutes 10 --seed 1

Draws mutants (another comparison, ``and`` for ``or``, a number plus one, a condition turned round)
from the modules below, runs the tests of the module in a copy of the repository, and counts the
mutants that make them fail.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TESTS = {
    "fsops/core/declare/macros.py": ["tests/core", "-k", "macro"],
    "fsops/core/declare/ports.py": ["tests/core", "-k", "port"],
    "fsops/core/graph/process.py": ["tests/core", "-k", "process"],
    "fsops/engine/cache/store.py": ["tests/engine/cache"],
    "fsops/engine/goal.py": ["tests/engine/test_goal.py"],
    "fsops/engine/ports.py": ["tests/engine/test_ports.py"],
    "fsops/memory.py": ["tests/test_memory.py"],
}
PAIRS = [
    (ast.Lt, ast.GtE),
    (ast.LtE, ast.Gt),
    (ast.Eq, ast.NotEq),
    (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn),
]
OTHER = dict(PAIRS) | {two: one for one, two in PAIRS}


def places(tree: ast.AST) -> list[ast.AST]:
    """Return the nodes that can be changed."""
    return [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER)
        or isinstance(node, ast.BoolOp | ast.If)
        or (isinstance(node, ast.Constant) and type(node.value) in (int, float))
    ]


def change(node: ast.AST) -> str:
    """Change a node in place; return what was done."""
    if isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.If):
        node.test = ast.UnaryOp(ast.Not(), node.test)
    elif isinstance(node, ast.Constant):
        node.value += 1
    return f"line {getattr(node, 'lineno', '?')}: {type(node).__name__}"


def main() -> None:
    """Try mutants until the time is over, and print the score."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng, end = random.Random(given.seed), time.monotonic() + 60 * given.minutes
    killed, survived = 0, []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "fsops"
        ignored = shutil.ignore_patterns(".venv", ".git", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, ignore=ignored)
        while time.monotonic() < end:
            module = rng.choice(list(TESTS))
            file = copy / module
            original = file.read_text(encoding="utf-8")
            tree = ast.parse(original)
            done = change(rng.choice(places(tree)))
            file.write_text(ast.unparse(tree), encoding="utf-8")
            command = [sys.executable, "-m", "pytest", "-q", "-x", "-m", "not slow", "--timeout=60"]
            run = subprocess.run(
                [*command, *TESTS[module]],
                cwd=copy,
                env={**os.environ, "PYTHONPATH": str(copy)},
                capture_output=True,
                check=False,
            )
            file.write_text(original, encoding="utf-8")
            if run.returncode:
                killed += 1
            else:
                survived.append(f"{module}, {done}")
    total = killed + len(survived)
    print(json.dumps({"mutants": total, "killed": killed, "survived": survived}, indent=1))


if __name__ == "__main__":
    main()
