"""Two rankings, one of numbers and one of categories, merged."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from fsops.algorithms.base.types import Ints
from fsops.algorithms.combined.hfs import hfs as merge
from fsops.core import Context, When, operator
from fsops.data import AttributeWeights, ExampleSet
from fsops.data.row_weights import repeated
from fsops.errors import enumerate_names
from fsops.operators.selection.elimination import K
from fsops.operators.selection.resamples import inner_folds
from fsops.operators.sizes import Size
from fsops.operators.weighting.kernel import MIXED, clinical_rows, in_table_order
from fsops.operators.weighting.scores import class_codes, describe_weights


@operator(
    group="Selection/Mixed",
    role="selection",
    row_weights="used",
    accepts=MIXED,
    describe=describe_weights,
    tags=(
        "p-value",
        "heterogeneous",
        "mixed data",
        "fisher exact",
        "t-test",
        "greedy",
        "hfs-nb",
        "hfs-5nn",
    ),
    random=True,
)
def select_by_hfs(
    examples: ExampleSet,
    *,
    k: K = 10,
    classifier: Annotated[
        Literal["naive_bayes", "k_nn"],
        Field(description="Classifier used to compare two attributes."),
    ] = "naive_bayes",
    number_of_neighbors: Annotated[
        int, When(classifier="k_nn"), Field(ge=1, description="Number of neighbors that vote.")
    ] = 5,
    number_of_folds: Annotated[
        int, Field(ge=2, description="Number of folds of the inner cross-validation.")
    ] = 5,
    output: Annotated[
        Literal["selection", "ranking"],
        Field(
            description="Weight 1 for selected attributes and 0 for others, or a rank: better "
            "attributes get larger weights."
        ),
    ] = "selection",
    ctx: Context,
) -> AttributeWeights:
    """Select by Merged Rankings (HFS)

    Selects from tables with numbers and categories: ranks the numbers by Welch's t-test (F-test for
    more than two classes), the categories by Fisher's exact test (chi squared for more than two
    classes), and merges both rankings. The first attributes of both rankings are compared: the one
    with which a classifier has the better balanced rate comes next, by an inner cross-validation on
    the same rows. Row weights must be whole numbers; all copies of a row are in the same fold.

    With very many categories and rows the exact test is too slow; then chi squared replaces it,
    with a warning that names the attributes.

    When one ranking is used up, the rest of the other follows. The tests use one attribute at a
    time: all copies of an attribute get high ranks, and attributes that matter only together are
    not found. Missing values are left out of the tests; naive Bayes skips them, neighbors take
    them as unlike. Attributes with the role must_keep count among the k.

    References
    ----------
    Paul, Dupont (2014): Kernel methods for mixed feature selection. ESANN.
    Freeman, Halton (1951): Note on an exact treatment of contingency, goodness of fit and other
    problems of significance. Biometrika 38.
    """
    p = len(examples.schema.regular)
    size = Size.within(examples, k, ctx)
    table, folds = _repeated_in_folds(examples, number_of_folds, ctx)
    codes, rows = class_codes(table), clinical_rows(table)
    iterations = ctx.progress(range(p), "Attributes")
    found = merge(
        rows,
        codes,
        folds,
        classifier=classifier,
        k=number_of_neighbors,
        on_feature=lambda placed: next(iterations, None),  # type: ignore[arg-type]
    )
    if found.by_chi_squared.size:
        inexact = np.isin(np.arange(p), found.by_chi_squared)
        names = np.array(examples.schema.regular_names, dtype=object)
        named = names[in_table_order(examples, inexact.astype(np.float64)) > 0]
        ctx.warn(
            f"{enumerate_names(named.tolist())}: too many categories and rows for Fisher's exact "
            "test, so chi squared is used."
        )
    weights = np.empty(p)
    weights[found.order] = np.arange(p, 0, -1)
    weights = in_table_order(examples, weights)
    if output == "selection":
        chosen = size.cut(np.argsort(-weights))
        weights = np.zeros(p)
        weights[chosen] = 1.0
    return examples.weights(
        weights,
        details={"p_value": in_table_order(examples, found.p_values)},
    )


def _repeated_in_folds(examples: ExampleSet, number: int, ctx: Context) -> tuple[ExampleSet, Ints]:
    """Return each row as often as its weight says, and the folds; copies are in the same fold."""
    table = repeated(examples, "Select by Merged Rankings (HFS)")
    folds = inner_folds(examples, number, class_codes(examples), ctx)
    weights = examples.row_weights
    return table, folds if weights is None else np.repeat(folds, weights.astype(np.intp))
