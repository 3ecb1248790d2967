"""Customers of a direct mailing, with a known rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LIFESTYLES = ("active", "cozily", "healthy")
FAMILIES = ("married", "single")
CARS = ("expensive", "practical")
SPORTS = ("athletics", "badminton", "soccer")
LETTERS = np.array(list("abcdefghijklmnopqrstuvwxyz"))
NAME_LENGTH = 8


def mailing_rows(n: int, rng: np.random.Generator) -> tuple[list[str], list[npt.NDArray[Any]]]:
    """Return names, and age, lifestyle, zip code, family, car, sports, earnings and response.

    Rows with an age above 55 respond with probability 0.8, above 60 with 0.9, above 65 with 0.95;
    younger ones with a zip code below 15000 with 0.9. Of all others, those with earnings
    above 140000 respond. Bounds are included below and excluded above: age 15 to 69.
    """
    letters = LETTERS[rng.integers(len(LETTERS), size=(n, NAME_LENGTH))]
    names = ["".join(row) for row in letters]
    age = rng.integers(15, 70, n)
    lifestyle = rng.integers(len(LIFESTYLES), size=n)
    zip_code = rng.integers(10_000, 100_000, n)
    family, car = rng.integers(2, size=n), rng.integers(2, size=n)
    sports = rng.integers(len(SPORTS), size=n)
    earnings = rng.integers(20_000, 150_000, n)
    refusal = np.select([age > 65, age > 60, age > 55], [0.05, 0.1, 0.2], default=0.1)
    likely = (age > 55) | (zip_code < 15_000)
    response = np.where(likely, rng.random(n) > refusal, earnings > 140_000)
    numbers = [age, lifestyle, zip_code, family, car, sports, earnings, response]
    kinds = [float, np.int32, float, np.int32, np.int32, np.int32, float, np.int32]
    return names, [column.astype(kind) for column, kind in zip(numbers, kinds, strict=True)]
