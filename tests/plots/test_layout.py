"""Every figure on hard cases: nothing is cut off at the edge, and no two labels overlap."""

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from fsops.algorithms.base import ranking
from fsops.algorithms.stability import similarity as stability
from fsops.data import (
    Attribute,
    AttributeWeights,
    Collection,
    ConfusionMatrix,
    Criterion,
    EliminationTrace,
    ExampleSet,
    PerformanceVector,
    ShrunkenCentroids,
    StabilityResult,
    ValueType,
)
from fsops.data.model import prediction_attributes
from fsops.operators import friedman_test, lars
from fsops.plots import figures_for, make_figure
from fsops.plots.style import styled

GENES = [f"ENSG0000{i:05d}_very_long_gene_name_{'abc'[i % 3]}_at" for i in range(300)]


def weights(n, seed=0):
    rng = np.random.default_rng(seed)
    effect = 3 * rng.normal(size=n)
    values = rng.normal(size=n)
    values[n // 2 :: 50] = np.nan
    details = {
        "deviation": np.abs(values) / 3,
        "statistic": effect,
        "p_value": 10 ** -np.abs(effect),
    }
    return AttributeWeights(GENES[:n], values, details=details)


def stable(p, runs, k):
    rng = np.random.default_rng(1)
    matrix = np.abs(np.linspace(2, 0, p) + rng.normal(size=(runs, p)) / 2)
    by_size = {m: stability.stability_over_k(matrix, measure=m) for m in ("kuncheva", "jaccard")}
    return StabilityResult(GENES[:p], matrix, ranking.top_k_mask(matrix, k), by_size)


def collection(p, runs, *origins):
    matrix = stable(p, runs, 3).weights
    named = origins or [""] * runs
    return Collection(
        [AttributeWeights(GENES[:p], row, origin=o) for row, o in zip(matrix, named, strict=True)]
    )


def predicted(n_classes, n_attributes):
    rng = np.random.default_rng(2)
    codes = np.arange(150) % n_classes
    X = rng.normal(size=(150, n_attributes)) + codes[:, None]
    X[::20, 0] = np.nan
    names = np.array([f"a class with the number {c}" for c in range(n_classes)], dtype=object)
    table = ExampleSet.from_numpy(X, names[codes], names=GENES[:n_attributes])
    confidence = rng.random((150, n_classes))
    confidence[np.arange(150), table.column("label")] += 0.5
    prediction, *others = prediction_attributes(table.label)
    guess = confidence.argmax(axis=1).astype(np.int32)
    columns = [(prediction, guess), *zip(others, confidence.T, strict=True)]
    return table.with_columns(columns)


def trace(sizes, whole):
    rng = np.random.default_rng(3)
    order, rounds = np.arange(sizes[0]), []
    for size, rest in zip(sizes, [*sizes[1:], 0], strict=True):
        order = order[np.argsort(order + 8 * rng.random(size))]
        shown = order if whole else order[rest:]
        rounds.append((size, tuple(GENES[i] for i in shown), np.ones(len(shown))))
        order = order[:rest]
    return EliminationTrace(tuple(rounds))


def regression(p):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(60, p))
    return ExampleSet.from_numpy(X, X[:, 0] - X[:, 1] + rng.normal(size=60), names=GENES[:p])


def pairs(k):
    rng = np.random.default_rng(5)
    table = ExampleSet.from_numpy(rng.random((12, k)) + np.arange(k) / k, names=GENES[:k])
    return friedman_test(table).pairs


def scan():
    k = np.tile([1.0, 2, 5, 10, 100], 3)
    merit = 0.6 + 0.1 * np.log10(k) + np.repeat([0.0, 0.02, 0.05], 5)
    columns = [(Attribute("A very long name of an operator.k"), k), (Attribute("accuracy"), merit)]
    return ExampleSet.from_columns(columns, 15)


def front():
    merit, other = np.linspace(0.7, 0.9, 6), np.linspace(0.9, 0.1, 6)
    used = np.array(["a"] * 6, dtype=object)
    columns = [
        (Attribute("accuracy"), merit),
        (Attribute("stability"), other),
        (Attribute("number_of_attributes", ValueType.INTEGER), np.arange(6.0)),
        (Attribute("attributes", ValueType.TEXT), used),
    ]
    return ExampleSet.from_columns(columns, 6)


def centroids(classes, p):
    rng = np.random.default_rng(6)
    differences = rng.normal(size=(classes, p)) * rng.exponential(2, size=p)
    names = [f"a class with the number {c}" for c in range(classes)]
    return ShrunkenCentroids(GENES[:p], names, differences, threshold=1.0)


def timings(n):
    return {
        ("Validation", f"An operator with a long name, {i}"): SimpleNamespace(seconds=i / 7, runs=9)
        for i in range(n)
    }


CASES = {
    "3 weights": lambda: weights(3),
    "300 weights": lambda: weights(300),
    "ties": lambda: AttributeWeights(GENES[:9], np.ones(9)),
    "infinite": lambda: AttributeWeights(["a", "b", "$c$"], [np.inf, np.nan, -np.inf]),
    "stability 3": lambda: stable(3, 4, 2),
    "stability 300": lambda: stable(300, 12, 10),
    "stability 50 times": lambda: stable(40, 50, 10),
    "2 weightings": lambda: collection(30, 2, "Weight by SAM", "Weight by Information Gain Ratio"),
    "4 methods compared": lambda: collection(30, 4, *(f"Weight by method {i}" for i in range(4))),
    "8 methods compared": lambda: collection(300, 8, *(f"{i} {GENES[i]}" for i in range(8))),
    "5 weightings": lambda: collection(300, 5),
    "2 classes": lambda: predicted(2, 3),
    "7 classes": lambda: predicted(7, 12),
    "20 classes": lambda: predicted(20, 30),
    "short elimination": lambda: trace([3, 2, 1], True),
    "long elimination": lambda: trace([300, 150, 75, 37, 18, 9, 4], True),
    "dropped only": lambda: trace([300, 150, 75, 37, 18, 9, 4], False),
    "path of 3": lambda: lars(regression(3)).model,
    "path of 30": lambda: lars(regression(30), t=1.0).model,
    "3 methods": lambda: pairs(3),
    "12 methods": lambda: pairs(12),
    "scan": scan,
    "front": front,
    "centroids of 2 classes": lambda: centroids(2, 1),
    "centroids of 4 classes": lambda: centroids(4, 60),
    "centroids of 20 classes": lambda: centroids(20, 60),
    "timings": lambda: timings(30),
    "one row per class": lambda: PerformanceVector(
        [Criterion("accuracy", (1.0,))],
        confusion=ConfusionMatrix(("no", "yes"), np.array([[12345, 0], [0, 0]])),
    ),
}


def visible_texts(figure):
    """Return the texts of a figure that are drawn, with the groups that must not overlap."""
    groups = []
    for ax in figure.axes:
        legend = ax.get_legend()
        groups += [
            [tick.label1 for tick in ax.xaxis._update_ticks() if ax.axison],
            [tick.label1 for tick in ax.yaxis._update_ticks() if ax.axison],
            list(ax.texts),
            [ax.xaxis.label, ax.yaxis.label, *(legend.get_texts() if legend else [])],
            [ax.title, ax._left_title],
        ]
    return [[t for t in group if t.get_text() and t.get_visible()] for group in groups]


@pytest.mark.parametrize("case", CASES)
def test_labels_are_inside_the_figure_and_apart(case):
    result = CASES[case]()
    makers = figures_for(result)
    assert makers
    for maker in makers:
        figure = make_figure(maker, result)
        with styled():
            figure.draw_without_rendering()
        width, height = figure.bbox.size
        for group in visible_texts(figure):
            boxes = [(text.get_text(), text.get_window_extent()) for text in group]
            for text, box in boxes:
                inside = box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1
                assert inside, (maker.name, text, box)
            for (one, a), (two, b) in combinations(boxes, 2):
                assert not a.padded(-0.5).overlaps(b.padded(-0.5)), (maker.name, one, two)
