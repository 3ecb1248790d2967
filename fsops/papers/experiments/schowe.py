"""Schowe (2011): Feature selection for high-dimensional data with RapidMiner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fsops.data import AttributeWeights, ExampleSet, SizeCurves
from fsops.papers.setting import Setting, operators, table
from fsops.papers.values import Key, Measured

if TYPE_CHECKING:
    from numpy.typing import NDArray

FIRST_SEED = 2001
RANKS_OF_TABLE_1 = (
    (1, 14, 5, 15, 16, 9, 10, 7, 17, 20, 3, 8, 19, 11, 12, 4, 2, 13, 18, 6),
    (1, 5, 14, 16, 15, 8, 19, 9, 10, 17, 3, 11, 7, 20),
    (1, 14, 5, 15, 16, 8, 19, 9, 10),
    (1, 5, 14, 16, 8, 15),
    (1, 14, 16, 5),
)
"""Attributes by rank in each round, as printed."""
SMALLEST_COMPARED = 5
"""Means over sizes begin here. This is our choice: the paper compares whole curves by eye."""


def table_1(setting: Setting) -> Measured:
    """Replay the printed ranks through Recursive Feature Elimination."""
    rounds: list[set[str]] = []

    def printed_ranks(examples: ExampleSet) -> AttributeWeights:
        names = examples.schema.regular_names
        order = RANKS_OF_TABLE_1[min(len(rounds), len(RANKS_OF_TABLE_1) - 1)]
        rounds.append(set(names))
        place = {f"x{number}": len(order) - i for i, number in enumerate(order)}
        return examples.weights(np.array([float(place.get(name, 0)) for name in names]))

    names = [f"x{number}" for number in range(1, 21)]
    values = np.random.default_rng(0).normal(size=(4, 20))
    examples = ExampleSet.from_numpy(values, y=np.array(list("abab")), names=names)
    with setting.running(FIRST_SEED):
        operators().recursive_feature_elimination(examples, printed_ranks, k=4, fraction=0.3)
    measured = Measured(repetitions="exact", seed=FIRST_SEED)
    for number, printed in enumerate(RANKS_OF_TABLE_1, start=1):
        seen = rounds[number - 1] if number <= len(rounds) else set()
        common = seen & {f"x{j}" for j in printed}
        measured.add(Key(method=f"round {number}", measure="attributes"), len(seen))
        measured.add(Key(method=f"round {number}", measure="attributes as printed"), len(common))
    return measured


def table_2(setting: Setting) -> Measured:
    """Weigh the golf data by maximum relevance."""
    outcome = setting.run("papers/schowe_2011_table_2", {})
    measured = Measured(repetitions="exact", seed=outcome.seed)
    for weights, measure in zip(outcome.results, ("weight", "rank"), strict=True):
        assert isinstance(weights, AttributeWeights)
        for name, value in zip(weights.names, weights.values, strict=True):
            measured.add(Key("golf", name, measure=measure), value)
    measured.figures["weights"] = outcome.results[0]
    return measured


BASELINES = ("naive Bayes, all", "1-NN, all", "random forest, all")


def figure_3(setting: Setting) -> Measured:
    """Compare MRMR and a simple learner with learners on all attributes of Colon."""
    seeds = range(FIRST_SEED, FIRST_SEED + setting.either(1, 10))
    largest = setting.either(10, 50)
    scores = np.array([_curves_of_figure_3(setting, seed, largest) for seed in seeds])
    methods = ("MRMR, naive Bayes", "MRMR, 1-NN", *BASELINES)
    sizes = np.arange(1, largest + 1)
    measured = Measured(repetitions=f"{len(seeds)} × 10 folds", seed=FIRST_SEED)
    mean = scores[:, :, sizes >= SMALLEST_COMPARED].mean(axis=2)
    by_method = dict(zip(methods, mean.T, strict=True))
    for name, values in by_method.items():
        measured.add(Key("colon", name, measure="accuracy"), values)
    for better, worse in (
        ("MRMR, naive Bayes", "random forest, all"),
        ("MRMR, 1-NN", "random forest, all"),
        ("MRMR, naive Bayes", "naive Bayes, all"),
        ("MRMR, 1-NN", "1-NN, all"),
    ):
        gain = by_method[better] - by_method[worse]
        measured.add(Key("colon", f"{better} − {worse}", measure="accuracy"), gain)
    measured.figures["accuracy"] = SizeCurves(
        methods, sizes, scores.transpose(1, 2, 0), criterion="accuracy", maximize=True
    )
    return measured


def _curves_of_figure_3(setting: Setting, seed: int, largest: int) -> NDArray[np.float64]:
    """Return accuracies (methods, sizes) of one partition into folds."""
    ops, examples = operators(), table("colon")

    def mrmr(train: ExampleSet) -> Any:
        return ops.select_by_mrmr_cfs(train, k=largest, output="ranking")

    def one_nearest(train: ExampleSet) -> Any:
        return ops.k_nn(train, number_of_neighbors=1, scaling=True)

    def forest(train: ExampleSet) -> Any:
        return ops.random_forest(train, number_of_trees=10 if setting.quick else 100)

    def test(model: Any, rows: ExampleSet) -> Any:
        return ops.performance(ops.apply_model(model, rows))

    lines = []
    with setting.running(seed):
        for learner in (ops.naive_bayes, one_nearest):
            curves = ops.compare_feature_selections(
                examples,
                learner,
                [mrmr],
                sizes=f"1-{largest}",
                criterion="accuracy",
                number_of_folds=10,
            ).curves
            lines.append(curves.mean[0])
        for learner in (ops.naive_bayes, one_nearest, forest):
            result = ops.cross_validation(examples, learner, test, number_of_folds=10)
            lines.append(np.full(largest, result.performance.main.mean))
    return np.array(lines)


def figure_6(setting: Setting) -> Measured:
    """Compare the stability of MRMR with that of an ensemble on Colon."""
    sizes = (10, 20) if setting.quick else tuple(range(5, 51, 5))
    splits = setting.either(1, 5)
    index = np.empty((2, len(sizes), splits))
    for i, size in enumerate(sizes):
        for split in range(splits):
            outcome = setting.run(
                "papers/schowe_2011_figure_6", {"k": size}, seed=FIRST_SEED + split
            )
            index[:, i, split] = [result["kuncheva"].mean for result in outcome.results]  # type: ignore[index]
    measured = Measured(repetitions=f"{splits} × 10 subsamples", seed=FIRST_SEED)
    methods = ("MRMR", "ensemble of 10")
    for i, size in enumerate(sizes):
        for method, values in zip(methods, index[:, i], strict=True):
            measured.add(Key("colon", method, str(size), "kuncheva"), values)
        gain = index[1, i] - index[0, i]
        measured.add(Key("colon", "ensemble − MRMR", str(size), "kuncheva"), gain)
    measured.figures["stability"] = SizeCurves(
        methods, sizes, index, criterion="kuncheva", maximize=True
    )
    return measured
