"""Comparing selections: which one is best, how stable is it, how long does it take?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Annotated, NamedTuple, Unpack

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.statistics import comparison
from fsops.algorithms.statistics.significance import adjust_p_values
from fsops.core import Accepts, Context, Expert, MacroName, Named, operator
from fsops.core.declare.iterations import Count, Known
from fsops.data import Attribute, ExampleSet, SizeCurves, ValueType
from fsops.errors import DataError, ParameterError, enumerate_names
from fsops.operators.size_choice import Choose, Percent
from fsops.operators.validation.significance import Alpha, Column, friedman_test, result_table
from fsops.operators.validation.size_curves import (
    Evaluation,
    Learning,
    Macros,
    Selection,
    evaluated,
    name_of,
)
from fsops.operators.validation.size_settings import (
    Criterion,
    Sizes,
    Splitting,
    drawn_splits,
    grid,
    sizes_within,
    splits_before_run,
)

MOST = 100
"""The largest number of attributes that is judged where none is named."""
Floats = npt.NDArray[np.float64]


class Comparison(NamedTuple):
    """Results of a comparison of selections."""

    curves: Annotated[
        SizeCurves, Named(description="Merit, stability and time by number of attributes.")
    ]
    table: Annotated[ExampleSet, Named(description="The same values, a row per method and number.")]
    friedman: Annotated[
        ExampleSet | None,
        Named(description="Test of the difference between several methods."),
    ]
    comparison: Annotated[
        ExampleSet | None, Named(description="Nemenyi's test of every two methods by merit.")
    ]
    stability_comparison: Annotated[
        ExampleSet | None, Named(description="Nemenyi's test of every two methods by stability.")
    ]
    mcnemar: Annotated[
        ExampleSet | None,
        Named(description="McNemar's test of every two methods at each number; for classes."),
    ]


def _iterations(known: Known) -> list[int | Count]:
    splits, methods = splits_before_run(known), known.inner - 1
    sizes = len(known["sizes"] or grid(known.attributes, MOST))
    learned = Count(
        splits * methods, splits * methods * sizes, "a selection may give fewer attributes"
    )
    return [learned, *[splits] * methods]


@operator(
    group="Validation",
    role="validation",
    accepts=Accepts(label="any", missing=True, infinite=True, sparse=True, events=True),
    tags=(
        "benchmark",
        "which method is best",
        "which selection is best",
        "compare methods",
        "number of features",
        "error curve",
        "stability",
        "runtime",
        "gene selection",
        "biomarker",
        "friedman",
        "nemenyi",
        "mcnemar",
    ),
    random=True,
    iterations=_iterations,
)
def compare_feature_selections(
    examples: ExampleSet,
    learning: Learning,
    selection: list[Selection],
    *,
    method_names: Annotated[
        list[str],
        Field(
            description="Names of the methods, in the order of the inner processes; empty: the "
            "names of the operators that return the weights."
        ),
    ] = [],
    sizes: Sizes = [],
    criterion: Criterion = "automatic",
    choose: Choose = "best",
    percent: Percent = 1.0,
    use_absolute_weights: Annotated[
        bool,
        Field(
            description="Rank by the absolute weight. If false, attributes with a weight of 0 or "
            "less are never selected."
        ),
    ] = False,
    significance_level: Alpha = 0.05,
    method_macro: Annotated[
        str,
        MacroName(),
        Expert(),
        Field(description="Macro that holds the number of the method, from 1."),
    ] = "method",
    attributes_macro: Annotated[
        str,
        MacroName(),
        Expert(),
        Field(description="Macro that holds the number of attributes, for use in the learning."),
    ] = "attributes",
    ctx: Context,
    **splitting: Unpack[Splitting],
) -> Comparison:
    r"""Compare Feature Selections

    Finds which of several selections is best for your data: how well a learner predicts with the
    best 1, 2, 5, 10, … attributes of each, how much the choice changes with the rows, and how long
    it takes. All methods see the same splits. On each split, every inner selection weights the
    attributes once, on the training rows. Then, for each number of attributes, the best attributes
    are kept, the learning trains a model, and the model predicts the test rows.

    The first inner process is the learner; each further one is a method and returns weights, the
    larger the better. Attributes with weights of 0 or less are never selected. A method that gives
    too few attributes is measured with these, with a warning. A method that fails, or selects no
    attribute on some split, is left out with a warning that gives the reason; the others are
    compared. To give each method its own learner, put Select Subprocess into the learning, with
    select_which set to %{method}; %{attributes} is the number of attributes.

    The table has mean and deviation of the criterion over the splits, its pooled value over all
    test rows, Kuncheva's index and Nogueira's measure of stability, and how many attributes were
    used on average. For sets of one size both measures are the same; all or no attributes have no
    stability. Censored times (role event) are judged by the concordance index. The curves also have
    the times of the selection, and of training and prediction.

    Friedman's test and Nemenyi's comparison rank the methods by their mean at each number of
    attributes: the blocks are the numbers of attributes. These depend on each other, so the
    p-values only describe this data set; to compare methods in general, collect the results of
    several data sets and use Friedman Test. McNemar's test compares the predictions for single
    rows, each row once, as predicted when it was first tested; its p-values are adjusted by Holm's
    method for all pairs and numbers in the table.

    The smallest error on the curve is optimistic, because the number of attributes was chosen on
    the test rows. For an unbiased estimate put Choose Number of Features inside a validation.

    References
    ----------
    Demšar (2006): Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1–30.
    Dietterich (1998): Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10.
    Kuncheva (2007): A stability index for feature selection. IASTED.
    Nogueira, Sechidis, Brown (2018): On the stability of feature selection algorithms. JMLR 18.
    """
    names = _names(selection, method_names)
    found = evaluated(
        examples,
        learning,
        dict(zip(names, selection, strict=True)),
        drawn_splits(examples, splitting, ctx),
        sizes=sizes_within(sizes, examples, MOST, ctx),
        criterion=criterion,
        absolute=use_absolute_weights,
        macros=Macros(method_macro, attributes_macro),
        ctx=ctx,
    )
    curves = found.curves(choose, percent)
    friedman, pairs = None, None
    if ctx.wants("friedman") or ctx.wants("comparison"):
        friedman, pairs = _ranked(curves, curves.mean, curves.maximize, significance_level)
    steadiness = None
    if curves.stability is not None and ctx.wants("stability_comparison"):
        steadiness = _ranked(curves, curves.stability, True, significance_level)[1]
    return Comparison(
        curves,
        _table(found, curves),
        friedman,
        pairs,
        steadiness,
        _mcnemar(found, significance_level),
    )


def _names(selections: Sequence[Selection], given: Sequence[str]) -> list[str]:
    """Return a different name for each method."""
    if not selections:
        raise DataError(
            "There are no selections to compare.", hint="Add an inner process that returns weights."
        )
    if given and len(given) != len(selections):
        raise ParameterError(
            f"method_names has {len(given)} names, but there are {len(selections)} selections."
        )
    if len(set(given)) < len(given):
        double = [name for name in dict.fromkeys(given) if list(given).count(name) > 1]
        raise ParameterError(f"method_names has {enumerate_names(double)} more than once.")
    found: list[str] = []
    for number, selection in enumerate(selections, start=1):
        name = given[number - 1] if given else name_of(selection) or f"method {number}"
        found.append(f"{name} ({number})" if name in found else name)
    return found


def _ranked(
    curves: SizeCurves, values: Floats, maximize: bool, alpha: float
) -> tuple[ExampleSet | None, ExampleSet | None]:
    """Return Friedman's and Nemenyi's tests over the sizes at which all methods have a value."""
    # Rounded, so that sums in another order do not decide between equal figures.
    known = np.round(values[:, ~np.isnan(values).any(axis=0)], 12)
    if min(known.shape) < 2:
        return None, None
    blocks = ExampleSet.from_columns(
        [
            (Attribute(name, ValueType.REAL), row)
            for name, row in zip(curves.methods, known, strict=True)
        ],
        known.shape[1],
    )
    found = friedman_test(blocks, significance_level=alpha, larger_is_better=maximize)
    return found.test, found.pairs


def _table(found: Evaluation, curves: SizeCurves) -> ExampleSet:
    kuncheva, nogueira, used = found.agreement
    count = len(found.sizes)
    columns: dict[str, Column] = {
        "method": [name for name in found.methods for _ in found.sizes],
        "attributes": [float(size) for size in found.sizes] * len(found.methods),
        found.criterion: curves.mean.ravel().tolist(),
        "deviation": curves.deviation.ravel().tolist(),
        "pooled": found.pooled().ravel().tolist(),
        "kuncheva": kuncheva.ravel().tolist(),
        "nogueira": nogueira.ravel().tolist(),
        "used": used.ravel().tolist(),
        "chosen": [
            bool(size == chosen) for chosen in curves.chosen or [0] * count for size in found.sizes
        ],
    }
    return result_table(columns)


def _mcnemar(found: Evaluation, alpha: float) -> ExampleSet | None:
    """Return the test of every two methods at each size, from the first test of each row."""
    label = found.examples.label
    if not label.value_type.is_nominal or len(found.methods) < 2:
        return None
    guess, truth = found.first_tests
    right = np.where(np.isnan(guess), np.nan, guess == truth)
    rows = []
    for at, size in enumerate(found.sizes):
        for a, b in itertools.combinations(range(len(found.methods)), 2):
            both = ~np.isnan(right[a, at]) & ~np.isnan(right[b, at])
            one, two = right[a, at, both] == 1, right[b, at, both] == 1
            p_value = comparison.mcnemar(one, two).p_value
            counts = float((one & ~two).sum()), float((two & ~one).sum())
            rows.append((float(size), found.methods[a], found.methods[b], *counts, p_value))
    sizes, first, second, only_first, only_second, p_values = map(list, zip(*rows, strict=True))
    adjusted = adjust_p_values(np.array(p_values), "holm")
    return result_table(
        {
            "attributes": sizes,
            "first": first,
            "second": second,
            "only first right": only_first,
            "only second right": only_second,
            "p-value": p_values,
            "adjusted p-value": adjusted.tolist(),
            "significant": [bool(p < alpha) for p in adjusted],
        }
    )
