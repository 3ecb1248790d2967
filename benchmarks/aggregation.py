"""How fast weightings are combined, beside plain loops: ``python benchmarks/aggregation.py``.

20 lists over 20,000 features, as from 20 bootstraps of a filter on gene expression. See README.md.
No package has these combinations, so the peers are what one would write with numpy, scipy and
scikit-learn, and give the same numbers. Orders by distance have no peer: what they cost is shown by
themselves, on the best 20 to 100 features of each list.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
from race import FIELDS, ROUNDS, Duel, expression_data, fight, race, row, text
from scipy.optimize import linear_sum_assignment
from scipy.special import betaincinv, binom
from scipy.stats import beta, rankdata
from sklearn.model_selection import PredefinedSplit, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from fsops.algorithms.aggregation import ensemble, ranks as rank_aggregation, weights as aggregation
from fsops.algorithms.aggregation.errors import neighbour_error
from fsops.algorithms.aggregation.robust_ranks import robust_ranks
from fsops.algorithms.aggregation.weights import Lists
from fsops.algorithms.base import resampling
from fsops.algorithms.filters import univariate

SHAPE = (20, 20_000)
PART = 200  # a plain loop for robust ranks gets 1/200 of the features
SECONDS = 0.5  # of CPU time that a combination without a search may take


def close(theirs: Any, ours: Any) -> str:
    np.testing.assert_allclose(ours, theirs, rtol=1e-7, atol=1e-12)
    return "1e-07"


def on_a_part(theirs: np.ndarray, ours: np.ndarray) -> str:
    return close(theirs, ours[: len(theirs)])


def members(shape: tuple[int, int]) -> np.ndarray:
    """Weights of a Welch test on bootstraps."""
    X, y = expression_data(100, shape[1])
    rows = resampling.bootstrap(100, shape[0], np.random.default_rng(0), labels=y)
    counts = resampling.row_counts(rows, 100)
    score = partial(univariate.welch_t_from, p_values=False)
    return ensemble.resampled_class_scores(X, y, counts, score)


# --- plain loops ----------------------------------------------------------------------------------


def plain_mean_weight(weights: np.ndarray) -> np.ndarray:
    return np.mean([own / own.max() for own in weights], axis=0)


def plain_ranks(weights: np.ndarray) -> np.ndarray:
    return np.array([rankdata(-own, method="ordinal") for own in weights])


def plain_mean_rank(weights: np.ndarray) -> np.ndarray:
    p = weights.shape[1]
    return (p + 1 - plain_ranks(weights).mean(axis=0)) / p


def plain_weight_over_rank(weights: np.ndarray) -> np.ndarray:
    return plain_mean_weight(weights) * len(weights) / plain_ranks(weights).sum(axis=0)


def plain_reliability(weights: np.ndarray, errors: np.ndarray) -> np.ndarray:
    """The formulas, pair of members by pair."""
    opinion = np.array([own / own.max() for own in weights])
    confidence = opinion * np.log((1 - errors) / errors)[:, None]
    confidence /= confidence.max()
    others = len(weights) - 1
    reliable = np.empty_like(opinion)
    for k in range(len(weights)):
        unlike, apart = 0.0, 0.0
        for t in range(len(weights)):
            unlike = unlike + np.abs(opinion[k] - opinion[t]) / others
            apart = apart + np.abs(confidence[k] - confidence[t]) / others
        reliable[k] = confidence[k] * (1 - (1 - apart) * unlike)
    return (opinion * reliable / reliable.max()).sum(axis=0)


def plain_robust_ranks(weights: np.ndarray, features: int) -> np.ndarray:
    """P-values feature by feature, with the recursion over the number of uniforms."""
    x = np.sort(plain_ranks(weights)[:, :features] / weights.shape[1], axis=0)
    places = np.arange(1, len(weights) + 1)
    found = []
    for ranks in x.T:
        rho = beta.cdf(ranks, places, len(weights) + 1 - places).min()
        found.append(plain_p_value(rho, len(weights), places))
    return np.array(found)


def plain_p_value(rho: float, K: int, places: np.ndarray) -> float:
    inside, before, crossed = np.zeros(K), 0.0, 0.0
    inside[0] = 1.0
    for k, border in enumerate(betaincinv(places, K + 1 - places, rho), start=1):
        q = (border - before) / (1 - before)
        after = np.zeros(K)
        for a in np.flatnonzero(inside):
            more = np.arange(K - a + 1)
            chance = inside[a] * binom(K - a, more) * q**more * (1 - q) ** (K - a - more)
            after[a:k] += chance[: k - a]
            crossed += chance[k - a :].sum()
        inside, before = after, border
    return crossed


def plain_errors(tables: list[np.ndarray], y: np.ndarray, folds: np.ndarray) -> list[float]:
    return [
        float(
            np.mean(
                cross_val_predict(KNeighborsClassifier(1), X, y, cv=PredefinedSplit(folds)) != y
            )
        )
        for X in tables
    ]


def plain_footrule(ranks: np.ndarray) -> float:
    places = np.arange(1, ranks.shape[1] + 1)
    table = np.abs(places - ranks[:, :, None]).sum(axis=0)
    return float(table[linear_sum_assignment(table)].sum())


# --- duels ----------------------------------------------------------------------------------------


def combination_duels(weights: np.ndarray) -> Iterator[Duel]:
    shape, errors = text(weights.shape), np.linspace(0.05, 0.4, len(weights))
    loop = partial(Duel, shape=shape, package="scipy", same=close)

    yield loop(
        "mean weight",
        peer="numpy, list by list",
        theirs=lambda: plain_mean_weight(weights),
        ours=lambda: aggregation.mean_weight(Lists.of(weights)),
    )
    yield loop(
        "weight/rank",
        peer="scipy rankdata, list by list",
        theirs=lambda: plain_weight_over_rank(weights),
        ours=lambda: aggregation.weight_over_rank(Lists.of(weights)),
    )
    yield loop(
        "mean rank",
        peer="scipy rankdata, list by list",
        theirs=lambda: plain_mean_rank(weights),
        ours=lambda: aggregation.mean_rank(Lists.of(weights)),
    )
    yield loop(
        "reliability",
        peer="numpy, pair by pair",
        theirs=lambda: plain_reliability(weights, errors),
        ours=lambda: aggregation.reliability(Lists.of(weights), errors, 100).scores,
    )
    yield Duel(
        "robust rank",
        shape,
        "scipy beta, feature by feature",
        "scipy",
        lambda: plain_robust_ranks(weights, weights.shape[1] // PART),
        lambda: robust_ranks(Lists.of(weights)).p_values,
        on_a_part,
        20,
        scale=PART,
    )


def error_duel() -> Duel:
    X, y = expression_data(100, 2000)
    rng = np.random.default_rng(1)
    tables = [X[:, rng.permutation(2000)[:50]] for _ in range(20)]
    folds = resampling.partition(100, 10, rng, strata=y)
    return Duel(
        "errors, 20 ×",
        text((100, 50)),
        "cross_val_predict(KNeighborsClassifier)",
        "sklearn",
        lambda: plain_errors(tables, y, folds),
        lambda: [neighbour_error(table, y, folds) for table in tables],
        close,
        10,
    )


def search_duels(weights: np.ndarray) -> Iterator[Duel]:
    ranks = rank_aggregation.ranks_among(*_best(weights, 20))
    yield Duel(
        "footrule",
        f"{len(ranks)}×{ranks.shape[1]} of top 20",
        "scipy linear_sum_assignment, cost",
        "scipy",
        lambda: plain_footrule(ranks),
        lambda: rank_aggregation.footrule_costs(ranks)(
            rank_aggregation.footrule_order(ranks)[None]
        )[0],
        close,
    )
    few = ranks[:, :8]
    prefer = rank_aggregation.preferences(few)
    cost = rank_aggregation.kendall_costs(prefer)
    yield Duel(
        "Kendall",
        "20×8",
        "all 40,320 orders, cost",
        "scipy",
        lambda: cost(np.array(list(permutations(range(8))))).min(),
        lambda: cost(rank_aggregation.kemeny_order(prefer)[None])[0],
        close,
    )


def _best(weights: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    lists = Lists.of(weights, n)
    items = np.flatnonzero(lists.counts)
    return lists.ranks[:, items], lists.chosen[:, items]


# --- what has no peer -----------------------------------------------------------------------------


def orders(weights: np.ndarray) -> None:
    """Print what an order by distance costs."""
    print("\norders by distance")
    for n in (20, 50, 100):
        lists = Lists.of(weights, n)
        for distance in ("spearman", "kendall"):
            began = time.process_time()
            found = rank_aggregation.consensus(lists, distance, rng=np.random.default_rng(0))
            spent = time.process_time() - began
            print(
                f"{distance:9} top {n:<4} {found.order.size:>5} features, {found.searched:>5} "
                f"searched {spent * 1e3:>9.1f} ms  {'exact' if found.exact else 'genetic search'}"
            )


def in_time(weights: np.ndarray, rounds: int) -> bool:
    """Whether each combination without a search takes less than half a second."""
    print(f"\nat most {SECONDS:g} s of CPU time")
    runs = {
        "top k": lambda: aggregation.top_k(weights, 50),
        "geq w": lambda: aggregation.geq_w(weights, 2.0),
        "accumulate": lambda: aggregation.accumulate(weights),
        "frequency": lambda: Lists.of(weights, 50).counts,
        "common": lambda: aggregation.common(Lists.of(weights, 50)),
        "accuracy": lambda: aggregation.accuracy_sum(Lists.of(weights, 50), np.full(20, 0.2)),
        "robust rank": lambda: robust_ranks(Lists.of(weights)),
    }
    best, _ = race(list(runs.values()), rounds)
    for name, seconds in zip(runs, best, strict=True):
        print(f"{name:13} {seconds * 1e3:>7.1f} ms{'' if seconds < SECONDS else '  MISSED'}")
    return max(best) < SECONDS


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    with threadpool_limits(1):
        weights = members(SHAPE)
        row(*FIELDS)
        duels = [*combination_duels(weights), error_duel(), *search_duels(weights)]
        reached = [fight(duel, options.rounds) for duel in duels]
        reached.append(in_time(weights, options.rounds))
        orders(weights)
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
