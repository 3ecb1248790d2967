"""Two ways to the same numbers race each other; what all benchmarks share."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

ROUNDS = 7
BUDGET = 20.0  # seconds of CPU time after which a competitor is not run again
ENOUGH, MOST_ROUNDS = 0.3, 60  # what takes milliseconds is run again until it took such a time
FIELDS = ("work", "shape", "peer", "peer ms", "ours ms", "ratio", "goal", "same result")
FORMAT = "{:<13} {:<17} {:<35} {:>9} {:>8} {:>7}  {:<6} {}"

Run = Callable[[], Any]


@dataclass(frozen=True)
class Duel:
    """One row: two ways to the same numbers, and how much faster ours has to be."""

    work: str
    shape: str
    peer: str
    package: str
    theirs: Run
    ours: Run
    same: Callable[[Any, Any], str]
    goal: float | None = None
    scale: float = 1.0  # the peer was given only 1/scale of the features
    clock: Callable[[], float] = time.process_time


# --- data ----------------------------------------------------------------------------------------


def expression_data(n: int, p: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Like gene expression: correlated groups, some features shifted by class, positive means."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    X = rng.standard_normal((n, p))
    width = max(1, p // 100)
    X[:, : 20 * width] += 0.5 * np.repeat(rng.standard_normal((n, 20)), width, axis=1)
    informative = rng.choice(p, min(50, p), replace=False)
    X[:, informative] += 0.8 * rng.standard_normal(informative.size) * (y - y.mean())[:, None]
    X *= rng.uniform(0.5, 2.0, p)
    X += rng.uniform(4, 10, p)
    return X, y


def text(shape: tuple[int, int], layout: str = "") -> str:
    short = [f"{size // 1000}k" if size % 1000 == 0 else str(size) for size in shape]
    return "×".join(short) + layout


# --- measuring ------------------------------------------------------------------------------------


def race(
    runs: list[Run], rounds: int, clock: Callable[[], float] = time.process_time
) -> tuple[list[float], list[Any]]:
    """Best time of each and last result; a first round warms caches and compiles.

    What is short goes through more rounds: a few milliseconds are disturbed by anything.
    """
    best, spent = [np.inf] * len(runs), [0.0] * len(runs)
    results: list[Any] = [None] * len(runs)
    for iteration in range(MOST_ROUNDS + 1):
        if iteration > rounds and min(spent) >= ENOUGH:
            break
        for i, run in enumerate(runs):
            if spent[i] > BUDGET:
                continue
            began = clock()
            results[i] = run()
            seconds = clock() - began
            spent[i] += seconds
            # What takes seconds is not run again for the sake of a warm start.
            if iteration or seconds > BUDGET / 2:
                best[i] = min(best[i], seconds)
    return best, results


def row(*fields: str) -> None:
    print(FORMAT.format(*fields), flush=True)


def fight(duel: Duel, rounds: int) -> bool:
    """Print one row; whether its goal was reached."""
    goal = "" if duel.goal is None else f"≥ {duel.goal:g}"
    if find_spec(duel.package) is None:
        row(duel.work, duel.shape, duel.peer, "-", "-", "-", goal, "peer is not installed")
        return True
    (theirs, ours), results = race([duel.theirs, duel.ours], rounds, duel.clock)
    return report(duel, theirs, ours, results)


def report(duel: Duel, theirs: float, ours: float, results: list[Any]) -> bool:
    """Print one row from measured seconds; whether its goal was reached."""
    goal = "" if duel.goal is None else f"≥ {duel.goal:g}"
    try:
        same = duel.same(*results)
    except AssertionError as error:
        print(error)
        same = "DIFFERENT"
    theirs *= duel.scale
    ratio = theirs / ours
    peer = duel.peer + ("" if duel.scale == 1 else f" (1/{duel.scale:g})")
    reached = same != "DIFFERENT" and (duel.goal is None or ratio >= duel.goal)
    times = f"{theirs * 1e3:.1f}", f"{ours * 1e3:.1f}", f"{ratio:.1f}"
    row(duel.work, duel.shape, peer, *times, goal, same + ("" if reached else "  MISSED"))
    return reached


# --- growth ---------------------------------------------------------------------------------------


def exponent(runs: list[Run], sizes: list[int], rounds: int) -> float:
    """Slope of log time over log size."""
    best, _ = race(runs, rounds)
    return float(np.polyfit(np.log(sizes), np.log(best), 1)[0])


def growth_row(work: str, orders: dict[str, tuple[float, int]]) -> bool:
    """Print measured exponents beside those allowed; whether they are reached (+ 0.2)."""
    reached = all(found <= order + 0.2 for found, order in orders.values())
    found = ", ".join(f"{found:.2f} in {name} (≤ {o:g})" for name, (found, o) in orders.items())
    print(f"{work:13} {found}" + ("" if reached else "  MISSED"), flush=True)
    return reached
