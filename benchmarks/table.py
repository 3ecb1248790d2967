"""The whole table of README.md, three seeds: ``python benchmarks/table.py``.

Operators, searches, validations, a study and readers of files race their peers at shapes drawn at
random; worst, median and best ratio of each seed are printed in one line per work, with the worst
shape of all seeds. Then follow the table of a million attributes, a wide Parquet file, two
processes against one, the start of a command, the memory of a validation and two profiles. On one
thread of a quiet machine it takes about ten minutes. ``--quick`` is a look at whether everything
runs. Exits with 1 if a goal is missed. See README.md.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import secrets
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import engines
import formats
import million
import numpy as np
import operators
import selection
from race import Duel, race
from threadpoolctl import threadpool_limits

import processes

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "fast-select", "mrmrs")
SLOW = "skrebate"
"""A peer that takes minutes at each seed; its goal is checked by operators.py."""
Ratios = dict[str, float]
"""Ratio by shape; NaN where results differ."""
Found = dict[str, tuple[str, float, list[Ratios]]]
"""Peer, goal and the ratios of each seed, by work."""


def header() -> None:
    """Print when and where the figures were taken."""
    versions = []
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"{package} not installed")
    moment = datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC")
    print(f"{moment}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    print(f"Python {platform.python_version()}, {', '.join(versions)}", flush=True)


# --- the races -----------------------------------------------------------------------------------


def of_operators(seed: int, shapes: int, values: int) -> Iterator[tuple[str, str, float, Ratios]]:
    """Yield the univariate operators and ReliefF."""
    chosen = [
        entry
        for entry in operators.ENTRIES
        if find_spec(entry.package) is not None and entry.package != SLOW
    ]
    plan = operators.planned(chosen, seed, shapes, values)
    found = operators.measured(chosen, plan, seed, 3, verbose=False)
    for entry in chosen:
        ratios = {str(shape): ratio for shape, ratio in found[entry.name].items()}
        yield entry.name, entry.peer_name, entry.goal, ratios


def of_searches(seed: int, count: int) -> Iterator[tuple[str, str, float, Ratios]]:
    """Yield MRMR, SVM-RFE, LASSO path, forward and backward search at drawn shapes."""
    makers: dict[str, Callable[[np.random.Generator], Duel]] = {
        "MRMR": selection.mrmr_duel,
        "SVM-RFE": selection.rfe_duel,
        "LASSO path": lambda rng: selection.lars_duel(rng, 2 * selection.LEAST_VALUES),
        "forward k-NN": lambda rng: selection.search_duel(rng, backward=False),
        "backward k-NN": lambda rng: selection.search_duel(rng, backward=True),
    }
    rng = np.random.default_rng(seed)
    for name, make in makers.items():
        ratios: Ratios = {}
        for _ in range(count):
            duel = make(rng)
            if find_spec(duel.package) is None:
                continue
            ratios[duel.shape] = ratio_of(duel, 1)
        yield name, duel.peer, duel.goal or 0.0, ratios


def of_formats(seed: int) -> Iterator[tuple[str, str, float, Ratios]]:
    """Yield readers of text with decimal commas, Excel sheets and wide Parquet files."""
    with tempfile.TemporaryDirectory() as folder:
        for duel in formats.duels(seed, Path(folder)):
            yield duel.work, duel.peer, duel.goal or 0.0, {duel.shape: ratio_of(duel, 3)}


def ratio_of(duel: Duel, rounds: int) -> float:
    """Return the ratio of a race; NaN if the results differ."""
    (theirs, ours), results = race([duel.theirs, duel.ours], rounds, duel.clock)
    try:
        duel.same(*results)
    except AssertionError as error:
        print(f"{duel.work}: different results at {duel.shape}\n{error}", flush=True)
        return np.nan
    return duel.scale * theirs / ours


def of_processes(
    seed: int, options: argparse.Namespace
) -> Iterator[tuple[str, str, float, Ratios]]:
    """Yield validations and the study."""
    found = processes.ratios_of(seed, options.shapes, 1, 2, options.values)
    for name, ratios in found.items():
        peer = "script of the same steps" if name == "study" else "sklearn Pipeline"
        yield name, peer, processes.GOALS[name], ratios


def raced(seeds: list[int], options: argparse.Namespace) -> Found:
    """Return the ratios of all works for all seeds."""
    found: Found = {}
    for seed in seeds:
        parts = {
            "operators": of_operators(seed, options.shapes, int(options.values)),
            "searches": of_searches(seed, options.searches),
            "processes": of_processes(seed, options),
            "files": of_formats(seed),
        }
        for part, rows in parts.items():
            began = time.perf_counter()
            for name, peer, goal, ratios in rows:
                found.setdefault(name, (peer, goal, []))[2].append(ratios)
            seconds = time.perf_counter() - began
            print(f"seed {seed}, {part}: {seconds:.0f} s", file=sys.stderr, flush=True)
    return found


def show(seeds: list[int], found: Found) -> int:
    """Print the table; the number of works that miss their goals."""
    titles = "  ".join(f"{f'seed {seed}':>20}" for seed in seeds)
    print(f"\n{'':24} {'':27} {titles}\n{'work':24} {'peer':27}", end=" ")
    print("  ".join(["worst median   best"] * len(seeds)), " goal    worst shape")
    missed = 0
    for name, (peer, goal, by_seed) in found.items():
        figures = []
        for ratios in by_seed:
            values = np.array(list(ratios.values()) or [np.nan])
            figures.append(f"{values.min():6.1f} {np.median(values):6.1f} {values.max():6.1f}")
        everything = {shape: ratio for ratios in by_seed for shape, ratio in ratios.items()}
        worst = list(everything)[int(np.argmin(list(everything.values())))] if everything else "-"
        reached = all(ratio >= goal for ratio in everything.values())
        missed += not reached
        end = f"≥ {goal:<5.3g} {worst}" + "  MISSED" * (not reached)
        print(f"{name:24} {peer[:27]:27} {'  '.join(figures)}  {end}", flush=True)
    return missed


# --- what is measured once -----------------------------------------------------------------------


def show_the_rest(seed: int) -> int:
    """Print the figures that need no seed; the number of those that miss their goals."""
    missed = 0
    with threadpool_limits(1):
        print("\na million attributes")
        missed += million.main()
        missed += not formats.show_wide()
    print("\ntwo processes against one, by the clock")
    engines.side_by_side(100, 2)
    missed += not engines.speed(
        "100 bootstraps of MRMR", engines.ensemble(100), engines.GOAL_SPEED, 2
    )
    missed += not engines.speed(
        "3 × 10 bootstraps of MRMR", engines.nested(3, 10), engines.GOAL_NESTED, 2
    )
    print("\nstart", flush=True)
    command = [sys.executable, str(Path(__file__).with_name("startup.py")), "--rounds", "5"]
    missed += subprocess.run(command, check=False).returncode != 0
    print("\nmemory of ten folds at 100 × 200,000")
    missed += not processes.show_memory()
    with threadpool_limits(1):
        processes.show_profile(seed)
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--seeds", type=int, nargs="+", help="three new ones if not given")
    parser.add_argument("--shapes", type=int, default=3, help="number of shapes")
    parser.add_argument("--searches", type=int, default=1, help="shapes of searches")
    parser.add_argument("--values", type=float, default=4e6, help="largest number of values")
    parser.add_argument("--quick", action="store_true", help="one seed and small tables")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    seeds = options.seeds or [secrets.randbelow(10**6) for _ in range(1 if options.quick else 3)]
    if options.quick:
        options.shapes, options.values = 2, 2e6
    if find_spec("numba") is not None:
        importlib.import_module("numba")  # half a second once per process
    header()
    with threadpool_limits(1):
        missed = show(seeds, raced(seeds, options))
    missed += show_the_rest(seeds[0])
    print(f"{datetime.now(UTC):%H:%M} UTC, load {os.getloadavg()[0]:.1f}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
