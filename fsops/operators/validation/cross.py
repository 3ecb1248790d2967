"""Cross-validation around an inner process."""

from __future__ import annotations

from fsops.core import Accepts, Aliases, Context, operator
from fsops.data import ExampleSet
from fsops.operators.validation.splits import (
    LeaveOneOut,
    NumberOfFolds,
    SamplingOfFolds,
    SplitOnBatch,
    folds,
    folds_before_run,
)
from fsops.operators.validation.trials import (
    Testing,
    Training,
    Validated,
    trained_and_tested,
    validate_on,
)

GROUP = "Validation"
LABELLED = Accepts(label="any", missing=True, infinite=True, sparse=True, events=True)
PORTS = {
    "example set": "examples",
    "training": "examples",
    "performance 1": "performance",
    "averagable 1": "performance",
    "training set": "training_set",
    "test set": "test_set",
    "test set results": "test_set_results",
    "test result set": "test_result_set",
}
INNER = {"training": "training_set"}
"""The input of the training has the name of the input of the validation."""


@operator(
    group=GROUP,
    role="validation",
    accepts=LABELLED,
    aliases=Aliases(
        keys=("concurrency:cross_validation", "x_validation"),
        ports=PORTS,
        parameters={"number_of_validations": "number_of_folds"},
        inner=INNER,
    ),
    tags=("x-validation", "k-fold", "leave one out", "estimate", "accuracy", "group", "batch"),
    random=True,
    iterations=lambda known: trained_and_tested(folds_before_run(known), known),
)
def cross_validation(
    examples: ExampleSet,
    training: Training,
    testing: Testing,
    *,
    number_of_folds: NumberOfFolds = 10,
    leave_one_out: LeaveOneOut = False,
    sampling: SamplingOfFolds = "automatic",
    split_on_batch_attribute: SplitOnBatch = False,
    ctx: Context,
) -> Validated:
    """Cross Validation

    Estimates the performance of selection and training together, on rows that they have not used.
    The rows are divided into folds; for each fold the training runs on all other rows, and the
    testing measures the model on the fold.

    Put the selection inside the training. A selection before the validation, on all rows, has used
    the test rows. The performance is then optimistic, and more so with more attributes.

    The mean is over the folds. Criteria that compare classes, such as kappa, are not defined in
    folds of a single class, as with leave_one_out: use the confusion matrix, which counts the rows
    of all folds.

    The deviation is the sample standard deviation over the folds. Weights that the training
    returns are averaged over the folds; an attribute without a weight in a fold counts as 0 there.
    A result of the training at "through", such as a preprocessing model, reaches the testing of
    the same fold. Tables that the testing returns are joined in the order of the rows.

    References
    ----------
    Ambroise, McLachlan (2002): Selection bias in gene extraction on the basis of microarray
    gene-expression data. PNAS 99, 6562–6566.
    """
    splits = folds(
        examples,
        number=number_of_folds,
        leave_one_out=leave_one_out,
        on_batch=split_on_batch_attribute,
        sampling=sampling,
        ctx=ctx,
    )
    return validate_on(splits, examples, training, testing, label="Folds", ctx=ctx)
