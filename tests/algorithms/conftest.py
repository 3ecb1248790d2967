"""The two worked data sets of the method specification."""

from dataclasses import dataclass

import numpy as np
import pytest


@dataclass(frozen=True)
class Toy:
    """Five positive and three negative rows of four numeric features; the third is constant."""

    X: np.ndarray
    y: np.ndarray


@dataclass(frozen=True)
class Golf:
    """Quinlan's weather data: Outlook and Wind nominal, Temperature and Humidity numeric."""

    nominal: np.ndarray
    numeric: np.ndarray
    play: np.ndarray


@pytest.fixture
def toy():
    X = np.array(
        [
            [5.1, 4.9, 6.2, 5.8, 5.5, 3.9, 4.1, 4.6],
            [1, 2, 3, 4, 5, 2, 3, 4],
            [2] * 8,
            [0.1, 0.4, 0.35, 0.8, 0.2, 0.9, 1.5, 1.1],
        ]
    ).T
    return Toy(X, np.array([1, 1, 1, 1, 1, 0, 0, 0]))


@pytest.fixture
def golf():
    rows = """sunny 85 85 F no; sunny 80 90 T no; overcast 83 78 F yes; rain 70 96 F yes;
    rain 68 80 F yes; rain 65 70 T no; overcast 64 65 T yes; sunny 72 95 F no; sunny 69 70 F yes;
    rain 75 80 F yes; sunny 75 70 T yes; overcast 72 90 T yes; overcast 81 75 F yes;
    rain 71 80 T no"""
    cells = np.array([row.split() for row in rows.split(";")])
    outlook = np.array([["sunny", "overcast", "rain"].index(v) for v in cells[:, 0]])
    wind = (cells[:, 3] == "T").astype(int)
    return Golf(
        np.column_stack([outlook, wind]),
        cells[:, 1:3].astype(float),
        (cells[:, 4] == "yes").astype(int),
    )
