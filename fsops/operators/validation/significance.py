"""Do methods differ, or was it chance?"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.statistics import comparison
from fsops.core import Accepts, Aliases, Context, Named, When, operator
from fsops.data import Attribute, ExampleSet, PerformanceVector, ValueType
from fsops.data.columns import coded_column, nominal_column
from fsops.errors import DataError
from fsops.operators.validation.predictions import PredictedClasses, predicted_classes

GROUP = "Validation/Significance"
Alpha = Annotated[
    float,
    Field(gt=0, lt=1, description="Differences with a smaller p-value count as significant."),
]
PERFORMANCES = Aliases(ports={"significance": "examples"})
Floats = npt.NDArray[np.float64]
Column = Sequence[float] | Sequence[str] | Sequence[bool]


def result_table(columns: Mapping[str, Column]) -> ExampleSet:
    """Return a table of results; truth values become yes and no, missing numbers NaN."""
    made = []
    for name, values in columns.items():
        if all(isinstance(value, bool | np.bool_) for value in values):
            made.append(coded_column(name, ["no", "yes"], np.array(values, dtype=np.intp)))
        elif all(isinstance(value, str) for value in values):
            made.append(nominal_column(name, [str(value) for value in values]))
        else:
            made.append((Attribute(name, ValueType.REAL), np.array(values, dtype=np.float64)))
    return ExampleSet.from_columns(made, len(made[0][1]))


def _samples(performances: list[PerformanceVector], ctx: Context) -> list[Floats]:
    """Return the measurements of the main criterion of each performance."""
    if len(performances) < 2:
        raise DataError(
            f"At least two performances are compared, but there {_are(len(performances))}.",
            hint="Connect the performances of several validations.",
        )
    main = performances[0].main.name
    for number, performance in enumerate(performances, start=1):
        if performance.main.name != main:
            raise DataError(
                f"Performance 1 measures {main}, but performance {number} measures "
                f"{performance.main.name}.",
                hint="Choose the same main_criterion in all.",
            )
        if np.isnan(performance.main.values).any():
            raise DataError(
                f"Performance {number} lacks a value of {main} in some of its measurements.",
                hint="Choose a criterion that is defined in every fold.",
            )
    samples = [np.array(performance.main.values) for performance in performances]
    single = [number for number, sample in enumerate(samples, start=1) if len(sample) < 2]
    if single:
        ctx.warn(
            f"Performance {', '.join(map(str, single))} has a single measurement, and so no "
            "spread to judge a difference by. Use the performances of a validation."
        )
    return samples


def _are(number: int) -> str:
    return f"is {number}" if number == 1 else f"are {number}"


@operator(
    group=GROUP,
    role="performance",
    aliases=PERFORMANCES,
    tags=("student", "paired", "nadeau bengio", "pairwise", "compare", "p-value"),
)
def t_test(
    performance: list[PerformanceVector],
    *,
    significance_level: Alpha = 0.05,
    test: Annotated[
        Literal["independent", "paired", "corrected"],
        Field(
            description="Independent measurements; the same folds in "
            "the same order; or the same folds, corrected for their common training rows."
        ),
    ] = "independent",
    test_ratio: Annotated[
        float,
        When(test="corrected"),
        Field(gt=0, description="Test rows / training rows: 1/9 for 10 folds."),
    ] = 1 / 9,
    ctx: Context,
) -> ExampleSet:
    r"""T-Test

    Tests for every two performances whether their means differ by more than chance: difference,
    t statistic, degrees of freedom and two-sided p-value. Each performance must have several
    measurements of its main criterion, as a validation makes them.

    Two validations divide the rows into different folds, so their measurements are not paired,
    unless the folds are the same: by linear sampling, leave one out, or a batch attribute. The
    folds of a cross-validation share most of their training rows, so their measurements vary too
    little and the plain tests find differences too often; the corrected one allows for it. With
    many performances some pairs differ by chance: look at ANOVA first.

    .. math:: t = \frac{\bar d}{\sqrt{\left(\frac1k + \frac{n_{test}}{n_{train}}\right) s_d^2}}
        \quad \text{(corrected)}

    References
    ----------
    Nadeau, Bengio (2003): Inference for the generalization error. Machine Learning 52, 239–281.
    """
    samples = _samples(performance, ctx)
    counts = [len(sample) for sample in samples]
    if test != "independent" and len(set(counts)) > 1:
        raise DataError(
            f"The measurements cannot be paired: there are {', '.join(map(str, counts))}.",
            hint="Use the same number of folds everywhere, or the independent test.",
        )
    names = [f"performance {number + 1}" for number in range(len(samples))]
    pairs = list(itertools.combinations(range(len(samples)), 2))
    found = [comparison.t_test(samples[a], samples[b], test, test_ratio) for a, b in pairs]
    return result_table(
        {
            "first": [names[a] for a, _ in pairs],
            "second": [names[b] for _, b in pairs],
            "first mean": [float(samples[a].mean()) for a, _ in pairs],
            "second mean": [float(samples[b].mean()) for _, b in pairs],
            "difference": [float(samples[a].mean() - samples[b].mean()) for a, b in pairs],
            "statistic": [result.statistic for result in found],
            "df": [result.df for result in found],
            "p-value": [result.p_value for result in found],
            "significant": [bool(result.p_value < significance_level) for result in found],
        }
    )


@operator(
    group=GROUP,
    role="performance",
    aliases=PERFORMANCES,
    tags=("analysis of variance", "f-test", "compare", "p-value"),
)
def anova(
    performance: list[PerformanceVector], *, significance_level: Alpha = 0.05, ctx: Context
) -> ExampleSet:
    r"""ANOVA

    Tests whether any of several performances differs from the others by more than chance: F
    statistic and p-value of a one-way analysis of variance over the measurements of the main
    criterion.

    It does not show which one: use T-Test for the pairs. It assumes independent measurements; the
    folds of a cross-validation are not quite independent.

    .. math:: F = \frac{\sum_g n_g (\bar x_g - \bar x)^2 / (k - 1)}
        {\sum_g \sum_i (x_{gi} - \bar x_g)^2 / (n - k)}

    References
    ----------
    Fisher (1925): Statistical Methods for Research Workers.
    """
    samples = _samples(performance, ctx)
    result, within = comparison.anova(samples)
    return result_table(
        {
            "performances": [float(len(samples))],
            "statistic": [result.statistic],
            "df between": [result.df],
            "df within": [within],
            "p-value": [result.p_value],
            "significant": [bool(result.p_value < significance_level)],
        }
    )


@operator(
    group=GROUP,
    role="performance",
    row_weights="whole numbers",
    tags=("paired", "classifiers", "same rows", "compare", "p-value"),
)
def mcnemar_test(
    first: Annotated[ExampleSet, Named(description="With label and prediction of one model.")],
    second: Annotated[ExampleSet, Named(description="The same rows, predicted by another model.")],
    *,
    significance_level: Alpha = 0.05,
    method: Annotated[
        Literal["automatic", "exact", "chi squared"],
        Field(
            description="By the binomial distribution, or by chi squared with continuity "
            "correction; automatic uses the exact test if the models differ on fewer than 25 rows."
        ),
    ] = "automatic",
) -> ExampleSet:
    r"""McNemar Test

    Tests whether two models differ in accuracy on the same rows, from the rows on which only one of
    them is right.

    The statistic of the exact method is the smaller of the two counts of rows on which only one
    model is right; otherwise it is chi squared.

    Needs one test set that neither model has seen. It says nothing about other training rows: for
    that compare validations with T-Test.

    .. math:: \chi^2 = \frac{(|b - c| - 1)^2}{b + c}

    References
    ----------
    McNemar (1947): Note on the sampling error of the difference between correlated proportions or
    percentages. Psychometrika 12.
    Dietterich (1998): Approximate statistical tests for comparing supervised classification
    learning algorithms. Neural Computation 10.
    """
    one, two = predicted_classes(first), predicted_classes(second)
    _check_same_rows(one, two)
    right, also = one.true == one.guess, two.true == two.guess
    result = comparison.mcnemar(right, also, method)
    return result_table(
        {
            "first accuracy": [float(right.mean())],
            "second accuracy": [float(also.mean())],
            "both right": [float((right & also).sum())],
            "only first right": [float((right & ~also).sum())],
            "only second right": [float((~right & also).sum())],
            "both wrong": [float((~right & ~also).sum())],
            "method": ["exact" if np.isnan(result.df) else "chi squared"],
            "statistic": [result.statistic],
            "p-value": [result.p_value],
            "significant": [bool(result.p_value < significance_level)],
        }
    )


def _check_same_rows(one: PredictedClasses, two: PredictedClasses) -> None:
    if len(one.true) != len(two.true):
        raise DataError(
            f"The tables must have the same rows, but they have {len(one.true)} and "
            f"{len(two.true)}.",
            hint="Apply both models to one table.",
        )
    names = [np.array(side.classes, dtype=object)[side.true] for side in (one, two)]
    other = np.flatnonzero(names[0] != names[1])
    if len(other):
        raise DataError(
            f"The tables must have the same rows, but the labels differ in {len(other)} of them, "
            f"first in row {other[0] + 1}.",
            hint="Apply both models to one table.",
        )


class Compared(NamedTuple):
    """Results of the Friedman test."""

    test: Annotated[ExampleSet, Named(description="Test of the difference between the methods.")]
    ranks: Annotated[ExampleSet, Named(description="Mean rank of each method; 1 is best.")]
    pairs: Annotated[ExampleSet, Named(description="Nemenyi's comparison of every two methods.")]


@operator(
    group=GROUP,
    role="performance",
    accepts=Accepts(infinite=True),
    tags=("nemenyi", "critical difference", "ranks", "iman davenport", "demsar", "data sets"),
)
def friedman_test(
    examples: ExampleSet,
    *,
    significance_level: Alpha = 0.05,
    larger_is_better: Annotated[
        bool, Field(description="Kind of the values: merits, such as accuracy, or errors.")
    ] = True,
    correct_for_ties: Annotated[
        bool,
        Field(description="Allow for methods that share a rank, as statistics packages do."),
    ] = True,
) -> Compared:
    r"""Friedman Test

    Compares methods over several data sets by their ranks. The table has a row for each data set
    and a numerical attribute for each method; other attributes are left out. Returns the test that
    all methods are equal (chi squared, and the F statistic of Iman and Davenport), the mean ranks
    with the critical difference, and Nemenyi's test of every two methods.

    Look at the pairs only if the test is significant. Needs some data sets (about 10) and methods
    (at least 3) for its approximations. Ties share their ranks. The formula below is from Demšar;
    with ties it is divided by the usual correction, unless correct_for_ties is off.

    .. math:: \chi^2_F = \frac{12N}{k(k+1)} \left(\sum_j R_j^2 - \frac{k(k+1)^2}4\right), \qquad
        CD = q_\alpha \sqrt{\frac{k(k+1)}{6N}}

    References
    ----------
    Demšar (2006): Statistical comparisons of classifiers over multiple data sets. JMLR 7, 1–30.
    """
    values = examples.numeric()
    names = examples.schema.names_at(examples.schema.regular_numerical)
    if min(values.shape) < 2:
        raise DataError(
            "At least two data sets (rows) and two methods (numerical attributes) are needed, "
            f"but the table has {values.shape[0]} and {values.shape[1]}."
        )
    found = comparison.friedman(
        values, maximize=larger_is_better, alpha=significance_level, correct_ties=correct_for_ties
    )
    test: dict[str, Column] = {
        "test": ["Friedman", "Iman-Davenport"],
        "statistic": [found.chi2.statistic, found.f.statistic],
        "df": [found.chi2.df, found.f.df],
        "df within": [float("nan"), found.f_within],
        "p-value": [found.chi2.p_value, found.f.p_value],
        "significant": [
            bool(found.chi2.p_value < significance_level),
            bool(found.f.p_value < significance_level),
        ],
        "critical difference": [found.critical_difference] * 2,
    }
    ranks: dict[str, Column] = {"method": list(names), "mean rank": found.average_ranks.tolist()}
    a, b = np.triu_indices(len(names), 1)
    p_values = found.pair_p_values[a, b]
    pairs: dict[str, Column] = {
        "first": [names[i] for i in a],
        "second": [names[i] for i in b],
        "rank difference": (found.average_ranks[a] - found.average_ranks[b]).tolist(),
        "p-value": p_values.tolist(),
        "significant": [bool(p < significance_level) for p in p_values],
    }
    return Compared(result_table(test), result_table(ranks), result_table(pairs))
