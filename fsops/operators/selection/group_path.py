"""Selection of groups of attributes by the path of the group lasso."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.linear.group_path import GroupPath, Layout
from fsops.core import Accepts, Context, Expert, Named, operator
from fsops.data import Attribute, AttributeWeights, CoefficientPath, ExampleSet, Schema, SizeCurves
from fsops.data.columns import coded_column
from fsops.operators.selection.paths import (
    GROUP,
    NumberOfFolds,
    chosen_on_curve,
    describe_path,
    entered,
)
from fsops.operators.selection.resamples import inner_folds
from fsops.operators.size_choice import Choose, Percent
from fsops.operators.weighting.scores import class_codes

Texts = npt.NDArray[np.str_]


class GroupsChosen(NamedTuple):
    """Results of a selection of groups."""

    weights: Annotated[
        AttributeWeights,
        Named(description="Above 0 for the selected attributes, 0 for others."),
    ]
    curve: Annotated[SizeCurves, Named(description="Error in the folds by number of attributes.")]
    path: Annotated[
        CoefficientPath, Named(description="Coefficients at every penalty, and the chosen one.")
    ]
    groups: Annotated[
        ExampleSet,
        Named(description="Selected groups with norm, attributes and selected attributes."),
    ]


def layout_of(schema: Schema) -> tuple[Layout, Texts]:
    """Return the groups of the regular attributes, and their names.

    An attribute that belongs to no group forms a group with the name of the attribute.
    """
    regular = schema.regular
    place = np.full(len(schema), -1, dtype=np.intp)
    place[regular] = np.arange(regular.size)
    known = schema.groups
    members, owners = np.empty((2, 0), dtype=np.intp)
    texts: list[str] = []
    if known is not None:
        members, owners = place[known.members], known.owners
        members, owners = members[members >= 0], owners[members >= 0]
        used, owners = np.unique(owners, return_inverse=True)
        texts = known.names.take(used).texts()
    alone = np.setdiff1d(np.arange(regular.size), members)
    texts += schema.regular_names.take(alone).texts()
    members = np.append(members, alone)
    owners = np.append(owners, len(texts) - alone.size + np.arange(alone.size))
    starts = np.searchsorted(owners, np.arange(len(texts)))
    return Layout(members, starts), np.array(texts, dtype=str)


@operator(
    group=GROUP,
    role="selection",
    row_weights="used",
    bound_groups="completed",
    accepts=Accepts(
        label="any",
        attributes="numerical",
        instead="For more than two classes use Select by Shrunken Centroids.",
    ),
    describe=describe_path,
    tags=(
        "group lasso",
        "sparse group lasso",
        "sgl",
        "overlapping groups",
        "gene sets",
        "pathways",
        "one-hot",
        "regularization path",
        "one standard error",
        "embedded",
    ),
    random=True,
)
def select_by_group_lasso_path(
    examples: ExampleSet,
    *,
    l1_ratio: Annotated[
        float,
        Field(
            ge=0,
            le=0.95,
            description="0: group lasso, which selects whole groups. Above 0: sparse-group lasso, "
            "which also drops attributes inside selected groups.",
        ),
    ] = 0.0,
    choose: Choose = "one_standard_error",
    percent: Percent = 1.0,
    number_of_folds: NumberOfFolds = 10,
    steps: Annotated[
        int, Expert(), Field(ge=2, le=1000, description="Number of penalties on the path.")
    ] = 50,
    ctx: Context,
) -> GroupsChosen:
    r"""Select by Group Lasso Path

    Fits linear models for a falling penalty, which admits more and more groups of attributes, and
    chooses the penalty by cross-validation. Set Attribute Groups or Nominal to Numerical name the
    groups; an attribute without a group forms one alone. Weights are the absolute coefficients at
    the chosen penalty, on standardized attributes. Details: "coefficient" has their signs, in the
    unit of the label; "group" is the group of the attribute, and "group_norm" the length of its
    coefficients. The output groups lists the selected groups.

    Groups may overlap, as gene sets do: a common attribute gets a coefficient for each of its
    groups, and their sum counts. Its detail "group" is the group with the largest coefficient. A
    large group needs more evidence than a small one: its penalty grows with the root of its size.

    Do not use it if only few attributes of a large group matter: the group is missed, or selected
    with all its attributes. Then set l1_ratio, for instance to 0.5, or use Select by Elastic Net
    Path. To test whether gene sets are frequent among the best attributes, use Group Enrichment.
    Two classes are coded 0 and 1 and fitted by least squares. The error on the curve is optimistic
    at its minimum; validate the whole process from outside. Missing values are refused.

    Row weights count in means, deviations, squared errors and the errors of the folds. A row of
    weight 2 has the effect of two equal rows that share a value of the role group: both are in one
    fold. Folds have about the same sums of weights, and each fold counts once in the mean error and
    its standard error. In the formula n is then the sum of the row weights, and each squared error
    is multiplied by its weight.

    .. math:: \min_\beta \tfrac1{2n} \|y - X\beta\|^2 + \alpha \left(r \|\beta\|_1 +
        (1 - r) \sum_g \sqrt{p_g}\, \|\beta_g\|\right)

    References
    ----------
    Yuan, Lin (2006): Model selection and estimation in regression with grouped variables. J. R.
    Statist. Soc. B 68, 49–67.
    Simon, Friedman, Hastie, Tibshirani (2013): A sparse-group lasso. Journal of Computational and
    Graphical Statistics 22, 231–245.
    Jacob, Obozinski, Vert (2009): Group lasso with overlap and graph lasso. ICML, 433–440.
    """
    from fsops.algorithms.linear.group_path import group_path

    if examples.schema.groups is None:
        ctx.warn(
            "The table has no groups of attributes, so each attribute forms a group alone. Name "
            "groups with Set Attribute Groups."
        )
    layout, names = layout_of(examples.schema)
    codes = class_codes(examples) if examples.label.value_type.is_nominal else None
    part = inner_folds(examples, number_of_folds, codes, ctx)
    path = group_path(
        examples.numeric(),
        examples.numeric_label(),
        part,
        layout,
        weights=examples.row_weights,
        l1_ratio=l1_ratio,
        steps=steps,
    )
    curve, at = chosen_on_curve(
        "Group lasso", path.features, path.errors, "squared_error", choose, percent=percent, ctx=ctx
    )
    details = _details(path, at, layout, names)
    groups = details["group"]
    return GroupsChosen(
        examples.weights(np.abs(path.coefficients[:, at]), details=details),
        curve,
        entered(examples, path.penalties, path.coefficients, at, groups),
        _selected(path.parts[:, at], layout, names),
    )


def _details(path: GroupPath, at: int, layout: Layout, names: Texts) -> dict[str, Any]:
    """Return coefficient, group and norm of the group of each attribute."""
    parts = path.parts[:, at]
    norms, owners = layout.norms(parts), layout.owners
    # Of several groups of an attribute the one with the largest part, of equal ones the first.
    order = np.lexsort((owners, -np.abs(parts), layout.members))
    first = order[np.unique(layout.members[order], return_index=True)[1]]
    own = owners[first]
    return {
        "coefficient": path.coefficients[:, at],
        "group": names[own],
        "group_norm": norms[own],
    }


def _selected(parts: npt.NDArray[np.float64], layout: Layout, names: Texts) -> ExampleSet:
    """Return a table of the groups with coefficients, the largest norm first."""
    norms = layout.norms(parts)
    used = np.bincount(layout.owners, weights=parts != 0, minlength=norms.size)
    order = np.argsort(-norms, kind="stable")
    order = order[norms[order] > 0]
    columns: list[tuple[Attribute, npt.NDArray[Any]]] = [
        coded_column("group", names[order].tolist(), np.arange(order.size)),
        (Attribute("norm"), norms[order]),
        (Attribute("attributes"), layout.sizes[order].astype(np.float64)),
        (Attribute("selected_attributes"), used[order]),
    ]
    return ExampleSet.from_columns(columns, order.size)
