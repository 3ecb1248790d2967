"""The explanation below a figure in the designer."""

import numpy as np
import pytest

from fsops.data import AttributeWeights
from fsops_gui.panels.results.figures import FigurePage
from fsops_gui.panels.results.views import makers_of

WEIGHTS = AttributeWeights(["a", "b", "c"], np.array([1.0, 2.0, 3.0]))


@pytest.mark.parametrize(("height", "explained"), [(480, True), (240, False)])
def test_a_figure_is_explained_where_there_is_room(qtbot, height, explained):
    page = FigurePage(WEIGHTS, makers_of(WEIGHTS)[0])
    qtbot.addWidget(page)
    page.resize(500, height)
    page.show()
    assert not page.caption.isVisible()  # nothing is drawn yet
    qtbot.waitUntil(lambda: page.card is not None, timeout=30_000)
    assert page.caption.isVisible() == explained
    assert page.caption.text() == page.maker.about
    assert page.card.canvas.accessibleDescription() == page.maker.about
