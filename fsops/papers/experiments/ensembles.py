"""Tables 3.5 to 3.8 of Ben Brahim (2015): ensembles of selections.

Operators compute the members once per training part and share them among all combinations and
sizes; a process would repeat them for each size.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.algorithms.base import resampling
from fsops.algorithms.stability import similarity
from fsops.data import AttributeWeights, ExampleSet
from fsops.papers.setting import Setting, operators, table
from fsops.papers.values import Key, Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Positions = NDArray[np.intp]

BASE = "base"
VOTE = "ECA"
COMBINATIONS = ("RAA", "WMA", "CLA", "CAA", "RRA", "OFA", "WRA")
SIZES = tuple(range(10, 101, 10))
QUICK_SIZES = (10, 20)
SIZE_NAME = "10-100"
BOOTSTRAPS = 20
NO_GENES = "split|sample_id|followup_months|row_in_96|grade|er_status"

Filter = Callable[[ExampleSet], AttributeWeights]


def genes(name: str) -> ExampleSet:
    """Return a data set with genes and label only."""
    selected: ExampleSet = operators().select_attributes(
        table(name),
        attribute_filter_type="regular_expression",
        regular_expression=NO_GENES,
        invert_selection=True,
    )
    return getattr(selected, "examples", selected)


def filters() -> dict[str, Filter]:
    """Return the filters of the thesis by name."""
    ops = operators()
    return {
        "Relief": ops.weight_by_relief,
        "mRMR": lambda examples: ops.select_by_mrmr_cfs(
            examples, k=max(SIZES), measure="mutual information", output="ranking"
        ),
        "t-test": ops.weight_by_t_test,
    }


@dataclass
class Tally:
    """Selections and errors of all folds, by method and size."""

    names: NDArray[np.object_]
    selections: dict[tuple[str, int], list[NDArray[np.bool_]]] = field(default_factory=dict)
    errors: dict[tuple[str, int], list[float]] = field(default_factory=dict)

    def add_selection(self, method: str, size: int, order: Positions) -> None:
        """Add the attributes that a method selects on a training part."""
        chosen = np.zeros(len(self.names), dtype=bool)
        chosen[order[:size]] = True
        self.selections.setdefault((method, size), []).append(chosen)

    def add_error(self, method: str, size: int, error: float) -> None:
        """Add the error rate on the test part."""
        self.errors.setdefault((method, size), []).append(error)

    def values(self) -> dict[tuple[str, str, str], float]:
        """Return errors and stabilities by method, size and measure, and their means over sizes."""
        values = {
            (method, str(size), "error"): float(np.mean(errors))
            for (method, size), errors in self.errors.items()
        }
        for (method, size), sets in self.selections.items():
            agreed = float(similarity.nogueira(np.array(sets)).value)
            values[method, str(size), "stability"] = agreed
        by_measure: dict[tuple[str, str], list[float]] = {}
        for (method, _, measure), value in values.items():
            by_measure.setdefault((method, measure), []).append(value)
        means = {
            (method, SIZE_NAME, measure): float(np.mean(over_sizes))
            for (method, measure), over_sizes in by_measure.items()
        }
        return means | values


def measure_ensembles(
    setting: Setting, names: Sequence[str], bases: Sequence[str], seeds: Sequence[int]
) -> Measured:
    """Return error and stability of the bases and of all combinations, by size and on average.

    Parameters
    ----------
    names : sequence of str
        Data sets.
    bases : sequence of str
        One filter, whose members are bootstraps, or several, which are the members.
    seeds : sequence of int
        One per partition into folds.
    """
    folds = setting.either(2, 10)
    measured = Measured(repetitions=setting.repetitions(len(seeds), folds), seed=seeds[0])
    members = {name: base for name, base in filters().items() if name in bases}
    if len(members) == 1:
        members = {BASE: next(iter(members.values()))}
    for name in names:
        splits = [
            setting.part(
                ("ensembles", *bases, name, seed),
                partial(_one_split, setting, name, members, folds, seed),
            )
            for seed in seeds
        ]
        for method, size, measure in splits[0]:
            values = [split[method, size, measure] for split in splits]
            measured.add(Key(name, method, size, measure), values)
    return measured


def _one_split(
    setting: Setting, name: str, members: Mapping[str, Filter], folds: int, seed: int
) -> dict[tuple[str, str, str], float]:
    with setting.running(seed), warnings.catch_warnings(action="ignore"):
        examples = genes(name)
        tally = Tally(np.array(examples.schema.regular_names, dtype=object))
        for train, test in split_rows(examples, folds, seed):
            _judge_fold(setting, tally, members, train, test)
        return tally.values()


def split_rows(
    examples: ExampleSet, count: int, seed: int
) -> Iterator[tuple[ExampleSet, ExampleSet]]:
    """Return training and test rows of each fold."""
    classes = examples.label_values().astype(int)
    part = resampling.partition(len(classes), count, np.random.default_rng(seed), strata=classes)
    for fold in range(count):
        yield (
            examples.take(np.flatnonzero(part != fold)),
            examples.take(np.flatnonzero(part == fold)),
        )


def _judge_fold(
    setting: Setting,
    tally: Tally,
    filters_used: Mapping[str, Filter],
    train: ExampleSet,
    test: ExampleSet,
) -> None:
    bootstraps = setting.either(3, BOOTSTRAPS) if len(filters_used) == 1 else 1
    members = (
        operators()
        .ensemble_of_selections(
            train,
            list(filters_used.values()),
            iterations=bootstraps,
            combination="WMA",
            use_absolute_weights=False,
        )
        .members
    )
    alone = {name: ranking(base(train), tally.names) for name, base in filters_used.items()}
    lists = [ranking(member, tally.names) for member in members]
    truth = test.label_values().astype(int)
    for size in QUICK_SIZES if setting.quick else SIZES:
        orders = {name: order[:size] for name, order in alone.items()}
        orders |= {how: combined(members, train, how, size) for how in COMBINATIONS}
        for method, order in orders.items():
            tally.add_selection(method, size, order)
            answer = predicted(train, test, tally.names[np.sort(order)])
            tally.add_error(method, size, float((answer != truth).mean()))
        votes = [predicted(train, test, tally.names[np.sort(order[:size])]) for order in lists]
        tally.add_error(VOTE, size, float((majority(votes) != truth).mean()))


def ranking(weights: AttributeWeights, names: Sequence[str] | NDArray[np.object_]) -> Positions:
    """Return the positions of the attributes from best to worst."""
    values = AttributeWeights.stack([weights], tuple(names))[1][0]
    return np.argsort(-values, kind="stable")


def combined(members: Any, train: ExampleSet, how: str, size: int) -> Positions:
    """Return the attributes that a combination of lists of this length selects."""
    weights = operators().aggregate_weights(
        list(members),
        train,
        combination=how,
        list_length=size,
        keep_best=size,
        ranks="truncated",
        use_absolute_weights=False,
    )
    order: Positions = np.argsort(weights.details["rank"], kind="stable")[:size]
    return order


def predicted(train: ExampleSet, test: ExampleSet, names: NDArray[np.object_]) -> NDArray[np.int64]:
    """Return the classes that a linear SVM predicts, as codes."""
    selected: list[str] = names.tolist()
    model = operators().support_vector_machine(train.select_regular(selected)).model
    answer = model.apply(test.select_regular(selected))
    codes: NDArray[np.int64] = answer.column(f"prediction({answer.label.name})").astype(int)
    return codes


def majority(votes: Sequence[NDArray[np.int64]]) -> NDArray[np.intp]:
    """Return the class that most members predict; the first one if equal."""
    counts = [np.equal(votes, code).sum(axis=0) for code in range(int(np.max(votes)) + 1)]
    winners: NDArray[np.intp] = np.argmax(counts, axis=0)
    return winners
