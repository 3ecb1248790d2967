"""Do error bounds hold? ``python benchmarks/error_control.py simulate --seed 1 --tables 200``.

simulate  generated tables of six settings, in which the attributes that matter are known: the
          empirical false discovery rate of knockoffs and its standard error, the mean number of
          false selections of stability selection beside its bound, and the power of both. In the
          last three settings false attributes are correlated with true ones.
time      knockoffs at 200 x 5,000, and Boruta against its forests alone. See README.md.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from fsops import AttributeWeights, ExampleSet
from fsops.operators import (
    knockoff_filter,
    select_by_boruta,
    select_by_knockoffs,
    stability_selection,
    weight_by_correlation,
    weight_by_lasso,
)

RATE = 0.2
PAIRS = 50


@dataclass(frozen=True)
class Setting:
    """A kind of table: rows, attributes, how many matter, their strength, and the correlation.

    Correlations fall with the distance. The attributes that matter and all others are two
    independent blocks. So an attribute that does not matter is false in both senses: it adds
    nothing to the others, and is independent of the label. With ``mixed`` the attributes that
    matter are spread evenly among the others, which are correlated with them and with the label,
    but add nothing. With ``classes`` the label has two.
    """

    rows: int
    columns: int
    signals: int
    strength: float
    correlation: float
    classes: bool = False
    mixed: bool = False

    def __str__(self) -> str:
        label = "two classes" if self.classes else "number"
        place = ", true among false" if self.mixed else ""
        shape = f"{self.rows} x {self.columns}, {self.signals} true"
        return f"{shape}, r = {self.correlation}, {label}{place}"

    def draw(self, rng: np.random.Generator) -> tuple[ExampleSet, np.typing.NDArray[np.bool_]]:
        """Return a table, and which attributes matter."""
        X = rng.normal(size=(self.rows, self.columns))
        r = self.correlation
        for j in range(1, self.columns):
            if r and (self.mixed or j != self.signals):
                X[:, j] = r * X[:, j - 1] + np.sqrt(1 - r**2) * X[:, j]
        true = np.arange(self.columns) < self.signals
        if self.mixed:
            step = self.columns // self.signals
            true = np.arange(self.columns) % step == step // 2
            true[np.flatnonzero(true)[self.signals :]] = False
        y = self.strength * X[:, true].sum(axis=1) + rng.normal(size=self.rows)
        label = np.where(y > 0, "high", "low") if self.classes else y
        return ExampleSet.from_numpy(X, label), true


SETTINGS = (
    Setting(200, 60, 15, 0.3, 0.5),
    Setting(100, 150, 12, 0.6, 0.0),
    Setting(200, 100, 12, 0.5, 0.3, classes=True),
    Setting(200, 60, 15, 0.5, 0.5, mixed=True),
    Setting(100, 150, 12, 0.8, 0.5, mixed=True),
    Setting(200, 100, 12, 0.7, 0.5, classes=True, mixed=True),
)


def methods(setting: Setting, *, every: bool) -> Iterator[tuple[str, Callable[..., object]]]:
    """Return the selections that suit a setting; ``every`` adds the slower ones."""
    fast = partial(select_by_knockoffs, fdr=RATE, statistic="lasso signed max")
    yield "knockoff+, mvr, signed max", fast
    yield "knockoff+, sdp, signed max", partial(fast, distance="sdp")
    yield "knockoff+, equicorrelated, signed max", partial(fast, distance="equicorrelated")
    if setting.rows > 2 * setting.columns and not setting.classes:
        yield "knockoff+, fixed-X, signed max", partial(fast, copies="fixed-X")
    inner = weight_by_correlation
    yield "knockoff filter, correlation", lambda e: knockoff_filter(e, inner, fdr=RATE)
    yield "stability, r-concave", lambda e: stability_selection(e, inner, pairs=PAIRS)
    if setting.mixed:  # a filter finds attributes that are correlated with true ones
        lasso = partial(weight_by_lasso, penalty=0.1)
        yield "stability, lasso", lambda e: stability_selection(e, lasso, pairs=PAIRS)
    if every or setting.mixed:
        yield "knockoff+, mvr, lasso difference", partial(select_by_knockoffs, fdr=RATE)
    if every:
        yield "derandomized, 5 draws, signed max", partial(fast, draws=5)


def simulate(seed: int, tables: int, numbers: list[int], *, every: bool) -> None:
    """Print rates and power of each method in each setting, also while they are measured."""
    for number in numbers:
        setting = SETTINGS[number - 1]
        found: dict[str, list[Selected]] = {}
        for table in range(1, tables + 1):
            examples, true = setting.draw(np.random.default_rng([seed, number, table]))
            for name, method in methods(setting, every=every):
                found.setdefault(name, []).append(Selected.of(method(examples)))
            if table % 50 == 0 or table == tables:
                print(f"{setting}: {table} tables")
                print(pd.DataFrame(_lines(found, true)).to_string(index=False), flush=True)


@dataclass(frozen=True)
class Selected:
    """Attributes that a method has selected from a table.

    Stability selection has a bound, and the fraction of the halves that selected each attribute.
    """

    chosen: np.typing.NDArray[np.bool_]
    bound: float = np.nan
    frequency: np.typing.NDArray[np.float64] | None = None
    per_half: float = np.nan

    @classmethod
    def of(cls, result: Any) -> Selected:
        """Return the selection of a result."""
        if isinstance(result, AttributeWeights):
            return cls(result.values > 0)
        facts = result.bound.means()
        return cls(
            result.weights.values > 0,
            facts["expected_false_selections"],
            result.weights.details["frequency"],
            facts["attributes_per_half"],
        )


def _lines(
    found: dict[str, list[Selected]], true: np.typing.NDArray[np.bool_]
) -> Iterator[dict[str, object]]:
    """Return a line for each method, and a second one for stability selection.

    Its bound is about attributes that halves select no more often than at random. The mean
    frequency over all tables shows which ones these are.
    """
    for name, each in found.items():
        yield {"method": name, **_summary(each, ~true, true)}
        if each[0].frequency is not None:
            mean = np.mean([one.frequency for one in each], axis=0)
            rare = mean <= each[0].per_half / len(true)
            yield {"method": f"{name}, rarely selected", **_summary(each, rare, true)}


def _summary(
    each: list[Selected], false: np.typing.NDArray[np.bool_], true: np.typing.NDArray[np.bool_]
) -> dict[str, object]:
    chosen = np.array([one.chosen for one in each])
    errors = chosen[:, false].sum(axis=1)
    bound = float(np.mean([one.bound for one in each]))
    is_rate = np.isnan(bound)
    values = errors / np.maximum(1, chosen.sum(axis=1)) if is_rate else errors
    limit = RATE if is_rate else bound
    spread = values.std(ddof=1) / np.sqrt(len(each))
    return {
        "empirical": round(values.mean(), 3),
        "standard error": round(spread, 3),
        "bound": round(limit, 3),
        "holds": values.mean() <= limit + 2 * spread,
        "power": round(chosen[:, true].mean(), 3),
    }


def seconds(function: Callable[[], object]) -> float:
    """Return the CPU time of a call."""
    began = time.process_time()
    function()
    return time.process_time() - began


def measure_time(seed: int) -> pd.DataFrame:
    """Return CPU times of knockoffs at 200 x 5,000."""
    examples, _ = Setting(200, 5000, 30, 0.6, 0.5).draw(np.random.default_rng(seed))
    rows = [
        {"what": f"knockoffs, {d}, {s}", "seconds": round(seconds(call), 1)}
        for d in ("mvr", "sdp", "equicorrelated")
        for s in ("lasso difference", "lasso signed max")
        for call in [partial(select_by_knockoffs, examples, distance=d, statistic=s)]
    ]
    return pd.DataFrame(rows)


def boruta_ratio(seed: int, rows: int, columns: int) -> dict[str, object]:
    """Return the CPU time of Boruta over that of the same forests without anything around them."""
    from sklearn.ensemble import RandomForestClassifier

    examples, _ = Setting(rows, columns, 10, 1.0, 0.3, classes=True).draw(
        np.random.default_rng(seed)
    )
    spent = 0.0
    fit = RandomForestClassifier.fit

    def timed(forest: RandomForestClassifier, *args: object, **more: object) -> object:
        nonlocal spent
        began = time.process_time()
        fitted = fit(forest, *args, **more)
        _ = fitted.feature_importances_
        spent += time.process_time() - began
        return fitted

    RandomForestClassifier.fit = timed
    whole = seconds(partial(select_by_boruta, examples, number_of_trees=100, iterations=30))
    RandomForestClassifier.fit = fit
    shape = f"Boruta, {rows} x {columns}, over its forests"
    return {"what": shape, "seconds": round(whole, 1), "ratio": round(whole / spent, 3)}


def main() -> None:
    """Run one of the parts."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("part", choices=["simulate", "time"])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tables", type=int, default=200)
    every = list(range(1, len(SETTINGS) + 1))
    parser.add_argument("--settings", type=int, nargs="+", choices=every, default=every)
    parser.add_argument("--every", action="store_true", help="also the slower methods")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    with threadpool_limits(1):
        if given.part == "simulate":
            simulate(given.seed, given.tables, given.settings, every=given.every)
        else:
            print(measure_time(given.seed).to_string(index=False))
            shapes = ((60, 100), (100, 2000), (500, 50))
            print(pd.DataFrame([boruta_ratio(given.seed, *s) for s in shapes]).to_string())


if __name__ == "__main__":
    main()
