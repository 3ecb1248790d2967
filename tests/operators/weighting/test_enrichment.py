"""Enrichment of a selection in groups, against exact sums and a plain permutation."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy.stats import false_discovery_control, fisher_exact, rankdata

from fsops.data import AttributeWeights, ExampleSet
from fsops.data.attribute_groups import AttributeGroups
from fsops.errors import DataError, ParameterError
from fsops.operators import group_enrichment

P = 12
NAMES = [f"g{j}" for j in range(P)]
SETS = {"A": [0, 1, 2, 3], "B": [3, 4, 5], "C": [6, 7, 8, 9, 10, 11], "single": [4]}


def table(sets=None) -> ExampleSet:
    examples = ExampleSet.from_numpy(np.ones((2, P)), names=NAMES)
    return examples.with_groups(AttributeGroups.of(SETS if sets is None else sets))


def rows(found: ExampleSet) -> dict[str, dict[str, object]]:
    frame = found.to_pandas()
    return {row["attribute_group"]: row.to_dict() for _, row in frame.iterrows()}


def test_counts_are_tested_by_exact_sums_of_binomials():
    values = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0.0])
    found = rows(group_enrichment(table(), AttributeWeights(NAMES, values)))
    assert set(found) == {"A", "B", "C"}  # one attribute is fewer than min_size
    chosen = values != 0
    K = int(chosen.sum())
    for name in ("A", "B", "C"):
        n, k = len(SETS[name]), int(chosen[SETS[name]].sum())
        exact = sum(comb(K, i) * comb(P - K, n - i) for i in range(k, min(n, K) + 1)) / comb(P, n)
        cells = [[k, n - k], [K - k, P - K - n + k]]
        assert found[name]["p_value"] == pytest.approx(exact, rel=1e-12)
        assert exact == pytest.approx(fisher_exact(cells, alternative="greater").pvalue)
        assert found[name]["selected"] == k
        assert found[name]["expected"] == pytest.approx(n * K / P)
    p_values = [found[name]["p_value"] for name in "ABC"]
    adjusted = [found[name]["adjusted_p_value"] for name in "ABC"]
    assert adjusted == pytest.approx(false_discovery_control(p_values))
    assert found["A"]["attributes"] == "g0|g1|g2"


def test_the_best_group_comes_first():
    values = np.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0.0])
    found = group_enrichment(table(), AttributeWeights(NAMES, values))
    assert found.column("attribute_group").tolist()[0] == "B"


def test_mean_ranks_and_their_p_values_are_those_of_all_groups_of_the_size():
    rng = np.random.default_rng(3)
    values = np.round(rng.normal(size=P), 1)  # with ties
    found = rows(
        group_enrichment(
            table(), AttributeWeights(NAMES, values), method="ranks", permutations=20_000
        )
    )
    ranks = (rankdata(values) - 1) / (P - 1)
    for name in ("A", "B", "C"):
        mean = ranks[SETS[name]].mean()
        everything = [ranks[list(c)].mean() for c in combinations(range(P), len(SETS[name]))]
        exact = np.mean(np.array(everything) >= mean - 1e-12)
        assert found[name]["mean_rank"] == pytest.approx(mean)
        error = np.sqrt(exact * (1 - exact) / 20_000)
        assert abs(found[name]["p_value"] - exact) < 4 * error + 1e-4


def test_rankings_and_absolute_weights_are_read_as_such():
    values = np.array([-9, -8, -7, -6, 1, 1, 1, 1, 1, 1, 1, 1.0])
    weights = AttributeWeights(NAMES, values)
    signed = rows(group_enrichment(table(), weights, method="ranks", permutations=99))
    assert signed["A"]["mean_rank"] < 0.2
    absolute = group_enrichment(
        table(), weights, method="ranks", permutations=99, use_absolute_weights=True
    )
    assert rows(absolute)["A"]["mean_rank"] > 0.8
    places = AttributeWeights(NAMES, np.arange(1.0, P + 1), best="smallest")
    ranked = rows(group_enrichment(table(), places, method="ranks", permutations=99))
    assert ranked["A"]["mean_rank"] > 0.8


def test_unknown_weights_are_not_in_the_background():
    values = np.array([1, 1, np.nan, np.nan, 0, 0, 0, 0, 0, 0, 0, 0.0])
    found = rows(group_enrichment(table(), AttributeWeights(NAMES, values)))
    assert found["A"]["size"] == 2
    assert found["A"]["p_value"] == pytest.approx(1 / comb(10, 2))


def test_sizes_are_bounded_and_errors_are_sentences():
    weights = AttributeWeights(NAMES, np.ones(P))
    assert set(rows(group_enrichment(table(), weights, min_size=4, max_size=4))) == {"A"}
    with pytest.raises(DataError, match="No group has 7 to 9 attributes with a weight"):
        group_enrichment(table(), weights, min_size=7, max_size=9)
    with pytest.raises(ParameterError, match="min_size is 9, but max_size only 7"):
        group_enrichment(table(), weights, min_size=9, max_size=7)
    with pytest.raises(DataError, match="has no groups of attributes"):
        group_enrichment(table().with_groups(None), weights)


def test_uniform_p_values_without_enrichment():
    rng = np.random.default_rng(0)
    sets = {f"s{i}": rng.choice(200, 10, replace=False).tolist() for i in range(300)}
    names = [f"g{j}" for j in range(200)]
    examples = ExampleSet.from_numpy(np.ones((2, 200)), names=names)
    examples = examples.with_groups(AttributeGroups.of(sets))
    weights = AttributeWeights(names, rng.normal(size=200))
    found = group_enrichment(examples, weights, method="ranks", permutations=499)
    p_values = found.column("p_value")
    assert abs((p_values <= 0.2).mean() - 0.2) < 0.1
