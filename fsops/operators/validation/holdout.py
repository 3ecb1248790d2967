"""Validations that set random rows aside: once, many times, or by bootstrap."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from fsops.core import Aliases, Context, When, operator
from fsops.data import ExampleSet
from fsops.operators.validation import splits
from fsops.operators.validation.cross import GROUP, INNER, LABELLED, PORTS
from fsops.operators.validation.splits import SamplingAtRandom, SamplingOfSplits, SplitRatio
from fsops.operators.validation.trials import (
    Testing,
    Training,
    Validated,
    trained_and_tested,
    validate_on,
)


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    aliases=Aliases(ports=PORTS, inner=INNER),
    tags=("holdout", "train test split", "estimate", "simple validation"),
    random=True,
    iterations=lambda known: trained_and_tested(1, known),
)
def split_validation(
    examples: ExampleSet,
    training: Training,
    testing: Testing,
    *,
    split: Annotated[
        Literal["relative", "absolute"],
        Field(description="Unit of the sizes: a fraction or a number of rows."),
    ] = "relative",
    training_fraction: Annotated[SplitRatio, When(split="relative")] = 0.7,
    training_set_size: Annotated[
        int,
        When(split="absolute"),
        Field(ge=-1, description="Number of training rows; -1: all rows except the test rows."),
    ] = 100,
    test_set_size: Annotated[
        int,
        When(split="absolute"),
        Field(ge=-1, description="Number of test rows; -1: all rows except the training rows."),
    ] = -1,
    sampling: SamplingOfSplits = "automatic",
    ctx: Context,
) -> Validated:
    """Split Validation

    Trains on one part of the rows and tests on the others, once. It is the fastest validation,
    and the right one where the table is large, or where its last rows are the newest (linear
    sampling).

    With few rows the result depends much on the choice of test rows, and it has no deviation: use
    Cross Validation, or Repeated Random Split. Selections belong inside the training. The returned
    model was trained on all rows.
    """
    train, test = splits.sizes(examples, split, training_fraction, training_set_size, test_set_size)
    pairs = splits.holdouts(examples, 1, train=train, test=test, sampling=sampling, ctx=ctx)
    return validate_on(pairs, examples, training, testing, label="Split", ctx=ctx)


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    aliases=Aliases(ports=PORTS, inner=INNER),
    tags=("monte carlo cross-validation", "random subsampling", "repeated holdout", "200 splits"),
    random=True,
    iterations=lambda known: trained_and_tested(known["number_of_splits"], known),
)
def repeated_random_split(
    examples: ExampleSet,
    training: Training,
    testing: Testing,
    *,
    number_of_splits: Annotated[int, Field(ge=2, description="Number of random splits.")] = 100,
    training_fraction: SplitRatio = 0.9,
    sampling: SamplingAtRandom = "automatic",
    ctx: Context,
) -> Validated:
    """Repeated Random Split

    Trains on a random fraction of the rows and tests on the others, many times; also called Monte
    Carlo cross-validation. The mean depends less on a random division of the rows than the mean of
    a single Cross Validation. Microarray studies often use 200 splits of 90 % and 10 %.

    The splits share rows, so the deviation shows how much single splits differ, not how exact
    the mean is: deviation / √iterations is far too small for that. Selections belong inside the
    training.

    References
    ----------
    Nadeau, Bengio (2003): Inference for the generalization error. Machine Learning 52, 239–281.
    """
    train, test = splits.sizes(examples, "relative", training_fraction, -1, -1)
    pairs = splits.holdouts(
        examples, number_of_splits, train=train, test=test, sampling=sampling, ctx=ctx
    )
    return validate_on(pairs, examples, training, testing, label="Splits", ctx=ctx)


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    aliases=Aliases(ports=PORTS, inner=INNER),
    tags=("bootstrap", "out-of-bag", "with replacement", "estimate"),
    random=True,
    iterations=lambda known: trained_and_tested(known["repetitions"], known),
)
def bootstrapping_validation(
    examples: ExampleSet,
    training: Training,
    testing: Testing,
    *,
    repetitions: Annotated[int, Field(ge=2, description="Number of bootstrap samples.")] = 10,
    sample_fraction: Annotated[
        float,
        Field(gt=0, le=100, description="Training rows to draw, divided by the number of rows."),
    ] = 1.0,
    ctx: Context,
) -> Validated:
    """Bootstrapping Validation

    Trains on rows drawn with replacement and tests on the rows that were not drawn (out of bag),
    several times.

    A sample of the size of the data contains about 63 % of the different rows, some of them
    repeatedly. The model is trained on fewer different rows, so the results are slightly
    pessimistic. If a sample has fewer than two rows of a class, it is drawn again. Use another
    validation for learners that repeated rows mislead, such as 1-NN with an inner validation.
    Selections belong inside the training.

    References
    ----------
    Efron, Tibshirani (1993): An Introduction to the Bootstrap. Chapman & Hall.
    """
    pairs = splits.bootstraps(examples, repetitions, sample_fraction, ctx)
    return validate_on(pairs, examples, training, testing, label="Samples", ctx=ctx)
