"""How the performance grows with the number of training rows."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from fsops.core import Aliases, Context, operator
from fsops.core.frame.state import Row
from fsops.data import ExampleSet
from fsops.errors import ParameterError
from fsops.operators.utility.logging import rows_to_table
from fsops.operators.validation import splits
from fsops.operators.validation.cross import GROUP, INNER, LABELLED, PORTS
from fsops.operators.validation.splits import SamplingOfSplits
from fsops.operators.validation.trials import Testing, Training, as_tested, as_trained

MOST_STEPS = 10_000


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    aliases=Aliases(ports={**PORTS, "exampleSet": "examples"}, inner=INNER),
    tags=("sample size", "number of rows", "more data", "saturation"),
    random=True,
    iterations=lambda known: len(_fractions(known["start_fraction"], known["step_fraction"])),
)
def create_learning_curve(
    examples: ExampleSet,
    training: Training,
    testing: Testing,
    *,
    training_fraction: Annotated[
        float,
        Field(gt=0, lt=1, description="Fraction of all rows for training; the others are tested."),
    ] = 0.7,
    step_fraction: Annotated[
        float,
        Field(gt=0, le=1, description="Fraction of the training rows that each step adds."),
    ] = 0.1,
    start_fraction: Annotated[
        float,
        Field(gt=0, le=1, description="Fraction of the training rows of the first step."),
    ] = 0.1,
    sampling: SamplingOfSplits = "automatic",
    ctx: Context,
) -> ExampleSet:
    """Create Learning Curve

    Trains on more and more rows and tests each model on the same other rows. The table has a row
    for each step, with the fraction and number of training rows and the criteria. If the
    performance still grows at the end, more rows would help.

    One split into training and test rows decides: repeat it with other seeds (Loop) before you
    believe small differences.
    """
    steps = _fractions(start_fraction, step_fraction)
    train, test = splits.sizes(examples, "relative", training_fraction, -1, -1)
    (whole,) = splits.holdouts(examples, 1, train=train, test=test, sampling=sampling, ctx=ctx)
    order = _order(examples, whole.train, sampling, ctx)
    tested_rows = examples.take(whole.test)

    def measured(fraction: float) -> Row:
        number = max(1, round(fraction * len(order)))
        trained = as_trained(training(examples.take(np.sort(order[:number]))))
        tested = as_tested(testing(trained.model, tested_rows, trained.through))
        criteria = {criterion.name: criterion.mean for criterion in tested.performance}
        return {"fraction": fraction, "rows": float(number), **criteria}

    return rows_to_table(ctx.map(measured, steps, "Steps", paired=True))


def _fractions(start: float, step: float) -> list[float]:
    """Return the fractions from the first one up to 1."""
    number = int(np.floor((1 - start) / step + 1e-9)) + 1
    if number > MOST_STEPS:
        raise ParameterError(f"step_fraction={step} makes {number} steps; at most {MOST_STEPS}.")
    return [float(f"{start + place * step:.12g}") for place in range(number)]


def _order(examples: ExampleSet, rows: splits.Rows, sampling: str, ctx: Context) -> splits.Rows:
    """Return the training rows in the order in which steps add them; classes alternate."""
    if sampling == "linear sampling":
        return rows
    shuffled = rows[ctx.rng("steps").permutation(len(rows))]
    classes = splits.strata(examples, sampling)
    if classes is None:
        return shuffled
    mine = classes[shuffled]
    place = np.zeros(len(mine))
    for code in np.unique(mine):
        inside = np.flatnonzero(mine == code)
        place[inside] = (np.arange(len(inside)) + 0.5) / len(inside)
    return shuffled[np.argsort(place, kind="stable")]
