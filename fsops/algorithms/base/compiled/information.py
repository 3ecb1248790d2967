"""A compiled count of the values of many features together with those of one and the classes.

See `compiled`, whose rules hold here. The numpy twin is in `mrmr.joint`.
"""

import numpy as np

from fsops.algorithms.base.compiled import _compiled
from fsops.algorithms.base.types import Floats, Ints, Numbers

WORD = 64
MOST_CELLS = 64
"""Up to so many cells of a table, sets of rows are counted faster than the rows one by one."""


def row_sets(codes: Numbers, levels: int) -> Numbers:
    """Return the rows that have each of the first values, as bits, (levels, features, words).

    codes is (features, rows).
    """
    words = -(-codes.shape[1] // WORD)
    sets = np.zeros((levels, len(codes), 8 * words), dtype=np.uint8)
    for value in range(levels):
        packed = np.packbits(codes == value, axis=1)
        sets[value, :, : packed.shape[1]] = packed
    return sets.view(np.uint64)


@_compiled
def add_joint_sums(  # noqa: PLR0914, PLR0917 - kernels have no keywords
    codes: Numbers,
    sets: Numbers,
    rows: Ints,
    levels: Ints,
    both: Ints,
    both_sets: Numbers,
    n_classes: int,
    n_log_n: Floats,
    sums: Floats,
) -> None:
    """Add c log c over the counts c of (x, s) and of (x, s, y) for some features x.

    codes is (features, rows of the table), sets their `row_sets`; both is s * n_classes + y of
    each row, both_sets its row sets with all values. Both ways to count give the same counts.
    """
    n, width, words = both.size, len(both_sets), sets.shape[2]
    # The number of bits of a word, added up in pairs, groups of four and of eight.
    two, four = np.uint64(0x5555555555555555), np.uint64(0x3333333333333333)
    eight, every = np.uint64(0x0F0F0F0F0F0F0F0F), np.uint64(0x0101010101010101)
    n1, n2, n4, n56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
    counts = np.zeros(max(1, levels.max()) * width, dtype=np.int64)
    total = np.zeros(width, dtype=np.int64)
    for i in range(n):
        total[both[i]] += 1
    for r in range(rows.size):
        f = rows[r]
        last = levels[f] - 1
        size = levels[f] * width
        if last * width <= MOST_CELLS and last <= len(sets):
            for c in range(width):
                b, rest = both_sets[c], total[c]
                for v in range(last):
                    x = sets[v, f]
                    count = np.int64(0)
                    for w in range(words):
                        bits = x[w] & b[w]
                        bits -= (bits >> n1) & two
                        bits = (bits & four) + ((bits >> n2) & four)
                        bits = (bits + (bits >> n4)) & eight
                        count += np.int64((bits * every) >> n56)
                    counts[v * width + c] = count
                    rest -= count
                counts[last * width + c] = rest
        else:
            counts[:size] = 0
            x = codes[f]
            for i in range(n):
                counts[x[i] * width + both[i]] += 1
        pair = triple = 0.0
        for cell in range(0, size, n_classes):
            together = 0
            for c in range(n_classes):
                together += counts[cell + c]
                triple += n_log_n[counts[cell + c]]
            pair += n_log_n[together]
        sums[0, r] += pair
        sums[1, r] += triple
