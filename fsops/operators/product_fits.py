"""Linear fits of tables of any size, from products of their attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from fsops.algorithms.linear import penalized
from fsops.algorithms.linear.penalized import Penalty
from fsops.core import Context
from fsops.data import ExampleSet
from fsops.errors import DataError
from fsops.memory import size_text

USUAL_LIMIT = 10**9  # bytes, where the user gives no limit
PRODUCTS_IN_LIMIT = 4  # a copy is made when columns join


@dataclass(frozen=True, eq=False)
class ProductFit:
    """A linear function of attributes that are divided by a number each."""

    coefficients: Any
    divisor: Any
    intercept: float


def coefficients_from_products(
    examples: ExampleSet,
    target: Any,
    penalty: Penalty | Callable[[float], Penalty],
    *,
    scale: bool,
    ctx: Context,
) -> ProductFit:
    """Return the coefficients of a table of any size: rows are read, products are merged.

    The penalty may depend on the smallest one that sets all coefficients to 0.
    """
    moments = examples.cross_moments(target, ctx=ctx)
    rows, spread = moments.count, moments.within()
    deviation = np.sqrt(spread / rows)
    divisor = np.where(deviation > 0, deviation if scale else 1.0, 1.0)
    products = np.where(deviation > 0, moments.cross / rows / divisor, 0.0)
    if not isinstance(penalty, Penalty):
        penalty = penalty(float(np.abs(products).max(initial=0.0)))

    def fetch(chosen: Any) -> Any:
        sums = examples.product_sums(moments.mean_x, chosen, ctx=ctx)
        return sums / rows[-1] / divisor[:, None] / divisor[chosen]

    limit = ctx.memory_limit or USUAL_LIMIT
    most = max(1, limit // PRODUCTS_IN_LIMIT // (8 * len(products)))
    try:
        found = penalized.from_products(products, fetch, penalty, most)
    except penalized.TooManyColumns:
        raise DataError(
            f"More than {most:,} attributes may get a coefficient; the products of these with all "
            f"{len(products):,} attributes take over a quarter of the memory of "
            f"{size_text(limit)}.",
            hint="Use a larger penalty, select attributes first (Weight by Correlation, Select by "
            "Weights), or raise --memory-limit.",
        ) from None
    means = moments.mean_x @ (found / divisor)
    return ProductFit(found, divisor, float(moments.mean_y[-1] - means))
