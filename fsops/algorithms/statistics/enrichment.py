"""Enrichment: whether groups hold more of a selection, or of high ranks, than chance explains.

References
----------
Subramanian et al. (2005), Gene set enrichment analysis. PNAS 102.
Goeman & Bühlmann (2007), Analyzing gene expression data in terms of gene sets: methodological
issues. Bioinformatics 23.
"""

import numpy as np

from fsops.algorithms.base.ranking import average_ranks
from fsops.algorithms.base.types import Bools, Floats, Ints

CHUNK = 2**22
"""Random ranks that are drawn at once."""


def group_sums(values: Floats, starts: Ints, members: Ints) -> Floats:
    """Sum of the values of each group, whose members follow each other."""
    sums = np.concatenate([[0.0], np.cumsum(values[members])])
    found: Floats = sums[starts[1:]] - sums[starts[:-1]]
    return found


def hypergeometric(selected: Bools, starts: Ints, members: Ints) -> tuple[Ints, Floats]:
    """How many selected features each group has, and the p-value of at least as many.

    Parameters
    ----------
    selected
        Which of all features are selected, (p,).
    starts, members
        Features of the groups, one group after the other.

    Returns
    -------
    counts, p_values
        P(X >= count) of a hypergeometric X: as many features as the group has, drawn from all.
    """
    from scipy.stats import hypergeom

    counts = np.round(group_sums(selected.astype(np.float64), starts, members)).astype(np.intp)
    p_values = hypergeom.sf(counts - 1, selected.size, int(selected.sum()), np.diff(starts))
    return counts, np.clip(p_values, 0.0, 1.0)


def rank_sums(
    scores: Floats, starts: Ints, members: Ints, permutations: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Mean rank of each group, scaled to 0..1, and its p-value by permutation of the features.

    The largest score has 1, the smallest 0; equal scores share the mean of their ranks. The p-value
    is (1 + permutations with at least that mean) / (1 + permutations).

    Parameters
    ----------
    scores
        Larger is better, (p,), none unknown.
    starts, members
        Features of the groups, one group after the other.
    permutations
        Number of random orders of the features.
    rng

    Returns
    -------
    means, p_values
    """
    p = scores.size
    ranks = p - average_ranks(scores)  # p - 1 for the best, 0 for the worst
    sizes = np.diff(starts)
    sums = group_sums(ranks, starts, members)
    largest = int(sizes.max(initial=0))
    reached = np.zeros(sizes.size, dtype=np.intp)
    done = 0
    while done < permutations and largest:
        count = min(permutations - done, max(1, CHUNK // p))
        # The first n of a random order are a random group of n features.
        drawn = rng.permuted(np.tile(ranks, (count, 1)), axis=1)[:, :largest]
        null = np.cumsum(drawn, axis=1)[:, sizes - 1]
        reached += (null >= sums - 1e-9 * p).sum(axis=0)
        done += count
    means = sums / sizes / max(p - 1, 1)
    return means, np.asarray((1.0 + reached) / (1.0 + permutations), dtype=np.float64)
