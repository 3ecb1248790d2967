"""The start page: recent files, examples with pictures, own tables."""

import pytest
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QFileDialog, QPushButton

from fsops_gui import examples as shelf
from fsops_gui.document import Document
from fsops_gui.examples import example_files, examples, picture, picture_file, templates
from fsops_gui.settings import Settings, pictures_folder
from fsops_gui.start_page import StartPage
from fsops_gui.theme import DARK, LIGHT, apply_theme


@pytest.fixture
def started(window_of, qtbot):
    """Return a window that shows the start page, with all pictures drawn."""
    window = window_of()
    window.looking.show_start()
    page = window.start_page
    qtbot.waitUntil(lambda: len(page.cards) == len(examples()), timeout=10_000)
    return window


def button(page, text):
    return next(b for b in page.findChildren(QPushButton) if b.text().startswith(text))


def test_every_example_says_what_it_does_in_a_sentence():
    for example in examples():
        assert example.title
        assert example.sentence.endswith((".", "?", "!")), example.file
        assert len(example.sentence) < 260


def test_the_program_begins_with_the_start_page_unless_told_otherwise(qtbot, monkeypatch):
    from PyQt6.QtCore import QTimer

    from fsops_gui import app
    from fsops_gui.window import Window

    shown = []

    def look():
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, Window):
                shown.append(widget.tabs.currentWidget() is widget.start_page)
                widget.close()

    for wanted in (True, False):
        Settings().start_page = wanted
        QTimer.singleShot(400, look)
        assert app.main(None) == 0
    assert shown == [True, False]


def test_the_pictures_are_those_of_the_canvas(started, qtbot):
    page = started.start_page
    card = page.cards["quickstart"]
    qtbot.waitUntil(lambda: card.image is not None, timeout=20_000)
    colours = {card.image.pixel(x, y) for x in range(0, 216, 4) for y in range(0, 108, 4)}
    assert len(colours) > 4


def test_a_picture_is_drawn_once_for_each_theme_and_then_kept(registry, monkeypatch):
    from fsops_gui.canvas import picture as drawing

    file, size = example_files()[0], QSize(216, 108)
    drawn = []
    real = drawing.picture_of
    monkeypatch.setattr(drawing, "picture_of", lambda *a: drawn.append(a) or real(*a))
    try:
        for theme, count in ((LIGHT, 1), (LIGHT, 1), (DARK, 2), (LIGHT, 2)):
            apply_theme(theme)
            picture(file, registry, size)
            assert len(drawn) == count
    finally:
        apply_theme(LIGHT)
    kept = list(pictures_folder().glob("*.png"))
    assert len(kept) == 2
    assert QImage(str(kept[0])).size() == size


def test_a_damaged_picture_is_drawn_again(registry):
    file, size = example_files()[0], QSize(60, 30)
    kept = picture_file(file, size)
    kept.parent.mkdir(parents=True)
    kept.write_text("no picture")
    assert picture(file, registry, size).size() == size
    assert not QImage(str(kept)).isNull()


def test_a_click_on_an_example_opens_a_copy(started, qtbot):
    qtbot.mouseClick(started.start_page.cards["mrmr"], Qt.MouseButton.LeftButton)
    document = started.session.document
    assert document.process.name == "MRMR"
    assert document.path is None
    assert started.tabs.currentWidget() is started.session.editor


def test_all_of_it_can_be_reached_and_used_by_keyboard(started, qtbot):
    page = started.start_page
    reached = []
    widget = page.new_button
    for _ in range(300):
        if widget is page.new_button and reached:
            break
        if page.isAncestorOf(widget) and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
            reached.append(widget)
        widget = widget.nextInFocusChain()
    assert set(page.cards.values()) <= set(reached)
    card = page.cards["quickstart"]
    assert card.accessibleName() == "Quickstart"
    assert "Cross-validates" in card.accessibleDescription()
    qtbot.keyClick(card, Qt.Key.Key_Return)
    assert started.session.document.process.name == "Quickstart"


def test_recent_files_are_listed_and_opened(window_of, chain, tmp_path, qtbot):
    chain.save(tmp_path / "mine.xml")
    Settings().remember(tmp_path / "mine.xml")
    Settings().remember(tmp_path / "gone.xml")
    window = window_of()
    qtbot.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.AltModifier)
    assert window.tabs.currentWidget() is window.start_page
    texts = [b.text() for b in window.start_page.findChildren(QPushButton)]
    assert not any("gone" in text for text in texts)
    qtbot.mouseClick(button(window.start_page, "mine.xml"), Qt.MouseButton.LeftButton)
    assert window.session.document.title == "mine.xml"


def test_new_begins_an_empty_process(started, qtbot):
    started.session.document.edit("x", lambda p: None)
    before = started.session.document
    qtbot.mouseClick(started.start_page.new_button, Qt.MouseButton.LeftButton)
    assert started.session.document is not before
    assert started.tabs.currentWidget() is started.session.editor


@pytest.mark.parametrize("template", templates(), ids=lambda t: t.example)
def test_a_template_is_made_ready_for_a_table(started, template, tmp_path, monkeypatch, qtbot):
    table = tmp_path / "mine.csv"
    rows = [f"{i % 7},{i * 3 % 11},{i % 5},{'x' if i % 2 else 'y'}" for i in range(40)]
    table.write_text("\n".join(["a,b,c,class", *rows]))
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a: (str(table), ""))
    qtbot.mouseClick(button(started.start_page, template.title), Qt.MouseButton.LeftButton)
    process = started.session.document.process
    reader = process["Read CSV"]
    assert reader.parameters["csv_file"] == str(table)
    assert reader.parameters["label"] == "class"
    assert not [n for n in process.walk() if n.operator.key in ("retrieve", "sample")]
    assert started.session.parameters.name == "Read CSV"
    assert process.connections


def test_a_table_nobody_reads_is_refused_with_a_sentence(started, tmp_path, monkeypatch, qtbot):
    before = started.session.document
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a: (str(tmp_path / "x.pdf"), ""))
    qtbot.mouseClick(button(started.start_page, "Compare"), Qt.MouseButton.LeftButton)
    assert 'No operator reads files such as "x.pdf"' in started.statusBar().currentMessage()
    assert started.session.document is before


def test_an_installation_without_examples_has_a_start_page(qtbot, registry, monkeypatch):
    monkeypatch.setattr("fsops_gui.start_page.examples", lambda: ())
    page = StartPage(registry)
    qtbot.addWidget(page)
    page.show()
    qtbot.wait(50)
    assert page.cards == {}


def test_examples_that_use_an_operator_are_found(registry):
    found = [example.file.stem for example in shelf.examples_of(registry["weight_by_sam"])]
    assert "quickstart" in found
    assert shelf.examples_of(registry["cross_validation"])


def test_a_document_is_shown_at_once_where_one_is_given(window_of, quickstart):
    window = window_of(quickstart)
    assert window.tabs.currentWidget() is window.session.editor
    assert window.tabs.widget(0) is window.start_page
    assert isinstance(window.session.document, Document)
