"""Naive Bayes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from fsops.algorithms.base.compiled import normals as kernels
from fsops.algorithms.base.types import is_sparse
from fsops.algorithms.statistics.class_likelihoods import (
    Bernoulli,
    ClassNormals,
    Multinomial,
    sparse_log_density,
)
from fsops.core import Accepts, operator
from fsops.data import ExampleSet, Model, PredictionModel
from fsops.data.columns import MISSING_CODE, occurring
from fsops.data.row_weights import repeated
from fsops.operators.compatibility import Compatibility
from fsops.operators.counts import require_counts
from fsops.operators.modeling.estimators import TRAINING, describe_model

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

SMOOTHING = 1e-9  # added to variances of standardized columns, as scikit-learn does
LEAST_DEVIATION = 0.001  # of RapidMiner
TINY = np.finfo(np.float64).smallest_subnormal
NOT_COUNTS = "Set the parameter numbers to normal or Bernoulli."
TILE = 2**18
"""Numbers of a tile of attributes in a prediction."""


@dataclass(frozen=True, eq=False)
class Gaussians:
    """Normal distributions of standardized numbers in each class."""

    columns: npt.NDArray[np.intp]
    """Attributes that vary; constant ones are uninformative."""
    size: Floats
    centre: Floats
    spread: Floats
    means: Floats
    variances: Floats

    @classmethod
    def fit(
        cls, X: Floats, codes: Codes, weights: Floats | None = None, *, rapidminer: bool = False
    ) -> Gaussians:
        """Return the distributions of the columns in each class; missing values are left out."""
        present = occurring(codes)
        plain = weights is None and not rapidminer and len(present) == present[-1] + 1
        if plain and kernels.take_normals(X):
            found = kernels.class_normals(X, codes, len(present))
            if found is not None:
                all_columns = np.arange(X.shape[1])
                return cls(all_columns, *found[:-1], found.variances + SMOOTHING)
        size = np.abs(X).max(axis=0)
        if np.isnan(size).any():
            size = np.fmax.reduce(np.abs(X), axis=0)  # takes three times as long
        scaled = X / np.where(size > 0, size, 1.0)
        centre, spread = _mean_and_deviation(scaled, weights)
        columns = (spread > kernels.CONSTANT).nonzero()[0]
        if len(columns) < X.shape[1]:
            scaled, centre, spread = scaled[:, columns], centre[columns], spread[columns]
        # scikit-learn adds a share of the LARGEST variance to all of them. With attributes on
        # different scales that drowns the small ones, so every attribute is brought to one scale.
        scaled -= centre
        scaled /= spread
        rows = [(codes == code).nonzero()[0] for code in present]
        moments = [_mean_and_variance(scaled[own], _of_rows(weights, own)) for own in rows]
        means, variances = np.array(moments).transpose(1, 0, 2)
        if rapidminer:
            factors = np.ones(len(X)) if weights is None else weights
            known = np.array([factors[own] @ ~np.isnan(scaled[own]) for own in rows])
            least = LEAST_DEVIATION / (size[columns] * spread)
            variances = np.maximum(variances * known / np.maximum(known - 1, 1), least**2)
        else:
            variances = variances + SMOOTHING
        return cls(columns, size[columns], centre, spread, means, variances)

    @classmethod
    def of_sparse(cls, X: Any, codes: Codes, *, rapidminer: bool = False) -> Gaussians:
        """Return the distributions of the columns of a sparse matrix."""
        moments = ClassNormals.of(X, codes.astype(np.intp))
        columns = np.flatnonzero(moments.spread > kernels.CONSTANT)
        size, spread = moments.size[columns], moments.spread[columns]
        variances, known = moments.variances[:, columns], moments.known[:, columns]
        if rapidminer:
            least = LEAST_DEVIATION / (size * spread)
            variances = np.maximum(variances * known / np.maximum(known - 1, 1), least**2)
        else:
            variances = variances + SMOOTHING
        return cls(
            columns, size, moments.centre[columns], spread, moments.means[:, columns], variances
        )

    def log_likelihood(self, X: Any) -> Floats:
        """Return the log density of each row in each class; missing values are ignored."""
        return self._of_sparse_rows(X) if is_sparse(X) else self._of_rows(X)

    def _of_sparse_rows(self, X: Any) -> Floats:
        X = X[:, self.columns]
        result, others = sparse_log_density(X, self._standardized, self.means, self.variances)
        rest = Gaussians(
            np.arange(len(others)),
            *(a[..., others] for a in (self.size, self.centre, self.spread)),
            *(a[..., others] for a in (self.means, self.variances)),
        )
        X = X[:, others].tocsr()
        step = max(1, TILE // max(1, len(others)))
        for first in range(0, len(result) if len(others) else 0, step):
            block = slice(first, first + step)
            result[block] += rest._of_rows(X[block].toarray().astype(np.float64))
        return result

    def _standardized(self, values: Floats, column: npt.NDArray[np.intp]) -> Floats:
        scaled: Floats = (values / self.size[column] - self.centre[column]) / self.spread[column]
        return scaled

    def _of_rows(self, X: Floats) -> Floats:
        logs = np.log(2 * np.pi * self.variances)
        if len(self.columns) == X.shape[1] and kernels.take_normals(X):
            moments = self.size, self.centre, self.spread, self.means, self.variances
            found = kernels.log_densities(X, kernels.Normals(*moments), logs)
            if found is not None:
                return found
        scaled = X[:, self.columns] / self.size
        scaled -= self.centre
        scaled /= self.spread
        result = np.empty((len(X), len(self.means)))
        with np.errstate(over="ignore"):
            for code, (mean, variance) in enumerate(zip(self.means, self.variances, strict=True)):
                parts = scaled - mean
                parts *= parts
                parts /= variance
                parts += logs[code]
                result[:, code] = parts.sum(axis=1)
                if np.isnan(result[:, code]).any():
                    result[:, code] = np.nansum(parts, axis=1)
        result *= -0.5
        return result


def _of_rows(weights: Floats | None, rows: npt.NDArray[Any]) -> Floats | None:
    return None if weights is None else weights[rows]


def _mean_and_deviation(X: Floats, weights: Floats | None = None) -> tuple[Floats, Floats]:
    """Mean and standard deviation of the known values; deviation 0 where there is none."""
    mean, variance = _mean_and_variance(X, weights, unknown=0.0)
    return mean, np.sqrt(variance)


def _mean_and_variance(
    X: Floats, weights: Floats | None = None, unknown: float = 1.0
) -> tuple[Floats, Floats]:
    """Mean and variance of the known values; where there is none, 0 and the given variance."""
    if weights is not None:
        return _weighted_mean_and_variance(X, weights, unknown)
    mean = X.sum(axis=0) / len(X)
    if not np.isnan(mean).any():
        deviation = X - mean
        return mean, np.square(deviation, out=deviation).sum(axis=0) / len(X)
    missing = np.isnan(X)
    count = (~missing).sum(axis=0)
    divisor = np.maximum(count, 1)
    mean = np.where(missing, 0.0, X).sum(axis=0) / divisor
    squares = np.where(missing, 0.0, X - mean) ** 2
    return mean, np.where(count > 0, squares.sum(axis=0) / divisor, unknown)


def _weighted_mean_and_variance(
    X: Floats, weights: Floats, unknown: float
) -> tuple[Floats, Floats]:
    missing = np.isnan(X)
    count = weights @ ~missing
    divisor = np.where(count > 0, count, 1.0)
    mean = weights @ np.where(missing, 0.0, X) / divisor
    squares = weights @ np.where(missing, 0.0, X - mean) ** 2
    return mean, np.where(count > 0, squares / divisor, unknown)


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Log frequencies of the categories in each class."""

    logs: Floats
    """A line for each category of each attribute, a column for each class."""
    starts: npt.NDArray[np.intp]
    """The line of the first category of each attribute."""

    @classmethod
    def rapidminer(
        cls,
        X: Codes,
        codes: Codes,
        counts: npt.NDArray[np.intp],
        weights: Floats | None = None,
        *,
        laplace: bool,
    ) -> Frequencies:
        """Return frequencies with 1/n added to each count, also to that of the missing values.

        They are the log of (count + f) / (rows of the class + f (categories + 1)).
        """
        times, starts = _category_counts(X, codes, counts, weights)
        rows = np.bincount(codes, weights)[occurring(codes)]
        added = 1 / rows.sum() if laplace else TINY
        whole = rows[:, None] + added * (counts + 1)
        return cls(_log_shares(times + added, whole, counts), starts)

    @classmethod
    def fit(
        cls,
        X: Codes,
        codes: Codes,
        counts: npt.NDArray[np.intp],
        alpha: float,
        weights: Floats | None = None,
    ) -> Frequencies:
        """Return the frequencies of each column's categories, ``counts`` of them.

        Missing values are left out.
        """
        times, starts = _category_counts(X, codes, counts, weights)
        times += alpha
        whole = np.ones((len(times), len(counts)))
        for size in np.unique(counts[counts > 0]):
            own = np.flatnonzero(counts == size)  # attributes with so many categories at once
            lines = starts[own][:, None] + np.arange(size)
            whole[:, own] = times[:, lines].sum(axis=2)
        return cls(_log_shares(times, whole, counts), starts)

    def log_likelihood(self, X: Codes) -> Floats:
        """Return the log probability of each row in each class; missing values are ignored."""
        result = np.zeros((len(X), self.logs.shape[1]))
        if not self.logs.size:  # no attribute has a category
            return result
        step = max(1, TILE // max(1, result.size))
        for first in range(0, X.shape[1], step):
            tile = slice(first, first + step)
            part = self.logs[X[:, tile].T + self.starts[tile, None]]
            part[X[:, tile].T == MISSING_CODE] = 0.0
            # One attribute after the other, so that the sum does not depend on the tiles.
            result = np.add.reduce(np.concatenate([result[None], part]), axis=0)
        return result


def _category_counts(
    X: Codes, codes: Codes, counts: npt.NDArray[np.intp], weights: Floats | None = None
) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return how often each category of each attribute occurs in each class, missing ones not.

    The counts are (classes, categories of all attributes), with the place of the first category
    of each attribute.
    """
    starts = np.cumsum(counts) - counts
    present = occurring(codes)
    times = np.empty((len(present), int(counts.sum())))
    for line, code in zip(times, present, strict=True):
        own = X[codes == code]
        known = own != MISSING_CODE
        factors = _of_rows(weights, codes == code)
        if factors is not None:
            factors = np.broadcast_to(factors[:, None], own.shape)[known]
        line[:] = np.bincount((own + starts)[known], factors, minlength=line.size)
    return times, starts


def _log_shares(times: Floats, whole: Floats, counts: npt.NDArray[np.intp]) -> Floats:
    """Return log times - log whole, a line for each category; ``whole`` is (class, attribute)."""
    shares = np.log(times) - np.repeat(np.log(whole), counts, axis=1)
    return np.ascontiguousarray(shares.T)


@dataclass(frozen=True, eq=False)
class MixedNaiveBayes:
    """Likelihoods of the numbers times frequencies of the categories."""

    log_prior: Floats
    classes: Codes
    n_classes: int
    numbers: Gaussians | Multinomial | Bernoulli | None
    frequencies: Frequencies | None

    def __call__(self, examples: ExampleSet) -> Floats:
        """Return the probability of each class."""
        joint = np.empty((len(examples), len(self.log_prior)))
        joint[:] = self.log_prior
        if isinstance(self.numbers, Multinomial):
            require_counts(examples, NOT_COUNTS)
        if self.numbers is not None:
            joint += self.numbers.log_likelihood(examples.matrix())
        if self.frequencies is not None:
            joint += self.frequencies.log_likelihood(examples.nominal())
        best = joint.max(axis=1, keepdims=True)
        if (best == -np.inf).any():
            # A value beyond all reason is impossible in every class: it decides nothing.
            joint[best[:, 0] == -np.inf] = self.log_prior
            best = joint.max(axis=1, keepdims=True)
        likelihood = np.exp(joint - best)
        confidences = np.zeros((len(joint), self.n_classes))
        confidences[:, self.classes] = likelihood / likelihood.sum(axis=1, keepdims=True)
        return confidences


@operator(
    group="Modeling/Bayes",
    role="learner",
    row_weights="used",
    accepts=Accepts(
        label="nominal",
        attributes="numerical or nominal",
        missing=True,
        sparse=True,
        instead="Naive Bayes predicts classes, not numbers.",
    ),
    describe=describe_model,
    aliases=TRAINING,
    tags=("classifier", "learner", "probability", "gaussian", "multinomial", "bernoulli", "text"),
)
def naive_bayes(
    examples: ExampleSet,
    *,
    laplace_correction: Annotated[
        bool, Field(description="Give every category a probability above 0 in each class.")
    ] = True,
    numbers: Annotated[
        Literal["normal", "multinomial", "Bernoulli"],
        Field(
            description="Distribution of numerical attributes in a class: normal; multinomial for "
            "counts, such as words in texts; Bernoulli for presence, which is a number above 0."
        ),
    ] = "normal",
    compatibility: Compatibility = "fsops",
) -> Model:
    """Naive Bayes

    Predicts classes as if the attributes were independent within each class: numbers by
    a normal distribution, nominal attributes by frequencies. Fast, and hard to beat with few rows
    and well-chosen attributes. Sparse tables stay sparse.

    Counts of words or of molecules are not normally distributed. Multinomial uses the fraction of
    an attribute among all counts of a class; Bernoulli uses the fraction of rows of a class in
    which the attribute is present. Both add 1 to each count if laplace_correction is set.

    Redundant attributes count several times, so a selection without redundancy helps much. A
    missing value is left out, in training and where the model is applied. Where a class has no
    known value of an attribute, the distribution of all rows is used.

    The variance of a class has the divisor n (fsops), or n − 1 and a deviation of at least 0.001
    (rapidminer). The Laplace correction adds 1 to each count of a category (fsops), or 1 divided by
    the number of rows, with missing values as one more category (rapidminer).

    References
    ----------
    Hand, Yu (2001): Idiot's Bayes: not so stupid after all? International Statistical Review 69.
    McCallum, Nigam (1998): A comparison of event models for naive Bayes text classification. AAAI.
    """
    if numbers != "normal" or examples.is_sparse:
        examples = repeated(examples, "Naive Bayes of counts or of a sparse table")
    codes = examples.label_values()
    weights = examples.row_weights
    counts = np.bincount(codes, weights)
    classes = counts.nonzero()[0].astype(np.int32)
    counts = counts[classes]
    has_nominal = len(examples.schema.regular_nominal) > 0
    theirs = compatibility == "rapidminer"
    alpha = 1.0 if laplace_correction else 1e-10
    frequencies = None
    if has_nominal and theirs:
        frequencies = Frequencies.rapidminer(
            examples.nominal(),
            codes,
            examples.category_counts(),
            weights,
            laplace=laplace_correction,
        )
    elif has_nominal:
        frequencies = Frequencies.fit(
            examples.nominal(), codes, examples.category_counts(), alpha, weights
        )
    predictor = MixedNaiveBayes(
        np.log(counts / counts.sum()),
        classes,
        len(examples.classes),
        _fitted_numbers(examples, codes, numbers, alpha, rapidminer=theirs),
        frequencies,
    )
    return PredictionModel(predictor, examples.schema, "Naive Bayes")


def _fitted_numbers(
    examples: ExampleSet,
    codes: Any,
    distribution: str,
    alpha: float,
    *,
    rapidminer: bool,
) -> Gaussians | Multinomial | Bernoulli | None:
    """Return the distributions of the numerical attributes in each class."""
    if not len(examples.schema.regular_numerical):
        return None
    X = examples.matrix()
    if distribution == "multinomial":
        require_counts(examples, NOT_COUNTS)
        return Multinomial.fit(X, codes, alpha)
    if distribution == "Bernoulli":
        return Bernoulli.fit(X, codes, alpha)
    if examples.is_sparse:
        return Gaussians.of_sparse(X, codes, rapidminer=rapidminer)
    return Gaussians.fit(X, codes, examples.row_weights, rapidminer=rapidminer)
