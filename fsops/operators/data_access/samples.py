"""Data sets that come with fsops: those of scikit-learn, and Quinlan's golf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from fsops.data import ExampleSet, ExampleSetMetaData, Schema
from fsops.data.columns import nominal_column
from fsops.data.schema import LABEL, Attribute, ValueType
from fsops.plugins import Sample

_GOLF = """
sunny 85 85 false no; sunny 80 90 true no; overcast 83 78 false yes; rain 70 96 false yes;
rain 68 80 false yes; rain 65 70 true no; overcast 64 65 true yes; sunny 72 95 false no;
sunny 69 70 false yes; rain 75 80 false yes; sunny 75 70 true yes; overcast 72 90 true yes;
overcast 81 75 false yes; rain 71 80 true no
"""


@cache
def golf() -> ExampleSet:
    """Return Quinlan's 14 days of weather, with Play as the label."""
    days = [day.split() for day in _GOLF.split(";")]
    outlook, temperature, humidity, wind, play = (
        list(column) for column in zip(*days, strict=True)
    )
    numbers = [np.array(column, dtype=np.float64) for column in (temperature, humidity)]
    return ExampleSet.from_columns(
        [
            nominal_column("Outlook", outlook),
            (Attribute("Temperature", ValueType.INTEGER), numbers[0]),
            (Attribute("Humidity", ValueType.INTEGER), numbers[1]),
            nominal_column("Wind", wind),
            nominal_column("Play", play, role="label"),
        ],
        len(days),
    )


@cache
def _from_sklearn(name: str) -> ExampleSet:
    """Return one of scikit-learn's data sets; classes get their names."""
    from sklearn import datasets

    bunch = getattr(datasets, f"load_{name}")()
    target = bunch.target
    classes = getattr(bunch, "target_names", None)
    label = (
        target.astype(np.float64) if classes is None else np.asarray(classes)[target].astype(str)
    )
    return ExampleSet.from_numpy(bunch.data, label, names=bunch.feature_names)


_CELL = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity",
    "concave points", "symmetry", "fractal dimension",
)  # fmt: skip
_WINE = (
    "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "flavanoids",
    "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue",
    "od280/od315_of_diluted_wines", "proline",
)  # fmt: skip


def _described(rows: int, names: Sequence[str], counts: Mapping[str, int]) -> ExampleSetMetaData:
    """Return the metadata of a data set; loading scikit-learn for that takes seconds."""
    classes = tuple(counts)
    label = Attribute.nominal("label", classes) if classes else Attribute("label")
    schema = Schema.numerical(names).appended([replace(label, role=LABEL)])
    return ExampleSetMetaData(schema=schema, rows=rows, class_counts=tuple(counts.values()))


def _of_sklearn(name: str, title: str, *facts: Any) -> Sample:
    """Return a data set of scikit-learn; ``sizes`` are rows, attributes and rows of each class."""
    load = partial(_from_sklearn, name.replace(" ", "_"))
    return Sample(name, title, load, cache(partial(_described, *facts)))


SAMPLES = [
    Sample("golf", "Weather on 14 days and whether golf was played (nominal and numerical)", golf),
    _of_sklearn(
        "iris", "150 flowers of 3 species, 4 lengths", 150,
        [f"{part} {size} (cm)" for part in ("sepal", "petal") for size in ("length", "width")],
        {"setosa": 50, "versicolor": 50, "virginica": 50},
    ),
    _of_sklearn(
        "wine", "178 wines of 3 cultivars, 13 measurements", 178, _WINE,
        {"class_0": 59, "class_1": 71, "class_2": 48},
    ),
    _of_sklearn(
        "breast cancer", "569 tumours, benign or malignant, 30 measurements", 569,
        [
            *(f"mean {part}" for part in _CELL),
            *(f"{part} error" for part in _CELL),
            *(f"worst {part}" for part in _CELL),
        ],
        {"benign": 357, "malignant": 212},
    ),
    _of_sklearn(
        "diabetes", "442 patients, disease progression, 10 measurements", 442,
        ["age", "sex", "bmi", "bp", *(f"s{number}" for number in range(1, 7))],
        {},
    ),
    _of_sklearn(
        "digits", "1797 handwritten digits, 64 pixels", 1797,
        [f"pixel_{row}_{column}" for row in range(8) for column in range(8)],
        {str(n): rows for n, rows in enumerate([178, 182, 177, 183, 181, 182, 181, 179, 174, 180])},
    ),
]  # fmt: skip
