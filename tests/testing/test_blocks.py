"""Tables that are read in blocks of rows, for tests of operators."""

import numpy as np

from fsops.testing import in_blocks, make_examples


def test_a_table_in_blocks_has_the_rows_of_the_table():
    table = make_examples(13, 3, 2)
    blocks = in_blocks(table, rows=5)
    assert 3 <= len(list(blocks.row_blocks())) <= 13
    read = np.concatenate([block.numeric() for block in blocks.row_blocks()])
    assert np.array_equal(read, table.numeric())
    assert blocks.schema == table.schema
    assert np.array_equal(blocks.label_values(), table.label_values())


def test_all_values_at_once_are_refused(refused):
    blocks = in_blocks(make_examples(13, 3, 2))
    with refused("would take"):
        blocks.numeric()
    with refused("would take"):
        blocks.loaded()


def test_blocks_may_be_empty_and_the_limit_may_suffice():
    table = make_examples(13, 3)
    blocks = in_blocks(table, group_rows=[0, 6, 0, 7], limit=10**6)
    assert [len(block) for block in blocks.row_blocks()] == [6, 7]
    assert blocks.loaded().equals(table)


def test_another_cut_is_another_table():
    table = make_examples(13, 3)
    assert in_blocks(table, rows=5).fingerprint() != in_blocks(table, rows=4).fingerprint()
