"""Data sets that come with fsops: those of scikit-learn, and Quinlan's golf."""

from __future__ import annotations

from functools import cache, partial

import numpy as np

from fsops.data import ExampleSet
from fsops.data.examples import nominal_column
from fsops.data.schema import Attribute, ValueType
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


SAMPLES = [
    Sample("golf", "Weather on 14 days and whether golf was played (nominal and numerical)", golf),
    Sample("iris", "150 flowers of 3 species, 4 lengths", partial(_from_sklearn, "iris")),
    Sample("wine", "178 wines of 3 cultivars, 13 measurements", partial(_from_sklearn, "wine")),
    Sample(
        "breast cancer",
        "569 tumours, benign or malignant, 30 measurements",
        partial(_from_sklearn, "breast_cancer"),
    ),
    Sample(
        "diabetes", "442 patients, disease progression, 10 measurements",
        partial(_from_sklearn, "diabetes"),
    ),
    Sample("digits", "1797 handwritten digits, 64 pixels", partial(_from_sklearn, "digits")),
]  # fmt: skip
