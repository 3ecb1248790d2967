"""One selection, with undo."""

import numpy as np

from fsops_gui.panels.explore.selection import SharedSelection
from fsops_gui.widgets.charts.chart import How


def test_choosing_replaces_adds_and_toggles(qapp):
    now = SharedSelection()
    now.choose_attributes(np.array([3, 1, 3]))
    assert now.attributes.tolist() == [3, 1]
    assert now.focus == 3
    now.choose_attributes(np.array([2]), How.ADD)
    assert (now.attributes.tolist(), now.focus) == ([3, 1, 2], 2)
    now.choose_attributes(np.array([1, 4]), How.TOGGLE)
    assert now.attributes.tolist() == [3, 2, 4]


def test_every_choice_can_be_undone_and_done_again(qapp):
    now, told = SharedSelection(), []
    now.changed.connect(lambda: told.append(now.attributes.tolist()))
    now.choose_attributes(np.array([1]))
    now.choose_rows(np.array([5, 4]))
    now.choose_attributes(np.array([1]))  # nothing new
    now.clear()
    assert len(told) == 3
    now.undo()
    assert (now.attributes.tolist(), now.rows.tolist()) == ([1], [4, 5])
    now.undo()
    assert now.rows.tolist() == []
    now.redo()
    now.redo()
    assert len(now.attributes) == len(now.rows) == 0
    assert not now.can_redo
