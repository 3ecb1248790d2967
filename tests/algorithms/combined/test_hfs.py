"""The merge of two rankings, against classifiers fitted fold by fold."""

import numpy as np
import pytest
from scipy import stats

from fsops.algorithms.base.resampling import partition
from fsops.algorithms.combined.hfs import balanced_rate, hfs
from fsops.algorithms.kernel.clinical import ClinicalRows


def made_up(seed, n=60, classes=2):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, classes, size=n)
    X = rng.normal(size=(n, 5)) + 0.7 * codes[:, None] / np.arange(1, 6)
    Z = rng.integers(0, 3, size=(n, 4))
    Z[:, 1] = np.where(rng.random(n) < 0.7, codes, Z[:, 1])
    X[rng.random(X.shape) < 0.1] = np.nan
    Z[rng.random(Z.shape) < 0.1] = -1
    folds = partition(n, 5, np.random.default_rng(seed), strata=codes)
    return ClinicalRows.of(X, Z), codes, folds


def bayes(rows, codes, folds, features):
    """Return predictions of naive Bayes, one row and one feature at a time."""
    guess, classes = [], range(codes.max() + 1)
    for i in range(len(codes)):
        train = folds != folds[i]
        logs = [np.log((codes[train] == c).mean()) for c in classes]
        for f in features:
            if f < rows.n_numbers:
                x = rows.numbers[:, f]
                known = train & ~np.isnan(x)
                extra = 1e-3 * x[known].var() + 1e-9
                for c in classes if not np.isnan(x[i]) else ():
                    of_class = x[known & (codes == c)]
                    deviation = np.sqrt(of_class.var() + extra)
                    logs[c] += stats.norm.logpdf(x[i], of_class.mean(), deviation)
            else:
                z = rows.codes[:, f - rows.n_numbers]
                for c in classes if z[i] >= 0 else ():
                    of_class = z[train & (codes == c) & (z >= 0)]
                    levels = z.max() + 1
                    logs[c] += np.log(((of_class == z[i]).sum() + 1) / (of_class.size + levels))
        guess.append(int(np.argmax(logs)))
    return np.array(guess)


def neighbours(rows, codes, folds, features):
    """Return the vote of the five nearest rows of other folds by HEOM."""
    guess = []
    for i in range(len(codes)):
        distance = np.zeros(len(codes))
        for f in features:
            if f < rows.n_numbers:
                gap = (rows.numbers[:, f] - rows.numbers[i, f]) ** 2
                distance += np.where(np.isnan(gap), 1.0, gap)
            else:
                z = rows.codes[:, f - rows.n_numbers]
                distance += (z != z[i]) | (z < 0) | (z[i] < 0)
        other = np.flatnonzero(folds != folds[i])
        nearest = other[np.argsort(np.round(distance[other], 12), kind="stable")[:5]]
        votes = np.bincount(codes[nearest], minlength=codes.max() + 1)
        guess.append(int(np.flatnonzero(votes == votes.max())[-1]))
    return np.array(guess)


def p_value(rows, codes, f):
    if f < rows.n_numbers:
        x = rows.numbers[:, f]
        groups = [x[(codes == c) & ~np.isnan(x)] for c in range(codes.max() + 1)]
        if len(groups) == 2:
            return stats.ttest_ind(*groups, equal_var=False).pvalue
        return stats.f_oneway(*groups).pvalue
    z = rows.codes[:, f - rows.n_numbers]
    counts = stats.contingency.crosstab(z[z >= 0], codes[z >= 0]).count
    if counts.shape[1] > 2:
        return stats.chi2_contingency(counts, correction=False).pvalue
    return None  # checked in test_fisher_exact


def merged_by_hand(rows, codes, folds, predict, p_values):
    m = rows.n_numbers
    order = np.argsort(p_values, kind="stable").tolist()
    lists = [f for f in order if f < m], [f for f in order if f >= m]
    placed = []
    while all(lists):
        rates = [
            balanced_rate(codes, predict(rows, codes, folds, [*placed, lst[0]])) for lst in lists
        ]
        by_p_value = p_values[lists[0][0]] <= p_values[lists[1][0]]
        first = rates[0] > rates[1] or (rates[0] == rates[1] and by_p_value)
        placed.append(lists[0 if first else 1].pop(0))
    return placed + lists[0] + lists[1]


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    ("classifier", "predict"), [("naive_bayes", bayes), ("k_nn", neighbours)]
)  # fmt: skip
def test_the_merge_is_that_of_classifiers_fitted_one_by_one(classifier, predict, seed, classes):
    rows, codes, folds = made_up(seed, classes=classes)
    found = hfs(rows, codes, folds, classifier=classifier)
    expected = merged_by_hand(rows, codes, folds, predict, found.p_values)
    assert found.order.tolist() == expected
    for f in range(rows.n_features):
        known = p_value(rows, codes, f)
        if known is not None:
            assert found.p_values[f] == pytest.approx(known)


def test_a_table_of_one_kind_is_ranked_by_its_test():
    rows, codes, folds = made_up(3)
    numbers = ClinicalRows(rows.numbers, rows.codes[:, :0])
    found = hfs(numbers, codes, folds)
    assert (np.diff(found.p_values[found.order]) >= 0).all()
    assert found.merged == 0
    categories = hfs(ClinicalRows(rows.numbers[:, :0], rows.codes), codes, folds)
    assert (np.diff(categories.p_values[categories.order]) >= 0).all()


def test_constant_and_empty_columns_are_placed_last_of_their_kind():
    rows, codes, folds = made_up(4)
    numbers = np.column_stack([np.full(60, np.nan), np.zeros(60), rows.numbers])
    categories = np.column_stack([np.full(60, -1), np.zeros(60, dtype=int), rows.codes])
    for classifier in ("naive_bayes", "k_nn"):
        found = hfs(ClinicalRows(numbers, categories), codes, folds, classifier=classifier)
        place = np.argsort(found.order)
        assert place[[0, 1]].min() > place[2:7].max()
        assert place[[7, 8]].min() > place[9:].max()


def test_numbers_that_separate_without_spread_come_first():
    codes = np.arange(12) % 2
    rows = ClinicalRows.of(np.column_stack([np.arange(12.0), codes]), np.zeros((12, 1), dtype=int))
    found = hfs(rows, codes, np.arange(12) // 4)
    assert found.order.tolist()[0] == 1
    assert found.p_values[1] == 0


def test_a_class_of_one_row_is_no_trouble():
    rows, codes, folds = made_up(5)
    codes = np.where(np.arange(60) == 7, 2, codes)
    for classifier in ("naive_bayes", "k_nn"):
        assert sorted(hfs(rows, codes, folds, classifier=classifier).order) == list(range(9))
