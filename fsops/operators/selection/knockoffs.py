"""Knockoffs: selections with a bound on the false discovery rate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Bools, Floats
from fsops.core import Accepts, Context, Subprocess, When, operator
from fsops.core.declare.iterations import Known
from fsops.data import AttributeWeights, ExampleSet, Schema
from fsops.data.names import Names
from fsops.data.row_weights import without_weightless_rows
from fsops.errors import DataError, ParameterError
from fsops.operators.weighting.models import folds_of, standardized
from fsops.operators.weighting.scores import describe_weights

GROUP = "Selection"
IMPUTE = "Replace missing values first, inside the validation."
NUMBERS = Accepts(label="any", attributes="numerical", instead=IMPUTE)
KNOCKOFF_TAGS = ("false discovery rate", "fdr", "error control", "barber candes", "model-x")

Rate = Annotated[
    float,
    Field(gt=0, lt=1, description="False discovery rate: expected fraction of false selections."),
]
Distance = Annotated[
    Literal["mvr", "sdp", "equicorrelated"],
    Field(
        description="Rule that makes copies differ from their attributes: hard to reconstruct "
        "(mvr), "
        "smallest mean correlation (sdp), or the same correlation for all."
    ),
]
Offset = Annotated[
    Literal["knockoff+", "knockoff"],
    When(draws=1),
    Field(
        description="knockoff+ bounds the false discovery rate; knockoff bounds a modified rate "
        "and selects more if few attributes matter."
    ),
]
Draws = Annotated[
    int,
    Field(
        ge=1,
        le=1000,
        description="Number of random copies; above 1 the selections are combined by e-values, so "
        "that the result depends less on chance.",
    ),
]
Shrunk = Annotated[
    bool,
    Field(
        description="Shrink the correlations by Ledoit and Wolf; needed unless there are more "
        "rows than attributes."
    ),
]
Statistic = Callable[[Floats, Floats], Floats]
Maker = Callable[[np.random.Generator], Floats]


@operator(
    group=GROUP,
    role="selection",
    accepts=NUMBERS,
    describe=describe_weights,
    tags=(*KNOCKOFF_TAGS, "fixed-x", "lasso", "derandomized"),
    random=True,
)
def select_by_knockoffs(
    examples: ExampleSet,
    *,
    fdr: Rate = 0.1,
    copies: Annotated[
        Literal["model-X", "fixed-X"],
        Field(
            description="model-X: attributes are normal with any dependence of the label. "
            "fixed-X: any attributes and a linear model with normal errors; needs more than twice "
            "as many rows as attributes."
        ),
    ] = "model-X",
    distance: Distance = "mvr",
    statistic: Annotated[
        Literal["lasso difference", "lasso signed max"],
        Field(
            description="Comparison of attribute and copy: difference of their coefficients at the "
            "penalty chosen by cross-validation, or of their first penalties on the lasso path."
        ),
    ] = "lasso difference",
    offset: Offset = "knockoff+",
    draws: Draws = 1,
    shrink_correlations: Annotated[Shrunk, When(copies="model-X")] = True,
    ctx: Context,
) -> AttributeWeights:
    r"""Select by Knockoffs

    Selects attributes with a bound on the false discovery rate: the expected fraction of
    selected attributes that add nothing about the label to all other attributes. Each attribute
    gets a random copy, a knockoff, with the same correlations and without information about the
    label. An attribute is selected if it beats its copy clearly in a lasso. Selected attributes get
    weight 1, all others 0; the detail "statistic" is positive where the attribute beats its copy.

    With knockoff+ a selection has at least 1 / fdr attributes, or none: with fdr=0.1 at least ten
    attributes or none. With several draws it has at least 2 / fdr attributes, because each draw
    uses fdr / 2. Two classes are coded 0 and 1. Constant attributes are never selected.

    Do not use it on counts or on heavily skewed attributes, because model-X copies are normal:
    transform them first. Copies of each other cannot be distinguished: remove redundant attributes
    first. To find all attributes that differ between classes, including redundant ones, use a
    filter with adjusted p-values. In the formula n counts attributes.

    Model-X copies need the correlations, which are estimated. Shrunk correlations are too small: if
    false attributes are correlated with true ones, sdp copies may exceed the rate (0.24 instead of
    0.2 in a simulation with 200 rows and 60 attributes), mvr copies did not. Fixed-X copies are
    exact. Without shrink_correlations the rate holds as well, but fewer attributes are found.

    .. math:: T = \min \, t \text{ with } \frac{1 + n(W_j \le -t)}{n(W_j \ge t)} \le q

    References
    ----------
    Barber, Candès (2015): Controlling the false discovery rate via knockoffs. Ann. Statist. 43.
    Candès, Fan, Janson, Lv (2018): Panning for gold: model-X knockoffs for high dimensional
    controlled variable selection. J. R. Statist. Soc. B 80, 551–577.
    Spector, Janson (2022): Powerful knockoffs via minimizing reconstructability. Ann. Statist. 50.
    Ren, Barber (2024): Derandomised knockoffs: leveraging e-values for false discovery rate
    control. J. R. Statist. Soc. B 86.
    """
    from fsops.algorithms.error_control import knockoffs as algorithm

    y = examples.numeric_label()
    if len(examples) < 3 or np.ptp(y) == 0:
        raise DataError("Knockoffs need at least three rows and two different label values.")

    folds = folds_of(examples, ctx, 5)

    def compared(Z: Floats, copy: Floats) -> Floats:
        if statistic == "lasso signed max":
            return algorithm.lasso_signed_max(Z, copy, y)
        return algorithm.lasso_difference(Z, copy, y, folds)

    Z, varying = _varying(examples)
    if copies == "fixed-X":
        needed = 2 * Z.shape[1] + 1
        if len(Z) < needed:
            raise DataError(
                f"Fixed-X knockoffs of {Z.shape[1]} attributes need {needed} rows, but there are "
                f"{len(Z)}.",
                hint="Set copies to model-X, or select fewer attributes first.",
            )
        make: Maker = partial(algorithm.fixed_knockoffs, Z, distance)
    else:
        make = _model_x(Z, distance, shrink=shrink_correlations)
    W = _statistics(Z, make, compared, draws, ctx)
    return _selection(examples, varying, W, fdr, plus=offset == "knockoff+", ctx=ctx)


def _draws(known: Known) -> int:
    number: int = known["draws"]
    return number


@operator(
    group=GROUP,
    role="selection",
    accepts=replace(NUMBERS, events=True),
    describe=describe_weights,
    tags=(*KNOCKOFF_TAGS, "any weighting", "wrapper"),
    random=True,
    iterations=_draws,
)
def knockoff_filter(
    examples: ExampleSet,
    weighting: Subprocess[[ExampleSet], AttributeWeights],
    *,
    fdr: Rate = 0.1,
    distance: Distance = "mvr",
    offset: Offset = "knockoff+",
    draws: Draws = 1,
    shrink_correlations: Shrunk = True,
    ctx: Context,
) -> AttributeWeights:
    """Knockoff Filter

    Selects attributes with a bound on the false discovery rate, by any inner weighting: the inner
    process sees each attribute and a random copy of it, a model-X knockoff, which does not depend
    on the label. Attributes whose absolute weight is clearly larger than that of their copies get
    weight 1, all others 0. The inner process gets attributes with mean 0 and deviation 1, named x1,
    x2, ….

    The rate holds for attributes that are jointly normal with known correlations, and for any label
    and weighting. Weightings that look at all attributes together, such as a forest or an SVM, find
    more than filters: a filter gives weight to false attributes that are correlated with true ones,
    and also to their copies. Do not put a filter inside if correlations are shrunk and such
    attributes are likely: their copies get too little weight, and the rate was 0.4 instead of 0.2
    in a simulation. Switch shrink_correlations off, which needs more rows than attributes and finds
    less, or use Select by Knockoffs. Do not use it on counts or heavily skewed attributes:
    transform them first. Select by Knockoffs has a lasso inside and is faster.

    References
    ----------
    Candès, Fan, Janson, Lv (2018): Panning for gold: model-X knockoffs for high dimensional
    controlled variable selection. J. R. Statist. Soc. B 80, 551–577.
    Ren, Barber (2024): Derandomised knockoffs: leveraging e-values for false discovery rate
    control. J. R. Statist. Soc. B 86.
    """
    examples = without_weightless_rows(examples)  # as weights of 0 and 1 anywhere else
    if examples.row_weights is not None:
        raise DataError(
            "Knockoffs cannot use row weights.",
            hint="Give the attribute with the role weight another role (Set Role).",
        )
    special = examples.select(examples.schema.roles)

    def compared(Z: Floats, copy: Floats) -> Floats:
        p = Z.shape[1]
        names = Names.numbered("x", 2 * p)
        both = ExampleSet.of_matrix(Schema.numerical(names), np.column_stack([Z, copy]))
        # Also of a ranking, larger is better.
        found = np.abs(AttributeWeights.stack([weighting(both.beside(special))], names)[1][0])
        found = np.nan_to_num(found, posinf=np.finfo(np.float64).max)
        difference: Floats = found[:p] - found[p:]
        return difference

    Z, varying = _varying(examples)
    make = _model_x(Z, distance, shrink=shrink_correlations)
    W = _statistics(Z, make, compared, draws, ctx)
    return _selection(examples, varying, W, fdr, plus=offset == "knockoff+", ctx=ctx)


# --- shared steps ------------------------------------------------------------------------------


def _varying(examples: ExampleSet) -> tuple[Floats, Bools]:
    """Return the attributes that are not constant, standardized, and which ones they are."""
    Z = standardized(examples.numeric())
    varying: Bools = np.asarray(Z.any(axis=0), dtype=np.bool_)
    if not varying.any():
        raise DataError("All attributes are constant, so knockoffs cannot select any.")
    return np.ascontiguousarray(Z[:, varying]), varying


def _model_x(Z: Floats, distance: Any, *, shrink: bool) -> Maker:
    """Return the function that draws model-X copies."""
    from fsops.algorithms.error_control import knockoffs as algorithm

    if not shrink and len(Z) <= Z.shape[1]:
        raise ParameterError(
            f"shrink_correlations is off, but {len(Z)} rows do not determine the correlations of "
            f"{Z.shape[1]} attributes.",
            hint="Switch shrink_correlations on.",
        )
    correlation = _regular(partial(algorithm.correlation_of, Z, shrink=shrink))
    s = algorithm.s_values(correlation, distance)
    return partial(algorithm.gaussian_knockoffs, Z, correlation, s)


def _regular(compute: Callable[[], Any]) -> Any:
    """Return a result; a singular correlation matrix gets a sentence."""
    try:
        return compute()
    except ValueError as error:
        if "singular" not in str(error):
            raise
        raise DataError(
            "The correlation matrix is singular: some attributes are copies or sums of others.",
            hint="Remove them (Remove Correlated Attributes), or use shrunk correlations.",
        ) from None


def _statistics(
    Z: Floats, make: Maker, compare: Statistic, draws: int, ctx: Context
) -> list[Floats]:
    """Return the statistic of every draw.

    Attributes and copies change places at random, so that neither is preferred for its place.
    """
    generators = ctx.rng("copies").spawn(draws)

    def draw(number: int) -> Floats:
        rng = generators[number]
        with ctx.one_thread():
            copy = _regular(partial(make, rng))
            swapped = rng.random(Z.shape[1]) < 0.5
            first = np.where(swapped, copy, Z)
            second = np.where(swapped, Z, copy)
            return np.where(swapped, -1.0, 1.0) * compare(first, second)

    return ctx.map(draw, range(draws), "Draws")


def _selection(
    examples: ExampleSet, varying: Bools, W: list[Floats], fdr: float, *, plus: bool, ctx: Context
) -> AttributeWeights:
    """Return 1 for selected attributes; of several draws by their mean e-values."""
    from fsops.algorithms.error_control import knockoffs as algorithm

    statistic = np.mean(W, axis=0) + 0.0
    if len(W) == 1:
        selected = statistic >= algorithm.threshold_of(statistic, fdr, plus=plus)
        found = {"statistic": statistic}
    else:
        each = np.array([algorithm.e_values(w, fdr / 2) for w in W])
        selected = algorithm.e_bh(each.mean(axis=0), fdr)
        frequency = (each > 0).mean(axis=0)
        found = {"statistic": statistic, "e_value": each.mean(axis=0), "frequency": frequency}
    if not selected.any():
        ctx.warn(
            f"No selection has a false discovery rate of at most {fdr:g}: no attribute is selected."
        )
    columns = {key: _everywhere(value, varying) for key, value in found.items()}
    return examples.weights(_everywhere(selected.astype(np.float64), varying), details=columns)


def _everywhere(values: Floats, varying: Bools) -> Floats:
    """Return values of the varying attributes, and 0 for the constant ones."""
    whole = np.zeros(len(varying))
    whole[varying] = values
    return whole
