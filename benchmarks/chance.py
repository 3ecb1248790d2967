"""Does the answer of a study hold what it says? ``python benchmarks/chance.py``.

noise     40 tables of noise (several shapes, unequal classes, correlated attributes, groups): on
          how many does the study say that nothing was found?
planted   40 tables with ten attributes that differ, at three strengths: how often is something
          found, how many of the ten are named, and how many others?
coverage  how often does the stated 95 % interval hold the accuracy on new rows?
time      CPU time of the study of a table of 60 x 20,000 with 199 permutations and without. See
          README.md.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from fsops import ExampleSet
from fsops.data import StudyAnswer
from fsops.operators import (
    compare_feature_selections,
    measure_chance,
    naive_bayes,
    select_by_mrmr_cfs,
    weight_by_f_test,
    weight_by_relief,
)

STRENGTHS = (0.6, 0.9, 1.3)
TRUE = 10
BLOCK = 20  # correlated attributes
NEW_ROWS = 4000
LEVEL = 0.95


@dataclass(frozen=True)
class Shape:
    """A kind of table."""

    rows: int
    columns: int
    rare: float = 0.5
    correlation: float = 0.0
    per_group: int = 1

    def __str__(self) -> str:
        parts = [f"{self.rows} x {self.columns}"]
        parts += [f"{self.rare:.0%} in one class"] if self.rare != 0.5 else []
        parts += [f"r = {self.correlation}"] if self.correlation else []
        parts += [f"{self.per_group} rows per patient"] if self.per_group > 1 else []
        return ", ".join(parts)


NOISE = (
    Shape(60, 1000),
    Shape(30, 1000),
    Shape(20, 500),
    Shape(100, 200),
    Shape(60, 1000, rare=0.15),
    Shape(60, 1000, correlation=0.7),
    Shape(40, 3000, rare=0.25, correlation=0.5),
    Shape(72, 300, per_group=3),
)


def a_table(shape: Shape, rng: np.random.Generator, strength: float = 0.0) -> ExampleSet:
    """Return a table whose first attributes differ between the classes, or noise."""
    units = shape.rows // shape.per_group
    y = np.arange(units) < max(2, round(units * shape.rare))
    X = rng.standard_normal((units, shape.columns))
    if shape.correlation:
        shared = rng.standard_normal((units, shape.columns // BLOCK + 1))
        shared = np.repeat(shared, BLOCK, axis=1)[:, : shape.columns]
        X = np.sqrt(shape.correlation) * shared + np.sqrt(1 - shape.correlation) * X
    X[:, :TRUE] += strength * y[:, None]
    unit = np.repeat(np.arange(units), shape.per_group)
    X, y = X[unit], y[unit]
    if shape.per_group > 1:
        X = X + 0.5 * rng.standard_normal(X.shape)
    frame = pd.DataFrame(X).add_prefix("G").assign(group=np.where(y, "case", "control"))
    roles = {"group": "label"}
    if shape.per_group > 1:
        frame["patient"] = unit
        roles["patient"] = "group"
    return ExampleSet.from_pandas(frame, roles=roles)


METHODS = {
    "Weight by F-Test": weight_by_f_test,
    "Weight by Relief": weight_by_relief,
    "Select by MRMR / CFS": lambda table: select_by_mrmr_cfs(table, k=50, output="ranking"),
}


def study(examples: ExampleSet, *, folds: int = 10, **settings: int) -> StudyAnswer:
    """Return the answer of the study that ``fsops new`` writes: three methods, and chance."""
    width = len(examples.schema.regular)
    curves = compare_feature_selections(
        examples,
        naive_bayes,
        list(METHODS.values()),
        method_names=list(METHODS),
        sizes=[size for size in (1, 2, 5, 10, 20, 50) if size < width],
        number_of_folds=folds,
    ).curves
    return measure_chance(examples, curves, **settings).answer


# --- noise and planted attributes -------------------------------------------------------------


def noise(tables: int, rng: np.random.Generator) -> bool:
    """Count the tables of noise on which nothing is found."""
    print("| noise | tables | nothing found | attributes named | permutations |")
    print("|---|---|---|---|---|")
    total, quiet = 0, 0
    for number, shape in enumerate(NOISE):
        count = tables // len(NOISE) + (number < tables % len(NOISE))
        answers = [_noise_answer(shape, rng) for _ in range(count)]
        if not answers:
            continue
        silent = sum(not answer.verdict.found for answer in answers)
        named = sum(len(answer.beyond) for answer in answers if answer.verdict.found)
        used = np.mean([answer.chance.permutations for answer in answers])
        print(f"| {shape} | {count} | {silent} | {named} | {used:.0f} |", flush=True)
        total, quiet = total + count, quiet + silent
    least = 0.95 * total
    print(f"| all | {total} | {quiet} (goal: {least:.0f}) | | |\n")
    return quiet >= least


def _noise_answer(shape: Shape, rng: np.random.Generator) -> StudyAnswer:
    examples = a_table(shape, rng)
    rare = round(shape.rows / shape.per_group * min(shape.rare, 1 - shape.rare))
    return study(examples, folds=min(10, rare), resamples=0)


def planted(tables: int, rng: np.random.Generator) -> bool:
    """Count how often planted attributes are found, and which are named."""
    print(
        f"| difference of {TRUE} | tables | found | true ones named | false ones named | verdicts |"
    )
    print("|---|---|---|---|---|---|")
    fine = True
    true = {f"G{number}" for number in range(TRUE)}
    for number, strength in enumerate(STRENGTHS):
        count = tables // len(STRENGTHS) + (number < tables % len(STRENGTHS))
        shape = Shape(60, 1000)
        answers = [study(a_table(shape, rng, strength), resamples=0) for _ in range(count)]
        found = sum(answer.verdict.found for answer in answers)
        named = [{attribute.name for attribute in answer.beyond} for answer in answers]
        right = np.mean([len(names & true) for names in named])
        wrong = np.mean([len(names - true) for names in named])
        cases = Counter(answer.verdict.case for answer in answers).most_common()
        said = ", ".join(f"{case} {times}" for case, times in cases)
        row = f"{strength} sd | {count} | {found} | {right:.1f} | {wrong:.2f} | {said}"
        print(f"| {row} |", flush=True)
        fine &= wrong <= 0.2 and (strength < STRENGTHS[-1] or found == count)
    print()
    return fine


# --- coverage ---------------------------------------------------------------------------------


def coverage(tables: int, rng: np.random.Generator, *, methods: bool) -> bool:
    """Count how often the interval holds the accuracy on new rows of the model that is chosen."""
    print("| with three methods |" if methods else "| with one filter |", end="")
    print(" tables | honest | lowest error | new rows | covered | width |")
    print("|---|---|---|---|---|---|---|")
    every = []
    for strength in (0.0, *STRENGTHS):
        rows = [_covered(strength, rng, methods) for _ in range(tables)]
        every += rows
        honest, lowest, true, inside, width = np.mean(rows, axis=0)
        numbers = f"{honest:.3f} | {1 - lowest:.3f} | {true:.3f} | {inside:.3f} | {width:.2f}"
        print(f"| {strength} sd | {tables} | {numbers} |", flush=True)
    inside = np.mean(every, axis=0)[3]
    print(f"| all | {len(every)} | | | | {inside:.3f} (goal: 0.92 to 0.98) | |\n")
    return bool(0.92 <= inside <= 0.98)


def _covered(strength: float, rng: np.random.Generator, methods: bool) -> tuple[float, ...]:
    shape = Shape(60, 500)
    examples = a_table(shape, rng, strength)
    settings = {"permutations": 19, "resamples": 0}
    answer = study(examples, **settings) if methods else measure_chance(examples, **settings).answer
    method = METHODS[answer.method or "Weight by F-Test"]
    weights = method(examples)
    best = list(weights.top(answer.best_size))
    model = naive_bayes(examples.select_regular(best))
    new = a_table(Shape(NEW_ROWS, shape.columns), rng, strength).select_regular(best)
    predicted = model.apply(new)
    right = predicted.column("prediction(group)") == predicted.column("group")
    true = float(right.mean())  # the classes are equal
    main = answer.main
    inside = main.lower <= true <= main.upper
    return main.value, answer.best_score, true, float(inside), main.upper - main.lower


# --- time -------------------------------------------------------------------------------------


def seconds(rounds: int, rng: np.random.Generator) -> bool:
    """Compare the CPU time of `fsops run` with and without the operator."""
    with tempfile.TemporaryDirectory() as folder:
        table, with_chance = Path(folder, "table.csv"), Path(folder, "with.xml")
        a_table(Shape(60, 20_000), rng, 1.2).to_pandas().to_csv(table, index=False)
        fsops = [sys.executable, "-m", "fsops"]
        made = [*fsops, "new", str(with_chance), "--data", str(table), "--label", "group"]
        subprocess.run(made, check=True, capture_output=True)
        without = Path(folder, "without.xml")
        text = with_chance.read_text()
        switched = 'class="measure_chance" activated="false"'
        without.write_text(text.replace('class="measure_chance"', switched))
        times: dict[Path, list[float]] = {with_chance: [], without: []}
        for _ in range(rounds + 1):  # the first one fills the caches of the system
            for process, spent in times.items():
                spent.append(_cpu([*fsops, "run", str(process)]))
    one, other = (min(spent[1:]) for spent in (times[with_chance], times[without]))
    print(f"60 x 20,000 with an effect, all 199 permutations, best of {rounds} rounds: {one:.2f} s")
    print(f"with chance, {other:.2f} s without: {one / other:.2f} times (goal: at most 1.6)\n")
    return one / other <= 1.6


def _cpu(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    one_thread = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **one_thread})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


PARTS = ("noise", "planted", "coverage", "time")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], default=list(PARTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=40, help="of noise, and with attributes")
    parser.add_argument("--simulated", type=int, default=100, help="per strength, for coverage")
    parser.add_argument("--compared", type=int, default=30, help="the same with three methods")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    fine = True
    with threadpool_limits(1):
        for number, part in enumerate(PARTS):
            if part not in given.parts:
                continue
            rng = np.random.default_rng([given.seed, number])
            if part == "coverage":
                fine &= coverage(given.simulated, rng, methods=False)
                if given.compared:
                    fine &= coverage(given.compared, rng, methods=True)
            elif part == "time":
                fine &= seconds(given.rounds, rng)
            else:
                fine &= (noise if part == "noise" else planted)(given.tables, rng)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
