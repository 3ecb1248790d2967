"""Another theme while the window is open: all pages look as in a window that began with it."""

import numpy as np
import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QCheckBox

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.theme import DARK, LIGHT, apply_theme
from fsops_gui.document.document import Document

PAGES = ("show_start", "show_process", "show_results")


@pytest.fixture(autouse=True)
def light_again(qapp):
    yield
    apply_theme(LIGHT)


def pixels(widget):
    """Return a widget as an array, one number for each pixel."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    bits = image.constBits()
    bits.setsize(image.sizeInBytes())
    rows = np.frombuffer(bits.asstring(), dtype=np.uint32)
    return rows.reshape(image.height(), -1)[:, : image.width()].copy()


def picture(window, page, qtbot):
    window.actions_table.by_name[page].trigger()
    window.resize(QSize(1200, 800))
    previous = None
    for _ in range(50):  # until nothing changes any more
        qtbot.wait(20)
        QApplication.processEvents()
        now = pixels(window.centralWidget())
        if previous is not None and np.array_equal(now, previous):
            break
        previous = now
    return now


@pytest.mark.parametrize("page", PAGES)
def test_a_switch_to_dark_looks_as_a_start_in_the_dark(page, window_of, chain, qtbot, tmp_path):
    chain.save(tmp_path / "opened last.xml")
    DesignerSettings().remember(tmp_path / "opened last.xml")
    process = chain.process
    apply_theme(LIGHT)
    switched = window_of(Document(process.clone()))
    light = picture(switched, page, qtbot)
    switched.views.choose_theme(DARK)
    after = picture(switched, page, qtbot)
    switched.hide()
    begun = picture(window_of(Document(process.clone())), page, qtbot)
    assert not np.array_equal(light, after)
    assert after.shape == begun.shape
    differing = np.argwhere(after != begun)
    assert len(differing) == 0, f"from {differing.min(0)} to {differing.max(0)}"


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_edge_of_an_unchecked_box_stands_out(theme, qtbot):
    apply_theme(theme)
    box = QCheckBox()
    qtbot.addWidget(box)
    box.show()
    values = pixels(box)
    channels = np.stack([(values >> shift) & 255 for shift in (16, 8, 0)]).astype(float) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = np.tensordot([0.2126, 0.7152, 0.0722], linear, 1)
    ground = luminance[len(luminance) // 2, 8]  # inside of the box
    low, high = np.minimum(luminance, ground), np.maximum(luminance, ground)
    assert ((high + 0.05) / (low + 0.05)).max() >= 3
