"""Effect and certainty of each attribute, as a volcano plot shows them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fsops.data import AttributeWeights, ExampleSet
from fsops.data.names import Names
from fsops_gui.base.texts import tr

Floats = npt.NDArray[np.float64]
LIMIT = 0.05
"""Adjusted p-values below it count as findings."""


@dataclass(frozen=True, eq=False)
class Volcano:
    """Effect, p-value and adjusted p-value of each attribute, NaN where unknown."""

    effect: Floats
    p: Floats
    q: Floats
    effect_title: str
    q_title: str = "q"

    @property
    def height(self) -> Floats:
        """−log₁₀ p; a p-value that is 0 in double precision gets a tenth of the smallest."""
        positive = self.p[self.p > 0]
        tiny = (positive.min() if len(positive) else 1.0) / 10
        with np.errstate(invalid="ignore"):
            return -np.log10(np.where(self.p > 0, self.p, np.where(self.p == 0, tiny, np.nan)))

    @property
    def significant(self) -> npt.NDArray[np.bool_]:
        """Which attributes have an adjusted p-value below the limit."""
        return np.asarray(self.q < LIMIT) & np.isfinite(self.effect)


def volcano_of_weights(weights: AttributeWeights, names: Names) -> Volcano | None:
    """Return the effects of an operator, if it gives p-values with a signed effect."""
    from fsops.plots.weights import effect_of

    found = effect_of(weights)
    if found is None:
        return None
    title, effect = found
    p = np.asarray(weights.details["p_value"], dtype=np.float64)
    kind, judged = _judged(weights, p)
    place = weights.names.find(names)
    effect, p, q = (np.append(values, np.nan)[place] for values in (effect, p, judged))
    return Volcano(effect, p, q, tr(title), kind)


def _judged(weights: AttributeWeights, p: Floats) -> tuple[str, Floats]:
    for key, shown in (("adjusted_p_value", tr("adjusted p")), ("q_value", "q")):
        if key in weights.details:
            return shown, np.asarray(weights.details[key], dtype=np.float64)
    return "q", adjusted(p)


def adjusted(p: Floats) -> Floats:
    """Return p-values adjusted by Benjamini and Hochberg; unknown ones stay unknown."""
    from fsops.algorithms.statistics.significance import adjust_p_values

    known = np.isfinite(p)
    result = np.full(len(p), np.nan)
    result[known] = adjust_p_values(np.clip(p[known], 0, 1))
    return result


def volcano_of(table: ExampleSet, names: Names) -> Volcano | None:
    """Compute effect and p-value from a table: Welch, F or correlation, as the label needs it."""
    label = table.schema.label
    if label is None or not len(table.schema.regular_numerical) or len(table) < 3:
        return None
    if label.value_type.is_numerical:
        title, effect, p = _correlated(table)
    elif len(np.unique(table.column(label.name))) == 2:
        title, effect, p = _two_classes(table)
    else:
        title, effect, p = _many_classes(table)
    place = names.find(table.schema.names_at(table.schema.regular_numerical))
    full = np.full((2, len(names)), np.nan)
    full[0, place], full[1, place] = effect, p
    return Volcano(full[0], full[1], adjusted(full[1]), title)


def _two_classes(table: ExampleSet) -> tuple[str, Floats, Floats]:
    from fsops.algorithms.filters.univariate import welch_t_from
    from fsops.algorithms.statistics.effects import look_like_logs

    codes = table.column(table.label.name)
    first, second = np.unique(codes).tolist()
    classes = table.label.categories
    moments = table.moments((codes == second).astype(np.intp), missing="pairwise")
    p = welch_t_from(moments).p_values
    assert p is not None
    difference = moments.offset[1] - moments.offset[0]
    against = tr("{b} against {a}", a=classes[first], b=classes[second])
    if not table.is_sparse and look_like_logs(table.numeric()):
        return tr("log₂ fold change, {against}", against=against), difference, p
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled = np.sqrt(moments.ss.sum(axis=0) / (moments.count.sum(axis=0) - 2))
        effect = np.where(pooled > 0, difference / pooled, np.nan)
    return tr("standardized difference, {against}", against=against), effect, p


def _many_classes(table: ExampleSet) -> tuple[str, Floats, Floats]:
    from fsops.algorithms.filters.univariate import f_test_from

    codes = np.asarray(table.column(table.label.name))
    moments = table.moments(np.unique(codes, return_inverse=True)[1], missing="pairwise")
    test = f_test_from(moments)
    assert test.p_values is not None
    assert test.df is not None
    between, within = test.df
    with np.errstate(divide="ignore", invalid="ignore"):
        part = between * test.statistic
        effect = np.where(np.isinf(test.statistic), 1.0, part / (part + within))
    return tr("fraction of variance between classes (η²)"), effect, test.p_values


def _correlated(table: ExampleSet) -> tuple[str, Floats, Floats]:
    from fsops.algorithms.filters.univariate import pearson_from

    found = pearson_from(table.cross_moments(missing="pairwise"), p_values=True)
    assert found.p_values is not None
    return tr("correlation with {label}", label=table.label.name), found.statistic, found.p_values
