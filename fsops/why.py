"""Why a process that runs can mislead: a page per kind of advice, with a demonstration on noise.

The demonstrations compute something each time they are shown; none of their numbers is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from fsops.core.checks.problems import Kind

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Choose = Callable[[Floats, Ints], Ints]
SEED = 2026


@dataclass(frozen=True)
class Reason:
    """Why a kind of problem matters."""

    title: str
    text: str
    demonstrate: Callable[[], str]
    """Run the demonstration, a second at most, and return the outcome in one or two sentences."""


def reason_for(kind: Kind) -> Reason | None:
    """Return the page about a kind of problem; None for errors, which explain themselves."""
    return REASONS.get(kind)


# --- a learner, a selection and a cross-validation, as simple as possible -------------------


def noise(rows: int, columns: int, seed: int = SEED) -> tuple[Floats, Ints]:
    """Return random numbers, and classes that have nothing to do with them."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.permutation(np.arange(rows) % 2)


def centroid_guess(train: Floats, classes: Ints, test: Floats) -> Ints:
    """Return the class whose mean is nearest."""
    means = np.stack([train[classes == c].mean(axis=0) for c in (0, 1)])
    distance = ((test[:, None, :] - means[None]) ** 2).sum(axis=2)
    return np.asarray(distance.argmin(axis=1), dtype=np.intp)


def best(values: Floats, classes: Ints, count: int) -> Ints:
    """Return the columns with the largest Welch t."""
    from fsops.algorithms.filters.univariate import welch_t

    t = np.abs(welch_t(values, classes, p_values=False, weighting="abs_statistic").statistic)
    return np.argsort(-t, kind="stable")[:count]


def validated(values: Floats, classes: Ints, choose: Choose | None = None, folds: int = 5) -> float:
    """Return the accuracy of a cross-validation; ``choose`` selects columns in each training."""
    right = 0
    for fold in range(folds):
        test = np.arange(len(values)) % folds == fold
        columns = np.arange(values.shape[1])
        if choose is not None:
            columns = choose(values[~test], classes[~test])
        guess = centroid_guess(values[~test][:, columns], classes[~test], values[test][:, columns])
        right += int((guess == classes[test]).sum())
    return right / len(values)


# --- demonstrations -------------------------------------------------------------------------


def leak_demo() -> str:
    """Select before and inside a validation."""
    values, classes = noise(60, 3_000)
    outside = validated(values[:, best(values, classes, 10)], classes)
    inside = validated(values, classes, lambda v, c: best(v, c, 10))
    return (
        f"60 rows, 3,000 attributes of noise. The 10 best chosen with all rows: {outside:.0%} "
        f"accuracy. Chosen in each training: {inside:.0%}. The truth is 50%."
    )


def label_demo() -> str:
    """Add a column that is known only afterwards."""
    values, classes = noise(100, 20)
    known = np.where(classes == 1, np.arange(100) % 4 + 1.0, 0.0) * 10
    with_it = validated(np.column_stack([values, known]), classes)
    return (
        "20 attributes of noise, and the severity of the disease, which is 0 for healthy people: "
        f"{with_it:.0%} accuracy. Without it: {validated(values, classes):.0%}."
    )


def small_demo() -> str:
    """Guess few rows many times."""
    rng = np.random.default_rng(SEED)
    few, many = (rng.binomial(n, 0.5, 2_000) / n for n in (20, 400))
    low, high = np.quantile(few, [0.025, 0.975])
    narrow, wide = np.quantile(many, [0.025, 0.975])
    return (
        f"Guessing 20 rows 2,000 times: accuracies from {low:.0%} to {high:.0%} (95% of them). "
        f"Guessing 400 rows: from {narrow:.0%} to {wide:.0%}."
    )


def unequal_demo() -> str:
    """Predict the largest class always."""
    rng = np.random.default_rng(SEED)
    ill = rng.random(1_000) < 0.05
    return (
        f"{ill.mean():.1%} of 1,000 people are ill. Always predicting healthy has an accuracy of "
        f"{(~ill).mean():.1%}, finds 0% of the ill people, and has a kappa of 0."
    )


def training_demo() -> str:
    """Test on the rows of the training."""
    values, classes = noise(80, 50)
    distance = ((values[:, None] - values[None]) ** 2).sum(axis=2)
    same = (classes[distance.argmin(axis=1)] == classes).mean()
    np.fill_diagonal(distance, np.inf)
    other = (classes[distance.argmin(axis=1)] == classes).mean()
    return (
        f"Nearest neighbor on 50 attributes of noise: {same:.0%} accuracy on the rows it was "
        f"trained on, {other:.0%} on other rows."
    )


def p_value_demo() -> str:
    """Test many attributes of noise."""
    from fsops.algorithms.filters.univariate import welch_t
    from fsops.algorithms.statistics.significance import adjust_p_values

    values, classes = noise(60, 2_000)
    p = welch_t(values, classes).p_values
    assert p is not None
    left = int((adjust_p_values(p) < 0.05).sum())
    return (
        f"2,000 attributes of noise: {int((p < 0.05).sum())} have p < 0.05. After the adjustment "
        f"by Benjamini and Hochberg {left} are left."
    )


def folds_demo() -> str:
    """Deal a small class to folds."""
    rng = np.random.default_rng(SEED)
    lacking = [10 - len(np.unique(rng.integers(0, 10, 6))) for _ in range(1_000)]
    return (
        "A class of 6 rows dealt to 10 folds at random, 1,000 times: on average "
        f"{np.mean(lacking):.1f} folds have no row of it, at least {min(lacking)}. Their "
        "scores say nothing about that class."
    )


def bypass_demo() -> str:
    """Compute weights, and train with and without them."""
    values, classes = noise(60, 2_000)
    values[:, :10] += 1.2 * classes[:, None]
    everything = validated(values, classes)
    selected = validated(values, classes, lambda v, c: best(v, c, 10))
    return (
        "10 of 2,000 attributes differ between the classes, the others are noise. With weights "
        f"that nothing uses: {everything:.0%} accuracy. With the 10 best of each training: "
        f"{selected:.0%}."
    )


def gaps_demo() -> str:
    """Leave out incomplete rows, and fill gaps."""
    complete, scores = [], []
    for seed in range(20):
        values, classes = noise(200, 60, SEED + seed)
        values[:, :5] += 0.8 * classes[:, None]
        gaps = np.random.default_rng(seed).random(values.shape) < 0.03
        whole = ~gaps.any(axis=1)
        filled = np.where(gaps, np.nan, values)
        filled = np.where(gaps, np.nanmean(filled, axis=0), filled)
        complete.append(int(whole.sum()))
        tables = ((values[whole], classes[whole]), (filled, classes), (values, classes))
        scores.append([validated(*table) for table in tables])
    few, mean, all_known = np.mean(scores, axis=0)
    return (
        "20 tables of 200 rows and 60 attributes, 5 of them useful, 3% of the values missing: on "
        f"average {np.mean(complete):.0f} rows are complete. Accuracy with these rows only: "
        f"{few:.0%}; with gaps replaced by the mean: {mean:.0%}; without gaps: {all_known:.0%}."
    )


def ties_demo() -> str:
    """Choose among equal scores after the columns were shuffled."""
    rng = np.random.default_rng(SEED)
    values, classes = noise(20, 500)
    large = values > 0
    scores = np.abs(large[classes == 1].sum(axis=0) - large[classes == 0].sum(axis=0))
    first = np.argsort(-scores, kind="stable")[:10]
    shared = []
    for _ in range(200):
        columns = rng.permutation(500)
        again = columns[np.argsort(-scores[columns], kind="stable")[:10]]
        shared.append(len(np.intersect1d(first, again)))
    tied = int((scores == scores[first[-1]]).sum())
    return (
        f"500 attributes of noise with whole numbers as scores; {tied} have the score of the last "
        "of the 10 best. If the columns are in another order, on average only "
        f"{np.mean(shared):.1f} of the 10 are chosen again (200 times, from {min(shared)} to "
        f"{max(shared)})."
    )


def size_demo() -> str:
    """Choose the number of attributes by the same validation that is reported."""
    sizes = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120)
    values, classes = noise(40, 1_000)
    scores = [validated(values, classes, partial(best, count=k)) for k in sizes]
    top = int(np.argmax(scores))
    return (
        f"Noise. The best of {len(sizes)} sizes, {sizes[top]} attributes, seems to reach "
        f"{scores[top]:.0%}; the mean of all sizes is {np.mean(scores):.0%}, and the truth is 50%. "
        "A size that was picked needs rows that did not pick it."
    )


REASONS: dict[Kind, Reason] = {
    Kind.INFORMATION_LEAK: Reason(
        "Select inside the folds",
        "A selection that has seen the test rows has used their labels. The test then measures how "
        "well the selection remembers them. Put the selection into the training of each fold.",
        leak_demo,
    ),
    Kind.LABEL_LEAK: Reason(
        "A column that contains the label",
        "One attribute that separates the classes without error is rarely a discovery. Often it is "
        "the label in other words, a result of the diagnosis, or a number given by hand "
        "afterwards. Ask when its value is known. If it is known before the prediction is made, "
        "keep it.",
        label_demo,
    ),
    Kind.SMALL_SAMPLE: Reason(
        "Few rows, wide intervals",
        "The accuracy of n tested rows varies by chance with a standard error of at most "
        "0.5 / sqrt(n). Repeating the validation does not help: the rows are the same.",
        small_demo,
    ),
    Kind.IMBALANCE: Reason(
        "Unequal classes",
        "If nearly all rows have one class, the accuracy is high without any learning. Kappa, the "
        "recall of each class and the area under the ROC curve are not deceived.",
        unequal_demo,
    ),
    Kind.TRAINING_ROWS: Reason(
        "Test on other rows",
        "A model can remember the rows it was trained on. Only other rows show whether it "
        "generalizes.",
        training_demo,
    ),
    Kind.RAW_P_VALUES: Reason(
        "Many tests, many false findings",
        "With a limit of 0.05 one of twenty attributes of noise passes. The adjustment keeps the "
        "expected fraction of false findings below the limit.",
        p_value_demo,
    ),
    Kind.FEW_ROWS: Reason(
        "More folds than rows of a class",
        "A fold without rows of a class cannot test it. Use fewer folds, or leave one row out.",
        folds_demo,
    ),
    Kind.BYPASSED: Reason(
        "Weights select nothing by themselves",
        "Weights rank attributes. The learner still gets all of them, until an operator such as "
        "Select by Weights removes the others.",
        bypass_demo,
    ),
    Kind.SIZE_NOT_VALIDATED: Reason(
        "A number of attributes needs a test",
        "How many attributes to keep is a choice like any other. Without a validation nothing "
        "shows whether 5 or 50 predict other rows better. A size that was chosen by a "
        "validation needs another validation around the first.",
        size_demo,
    ),
    Kind.UNSUITABLE_DATA: Reason(
        "Data that an operator cannot take",
        "Many methods compare numbers, so texts and missing values stop them. Leaving out every "
        "row with a gap can cost most of the rows. Replace Missing Values keeps them. Inside a "
        "validation, put it into the training: then the test rows do not influence the values that "
        "are filled in.",
        gaps_demo,
    ),
    Kind.TIES: Reason(
        "Equal weights at the cut",
        "If only some of the attributes with the same weight are kept, the order of the columns, "
        "the name or chance decides which: the weights say nothing about it. Choose a number that "
        "keeps all of them or none, or a weighting with more different values. Do not report one "
        "of them as better than the others.",
        ties_demo,
    ),
}
