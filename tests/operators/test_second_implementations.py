"""Second implementations of methods whose other tests look at properties only.

Each is written from its paper in plain Python, without code of fsops, and compared on awkward data:
ties, constants, categories, three or four classes of unequal size. Where a method draws random
numbers, both sides draw from generators with the same seed.
"""

from itertools import pairwise
from math import comb, log, log2

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from fsops import AttributeWeights, ExampleSet, operators
from fsops.algorithms.linear.screening import iterative_sis
from fsops.algorithms.neighbors import hybrid_wrapper
from fsops.algorithms.neighbors.instance_based import CandidateSubsets
from fsops.algorithms.neighbors.instance_points import Points
from fsops.algorithms.search import evolution

SEEDS = range(4)


def awkward(rng, n=30, p=8):
    """Return integers with ties, a constant, a copy, and four classes of unequal size."""
    X = rng.integers(0, 5, (n, p)).astype(float)
    X[:, 1] = 3
    X[:, 2] = X[:, 0]
    codes = np.sort(rng.choice(4, n, p=[0.5, 0.25, 0.15, 0.1]))
    codes[:8] = [0, 0, 1, 1, 2, 2, 3, 3]
    X[:, 3] += codes
    return X, codes


# --- wrappers on nearest neighbors ---------------------------------------------------------------


def wrong_rows(values, nominal, codes, part, k, features):
    """Return how many rows k-NN predicts wrong: near first, then the first row, then by votes."""
    wrong = 0
    for i in range(len(codes)):
        others = []
        for j in range(len(codes)):
            if part[i] == part[j]:
                continue
            distance = sum(
                float(values[i, f] != values[j, f])
                if nominal[f]
                else abs(values[i, f] - values[j, f])
                for f in features
            )
            others.append((round(distance, 9), j))
        votes = [codes[j] for _, j in sorted(others)[:k]]
        most = max(votes.count(c) for c in votes)
        wrong += next(c for c in votes if votes.count(c) == most) != codes[i]
    return wrong


def wrapper_case(seed):
    rng = np.random.default_rng(seed)
    X, codes = awkward(rng)
    nominal = np.zeros(X.shape[1], dtype=bool)
    nominal[4] = True
    span = np.ptp(X, axis=0)
    values = np.where(nominal, X, (X - X.min(0)) / np.where(span > 0, span, 1))
    part = rng.integers(0, 5, len(codes))
    return rng, Points(values, nominal), values, nominal, codes, part


def cooperate_from_the_thesis(subsets, weights, rates, m, p, low, high, includes_good):
    """Return the score of each selected feature by HIB-CSS (thesis, algorithm 2), good ones first."""
    known = [rate for rate in rates if rate is not None]
    low, high = np.quantile(known, [low, high])
    good = [i for i, rate in enumerate(rates) if rate is not None and rate < low - 1e-12]
    if not good and min(known) < high - 1e-12:
        good = [i for i, rate in enumerate(rates) if rate == min(known)]
    bad = [i for i, rate in enumerate(rates) if rate is not None and rate > high + 1e-12]
    if includes_good:
        middling = [i for i, r in enumerate(rates) if r is not None and r < high - 1e-12]
    else:
        middling = [
            i
            for i, r in enumerate(rates)
            if r is not None and low - 1e-12 <= r <= high + 1e-12 and i not in good
        ]

    def score(rows):
        found = dict.fromkeys(range(p), 0.0)
        for i in rows:
            for feature, weight in zip(subsets[i], weights[i], strict=True):
                found[feature] += weight / max(rates[i], 1 / (2 * m))
        return found

    middle, best = score(middling), score(good)
    of_bad = {f for i in bad for f in subsets[i]}
    of_good = {f for i in good for f in subsets[i]}
    rest = {f for i in middling for f in subsets[i]} - of_bad - of_good
    return (
        sorted(of_good, key=lambda f: (-round(best[f] / max(best.values()), 9), f)),
        sorted(rest, key=lambda f: (-round(middle[f] / max(middle.values()), 9), f)),
    )


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("includes_good", [False, True])
def test_hib_css_is_that_of_the_thesis(seed, k, includes_good):
    rng, points, values, nominal, codes, part = wrapper_case(seed)
    p = values.shape[1]
    subsets = [sorted(rng.choice(p, rng.integers(0, 4), replace=False).tolist()) for _ in codes]
    subsets[1] = subsets[0]  # equal candidates
    weights = [np.round(rng.random(len(s)), 2) for s in subsets]  # some are equal
    features = np.full((len(codes), 3), -1, dtype=np.intp)
    matrix = np.zeros((len(codes), 3))
    for i, (subset, own) in enumerate(zip(subsets, weights, strict=True)):
        features[i, : len(subset)], matrix[i, : len(subset)] = subset, own
    candidates = CandidateSubsets(np.arange(len(codes)), features, matrix, p)
    judge = hybrid_wrapper.NeighbourErrors(points, codes, part, k=k)
    found = hybrid_wrapper.cooperate(
        judge, candidates, good=0.25, bad=0.75, other_includes_good=includes_good
    )
    rates = [
        wrong_rows(values, nominal, codes, part, k, subset) / len(codes) if subset else None
        for subset in subsets
    ]
    assert found.errors == pytest.approx([np.nan if r is None else r for r in rates], nan_ok=True)
    good, rest = cooperate_from_the_thesis(
        subsets, weights, rates, len(codes), p, 0.25, 0.75, includes_good
    )
    assert found.order.tolist() == good + rest
    assert (found.weights[good] >= 1).all()
    assert (found.weights[rest] <= 1).all()


def climb(count, p, size, rng, proposals, patience, fixed_size):
    """Return the set that random mutation hill climbing finds (Skalak 1994), and its errors."""
    inside = set(rng.choice(p, size, replace=False).tolist())
    errors, failed = count(inside), 0
    for _ in range(proposals):
        if failed >= patience:
            break
        move = "swap" if fixed_size else ["add", "remove", "swap"][int(rng.integers(3))]
        mine, others = sorted(inside), sorted(set(range(p)) - inside)
        possible = {
            "add": len(others),
            "remove": len(mine) - 1,
            "swap": min(len(mine), len(others)),
        }
        one = min(1, possible[move])
        new = set(rng.choice(others, 0 if move == "remove" else one, replace=False).tolist())
        gone = set(rng.choice(mine, 0 if move == "add" else one, replace=False).tolist())
        failed += 1
        if not new | gone:
            continue
        proposal = (inside | new) - gone
        wrong = count(proposal)
        if wrong < errors or (wrong == errors and len(proposal) < len(inside)):
            inside, errors, failed = proposal, wrong, 0
    return inside, errors


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fixed_size", [False, True])
def test_the_randomized_wrapper_climbs_as_skalak_does(seed, fixed_size):
    _, points, values, nominal, codes, part = wrapper_case(seed)
    judge = hybrid_wrapper.NeighbourErrors(points, codes, part, k=1)
    found = hybrid_wrapper.climb_at_random(
        judge, 3, np.random.default_rng(seed), proposals=40, patience=12, fixed_size=fixed_size
    )
    inside, errors = climb(
        lambda s: wrong_rows(values, nominal, codes, part, 1, s),
        values.shape[1],
        3,
        np.random.default_rng(seed),
        40,
        12,
        fixed_size,
    )
    assert found == (tuple(sorted(inside)), errors)


# --- screening ------------------------------------------------------------------------------------


def residual_of(X, y):
    design = np.column_stack([np.ones(len(y)), X])
    return y - design @ np.linalg.lstsq(design, y, rcond=None)[0]


def screened(X, y, places, extended):
    """Return the features of iterative sure independence screening with scikit-learn's LASSO."""
    from sklearn.linear_model import lars_path

    n, p = X.shape
    X = (X - X.mean(0)) / np.where(X.std(0) > 0, X.std(0), 1)
    kept, seen, residual = [], [], y - y.mean()
    total = residual @ residual
    batch = max(1, places // 4)
    while len(kept) < places and residual @ residual > 1e-10 * total:
        scores = {}
        for j in set(range(p)) - set(kept):
            left = residual_of(X[:, kept], X[:, j])
            spread = left.std()
            scores[j] = abs(left @ residual) / spread if spread > 1e-7 else 0.0
        order = sorted((j for j in scores if scores[j] > 0), key=lambda j: (-scores[j], j))
        together = kept + order[: min(batch, places - len(kept))]
        _, _, path = lars_path(X[:, together], y - y.mean(), method="lasso")
        merits = []
        for beta in path.T:
            support = [together[i] for i in np.flatnonzero(np.abs(beta) > 1e-12)]
            rest = residual_of(X[:, support], y)
            merit = n * log(max(rest @ rest, 1e-300) / n) + len(support) * log(n)
            merits.append((merit + 2 * log(comb(p, len(support))) * extended, support))
        kept = sorted(min(merits, key=lambda m: m[0])[1])
        if kept in seen:
            break
        seen.append(kept)
        residual = residual_of(X[:, kept], y)
    return kept


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["BIC", "EBIC"])
def test_iterative_sis_is_that_of_fan_and_lv(seed, criterion):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(50, 40)) * 10.0 ** rng.integers(-4, 5, 40)
    X[:, 5] = 7.0  # a constant
    X[:, 6] = np.round(X[:, 6] / np.abs(X[:, 6]).max(), 1)  # ties
    unit = X / np.where(X.std(0) > 0, X.std(0), 1)
    y = 2 * unit[:, 0] - 2 * unit[:, 1] + unit[:, 2] + rng.normal(size=50)
    found = iterative_sis(X, y, keep=8, criterion=criterion)
    assert sorted(found.kept.tolist()) == screened(X, y, 8, criterion == "EBIC")


# --- forests --------------------------------------------------------------------------------------


def gini(codes):
    shares = np.bincount(codes) / max(len(codes), 1)
    return 1 - (shares**2).sum()


def importance_of(tree, X, codes, rows):
    """Return the decrease of Gini impurity by column, from rows sent through the splits."""
    nodes = tree.tree_
    gains = np.zeros(X.shape[1])

    def walk(node, here):
        left, right = nodes.children_left[node], nodes.children_right[node]
        if left < 0:
            return
        feature = nodes.feature[node]
        below = X[here, feature] <= nodes.threshold[node]
        parts = here[below], here[~below]
        after = sum(len(part) * gini(codes[part]) for part in parts)
        gains[feature] += (len(here) * gini(codes[here]) - after) / len(rows)
        walk(left, parts[0])
        walk(right, parts[1])

    walk(0, rows)
    return gains / gains.sum() if gains.sum() else gains


def test_forest_weights_are_decreases_of_impurity_added_up_over_categories(monkeypatch):
    import pandas as pd
    import sklearn.ensemble

    forests = []

    class Recorded(sklearn.ensemble.RandomForestClassifier):
        def fit(self, X, y):
            forests.append(self)
            return super().fit(X, y)

    monkeypatch.setattr(sklearn.ensemble, "RandomForestClassifier", Recorded)
    rng = np.random.default_rng(3)
    X, codes = awkward(rng)
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])])
    frame["colour"] = np.array(["red", "green", "blue"])[(codes + rng.integers(0, 2, 30)) % 3]
    frame["y"] = np.array(list("abcd"))[codes]
    table = ExampleSet.from_pandas(frame, roles={"y": "label"})
    found = operators.weight_by_random_forest(table, number_of_trees=7)
    categories = table.schema.attribute("colour").categories
    columns = np.column_stack([X, *(frame["colour"] == c for c in categories)]).astype(np.float32)
    (forest,) = forests
    parts = [
        importance_of(tree, columns, codes, rows)
        for tree, rows in zip(forest.estimators_, forest.estimators_samples_, strict=True)
    ]
    mean = np.mean(parts, axis=0)
    expected = [*mean[: X.shape[1]], mean[X.shape[1] :].sum()]
    assert found.values == pytest.approx(np.array(expected) / np.sum(expected))


# --- MRMR with priors -----------------------------------------------------------------------------


def information(a, b):
    """Return the mutual information of two columns of codes, in bits."""
    total, n = 0.0, len(a)
    for u in set(a):
        for v in set(b):
            both = sum(1 for x, y in zip(a, b, strict=True) if (x, y) == (u, v)) / n
            if both:
                total += both * log2(both / ((list(a).count(u) / n) * (list(b).count(v) / n)))
    return total


def entropy(a):
    return -sum(s * log2(s) for s in (list(a).count(u) / len(a) for u in set(a)))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("criterion", ["difference", "quotient"])
@pytest.mark.parametrize("measure", ["mutual information", "symmetric uncertainty"])
def test_pk_mrmr_is_that_of_the_thesis(seed, criterion, measure):
    rng = np.random.default_rng(seed)
    X, codes = awkward(rng)
    X[:, 5] = rng.normal(size=30) * 1e6
    p, k = X.shape[1], 5
    prior = np.where(np.isin(np.arange(p), [4, 6]), 10.0, 1.0)
    table = ExampleSet.from_numpy(X, y=np.array(list("abcd"))[codes])
    # Three parts: a value belongs behind each tercile that it reaches.
    cut = [[sum(x >= edge for edge in np.quantile(c, [1 / 3, 2 / 3])) for x in c] for c in X.T]

    def shared(a, b):
        if measure == "mutual information":
            return information(a, b)
        whole = entropy(a) + entropy(b)
        return 2 * information(a, b) / whole if whole else 0.0

    largest = log2(len(set(codes))) if measure == "mutual information" else 1.0
    relevance = [shared(c, codes) + (prior[j] - 1) / 9 * largest for j, c in enumerate(cut)]
    chosen = [max(range(p), key=lambda j: (round(relevance[j], 9), -j))]
    while len(chosen) < k:
        merits = {}
        for j in set(range(p)) - set(chosen):
            redundancy = np.mean([shared(cut[j], cut[i]) for i in chosen])
            if criterion == "difference":
                merits[j] = relevance[j] - redundancy
            else:
                merits[j] = relevance[j] / max(redundancy, 1e-6)
        chosen.append(max(merits, key=lambda j: (round(merits[j], 9), -j)))
    found = operators.select_by_pk_mrmr(
        table, table.weights(prior), k=k, criterion=criterion, measure=measure, output="ranking"
    )
    order = np.argsort(-found.values, kind="stable")[:k]
    assert order.tolist() == chosen


# --- combinations of lists ------------------------------------------------------------------------


def lists_of(matrix, length):
    """Return the order, the rank and the normalized weight of each attribute in each cut list."""
    orders, ranks, weights = [], [], []
    for row in matrix:
        order = sorted((j for j in range(len(row)) if row[j] > 0), key=lambda j: (-row[j], j))
        order = order[:length]
        orders.append(order)
        ranks.append(
            [order.index(j) + 1 if j in order else len(order) + 1 for j in range(len(row))]
        )
        weights.append([row[j] / max(row) if j in order else 0.0 for j in range(len(row))])
    return orders, np.array(ranks), np.array(weights)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("length", [3, 5])
def test_combinations_of_lists_are_those_of_the_thesis(seed, length):
    rng = np.random.default_rng(seed)
    matrix = rng.integers(0, 5, (4, 7)) / 4.0  # equal weights, and attributes without one
    matrix[:, 6] = 0
    matrix[np.arange(4), rng.integers(0, 6, 4)] = 1.0
    names = list("abcdefg")
    members = [AttributeWeights(names, row) for row in matrix]
    orders, ranks, weights = lists_of(matrix, length)
    inside = np.array([[j in order for j in range(7)] for order in orders])
    listed = inside.any(0)

    def found(combination, **more):
        return operators.aggregate_weights(
            members, combination=combination, list_length=length, ranks="truncated", **more
        ).values

    assert found("WMA") == pytest.approx(weights.mean(0))
    assert found("WRA") == pytest.approx(np.where(listed, weights.sum(0) / ranks.sum(0), 0))
    assert found("OFA") == pytest.approx(inside.mean(0))
    assert found("common") == pytest.approx(inside.all(0).astype(float))
    borda = found("CLA")
    sums = ranks.sum(0)
    for one, other in pairwise(sorted(np.flatnonzero(listed), key=lambda j: (sums[j], j))):
        assert (borda[one] > borda[other]) == (sums[one] < sums[other])
    # Spearman's footrule: the cheapest assignment of attributes to places.
    union = np.flatnonzero(listed)
    cost = np.array(
        [[np.abs(place - ranks[:, j]).sum() for place in range(1, len(union) + 1)] for j in union]
    )
    places = np.empty(len(union))
    places[np.argsort(-found("GAA", distance="spearman")[union], kind="stable")] = range(len(union))
    ours = sum(cost[i, int(place)] for i, place in enumerate(places))
    assert ours == cost[linear_sum_assignment(cost)].sum()


# --- evolution ------------------------------------------------------------------------------------


def evolved(fitness, population, settings, probability, rng):
    """Return the last population of a genetic algorithm on subsets, as Bäck (1996) describes it."""
    population = [list(row) for row in population]
    p = len(population[0])

    def repair(row):
        if not any(row):
            row[int(rng.choice(np.arange(p), 1, replace=False)[0])] = 1.0
        else:
            rng.choice(np.flatnonzero(np.array(row) == 0), 0, replace=False)
        return row

    for generation in range(settings.max_generations):
        children = []
        for _ in range(len(population) // 2):
            if rng.random() < settings.crossover_probability:
                one, two = (population[i] for i in rng.choice(len(population), 2, replace=False))
                if settings.crossover_type == "uniform":
                    swap = [u < 0.5 for u in rng.random(p)]
                else:
                    cut = rng.integers(1, p)
                    swap = [j >= cut for j in range(p)]
                    if settings.crossover_type == "shuffle":
                        swap = rng.permutation(swap).tolist()
                children.append([b if s else a for a, b, s in zip(one, two, swap, strict=True)])
                children.append([a if s else b for a, b, s in zip(one, two, swap, strict=True)])
        parents = population + [repair(child) for child in children]
        switched = rng.random((len(parents), p)) < probability
        mutants = [
            repair([1 - x if s else x for x, s in zip(row, line, strict=True)])
            for row, line in zip(parents, switched, strict=True)
        ]
        pool = parents + mutants
        points = [fitness(row) for row in pool]
        size, scheme = settings.population_size, settings.selection_scheme
        passed = generation / (settings.max_generations + 1)
        if scheme == "cut":
            distinct = [i for i, row in enumerate(pool) if row not in pool[:i]]
            chosen = sorted(distinct, key=lambda i: -points[i])[:size]
        elif scheme == "tournament":
            share = settings.tournament_fraction * (1 - passed) + passed
            drawn = rng.integers(len(pool), size=(size, max(1, round(share * len(pool)))))
            chosen = [max(line, key=lambda i: points[i]) for line in drawn.tolist()]
        else:
            low, high = min(points), max(points)
            scaled = [(x - low) / ((high - low) or 1) for x in points]
            if scheme == "rank":
                order = sorted(range(len(pool)), key=lambda i: points[i])
                weights = [order.index(i) + 1.0 for i in range(len(pool))]
            elif scheme == "Boltzmann":
                weights = [np.exp((s - 1) / (1 - passed)) for s in scaled]
            else:
                weights = [s + 1 / len(pool) for s in scaled]
            chance = np.array(weights) / np.sum(weights)
            chosen = rng.choice(len(pool), size, p=chance).tolist()
        population = [pool[i] for i in chosen]
    return population


@pytest.mark.parametrize("scheme", ["cut", "tournament", "roulette wheel", "rank", "Boltzmann"])
@pytest.mark.parametrize("crossover", ["uniform", "one_point", "shuffle"])
def test_evolution_of_subsets_is_that_of_the_textbook(scheme, crossover):
    rng = np.random.default_rng(5)
    gain = rng.integers(-2, 4, 9)  # equal fitness is common

    def fitness(row):
        return float(gain @ np.array(row) - 0.25 * np.sum(row) ** 2)

    settings = evolution.Settings(
        population_size=6,
        max_generations=8,
        selection_scheme=scheme,
        crossover_type=crossover,
    )
    start = (rng.random((6, 9)) < 0.5).astype(float)
    start[:, 0] = 1
    ours = evolution.evolve(
        lambda rows: np.array([[fitness(row)] for row in rows]),
        start,
        evolution.Switching(0.2),
        settings,
        np.random.default_rng(1),
    )
    assert ours.tolist() == evolved(fitness, start, settings, 0.2, np.random.default_rng(1))


def test_evolution_of_weights_follows_the_one_fifth_rule_of_rechenberg():
    target = np.array([0.0, 1.5, 0.7])

    def fitness(rows):
        return -((np.asarray(rows) - target) ** 2).sum(axis=1, keepdims=True)

    settings = evolution.Settings(
        population_size=4,
        max_generations=12,
        selection_scheme="cut",
        crossover_probability=0.0,
    )
    start = np.random.default_rng(0).random((4, 3))
    mutate = evolution.Drifting(0.04, np.empty(0, dtype=np.intp), 0.0)
    ours = evolution.evolve(fitness, start, mutate, settings, np.random.default_rng(2))
    rng, variance, population = np.random.default_rng(2), 0.04, start
    for _ in range(12):
        rng.random(2)  # no pair has children
        moved = np.maximum(population + rng.normal(0, np.sqrt(variance), population.shape), 0)
        rng.random((4, 0))
        better = (fitness(moved) > fitness(population)).mean()
        variance *= 0.85**-2 if better > 0.2 else 0.85**2
        pool = np.vstack([population, moved])
        population = pool[np.argsort(-fitness(pool)[:, 0], kind="stable")[:4]]
    assert ours == pytest.approx(population, rel=1e-12)
    assert mutate.variance == pytest.approx(variance)
