"""The start page: recent files, examples with pictures, own tables."""

import numpy as np
import pandas as pd
import pytest
from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QFileDialog, QPushButton

from fsops.core.checks.problems import Severity
from fsops_gui.base.settings import DesignerSettings, pictures_folder
from fsops_gui.base.theme import DARK, LIGHT, apply_theme
from fsops_gui.dialogs import examples as shelf
from fsops_gui.dialogs.examples import example_files, examples, picture, picture_file, templates
from fsops_gui.dialogs.label import LabelDialog
from fsops_gui.dialogs.start_page import StartPage
from fsops_gui.document.document import Document
from fsops_gui.panels.study.page import TABLE


@pytest.fixture
def started(window_of, qtbot):
    """Return a window that shows the start page, with all pictures drawn."""
    window = window_of()
    window.views.show_start()
    page = window.start_page
    qtbot.waitUntil(lambda: len(page.cards) == len(examples()), timeout=10_000)
    return window


def button(page, text):
    names = {b: (b.text().strip(), b.accessibleName()) for b in page.findChildren(QPushButton)}
    return next(b for b, found in names.items() if any(n.startswith(text) for n in found))


def test_every_example_says_what_it_does_in_a_sentence():
    for example in examples():
        assert example.title
        assert example.sentence.endswith((".", "?", "!")), example.file
        assert len(example.sentence) < 260


def test_the_program_begins_with_the_start_page_unless_told_otherwise(qtbot, monkeypatch):
    from PyQt6.QtCore import QTimer

    from fsops_gui.shell import app
    from fsops_gui.shell.window import Window

    shown = []

    def look():
        for widget in QApplication.topLevelWidgets():
            if isinstance(widget, Window):
                try:
                    shown.append(widget.pages.currentWidget() is widget.start_page)
                finally:
                    widget.close()  # else the program would never end

    for wanted in (True, False):
        DesignerSettings().start_page = wanted
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
    assert started.pages.currentWidget() is started.session.editor


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
    DesignerSettings().remember(tmp_path / "mine.xml")
    DesignerSettings().remember(tmp_path / "gone.xml")
    window = window_of()
    qtbot.keyClick(window, Qt.Key.Key_0, Qt.KeyboardModifier.AltModifier)
    assert window.pages.currentWidget() is window.start_page
    texts = [b.text() for b in window.start_page.findChildren(QPushButton)]
    assert not any("gone" in text for text in texts)
    qtbot.mouseClick(button(window.start_page, "mine.xml"), Qt.MouseButton.LeftButton)
    assert window.session.document.title == "mine.xml"


def test_new_begins_an_empty_process(started, qtbot):
    started.session.document.edit("x", lambda p: None)
    before = started.session.document
    qtbot.mouseClick(started.start_page.new_button, Qt.MouseButton.LeftButton)
    assert started.session.document is not before
    assert started.pages.currentWidget() is started.session.editor


@pytest.fixture
def patients(tmp_path):
    """Return a table as a clinic has it: an id, a sex, gaps, a diagnosis of 0 and 1."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(40, 8)), columns=[f"gene{j}" for j in range(8)])
    frame.iloc[3, 2] = np.nan
    frame.insert(0, "patient", [f"P{number}" for number in range(40)])
    frame.insert(1, "sex", ["f", "m"] * 20)
    frame["diagnosis"] = np.arange(40) % 2
    frame.to_csv(tmp_path / "patients.csv", index=False)
    frame.rename(columns={"diagnosis": "relapse"}).to_csv(tmp_path / "odd.csv", index=False)
    return tmp_path


@pytest.fixture
def begin(started, monkeypatch, qtbot):
    """Return a function that presses a button of the start page and chooses a table."""

    def press(text, table):
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a: (str(table), ""))
        qtbot.mouseClick(button(started.start_page, text), Qt.MouseButton.LeftButton)

    return press


def made(window, qtbot):
    """Return the process as soon as it is shown."""
    qtbot.waitUntil(lambda: "My table" in window.session.document.process, timeout=20_000)
    return window.session.document.process


def test_the_first_offer_is_a_study_of_the_own_table(started, begin, patients, qtbot):
    begin("Study", patients / "patients.csv")
    page = started.studies.page
    qtbot.waitUntil(lambda: page.screen_number == TABLE)
    assert started.pages.is_study
    assert page.study.label == "diagnosis"


def test_the_label_is_asked_for_where_no_name_tells_it(started, begin, patients, qtbot):
    begin(templates()[0].title, patients / "odd.csv")
    qtbot.waitUntil(lambda: started.findChild(LabelDialog) is not None, timeout=20_000)
    dialog = started.findChild(LabelDialog)
    columns = [dialog.box.itemText(i) for i in range(dialog.box.count())]
    assert set(columns) == {"patient", "sex", "relapse", *(f"gene{j}" for j in range(8))}
    assert set(columns[:2]) == {"sex", "relapse"}  # the likely ones
    dialog.box.lineEdit().selectAll()
    qtbot.keyClicks(dialog.box.lineEdit(), "relaps")
    assert not dialog.ok.isEnabled()
    qtbot.keyClicks(dialog.box.lineEdit(), "e")
    qtbot.mouseClick(dialog.ok, Qt.MouseButton.LeftButton)
    reader = made(started, qtbot)["My table"]
    assert reader.parameters["label"] == "relapse"
    assert reader.parameters["types"] == {"relapse": "binominal"}


def test_who_cancels_the_question_keeps_the_process(started, begin, patients, qtbot):
    before = started.session.document
    begin(templates()[0].title, patients / "odd.csv")
    qtbot.waitUntil(lambda: started.findChild(LabelDialog) is not None, timeout=20_000)
    started.findChild(LabelDialog).reject()
    qtbot.wait(100)
    assert started.session.document is before


def test_a_study_begins_from_the_menu_too(started, patients, monkeypatch, qtbot):
    table = patients / "patients.csv"
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *a: (str(table), ""))
    started.views.show_process()
    qtbot.keyClick(started, Qt.Key.Key_T, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: started.studies.page.screen_number == TABLE)
    assert started.pages.is_study


@pytest.mark.parametrize("template", templates(), ids=lambda t: t.example)
def test_a_template_is_made_ready_for_a_table(started, begin, template, patients, qtbot):
    begin(template.title, patients / "patients.csv")
    process = made(started, qtbot)
    reader = process["My table"]
    assert reader.parameters["path"] == str(patients / "patients.csv")
    assert reader.parameters["label"] == "diagnosis"
    assert reader.parameters["id"] == "patient"
    assert reader.parameters["types"] == {"diagnosis": "binominal"}
    assert not [n for n in process.walk() if n.operator.key == "retrieve"]
    assert process.used_outputs("My table") == {"examples"}
    after = [wire.to_node for wire in process.connections if wire.from_node == "My table"]
    assert after == ["Replace Missing Values"]  # all the others get what comes out of it
    assert template.about in started.help_panel.toPlainText()
    qtbot.waitUntil(lambda: started.session.checker.findings.process is process, timeout=10_000)
    problems = started.session.checker.findings.problems
    assert [p.message for p in problems if p.severity is Severity.ERROR] == []


@pytest.mark.parametrize(
    ("file", "told"),
    [("x.pdf", "No operator reads files such as"), ("empty.csv", '"empty.csv" is empty')],
)
def test_a_table_that_cannot_be_read_is_refused_with_a_sentence(
    started, begin, file, told, tmp_path, qtbot
):
    before = started.session.document
    (tmp_path / file).write_text("")
    begin("Study", tmp_path / file)
    qtbot.waitUntil(lambda: told in started.statusBar().currentMessage(), timeout=20_000)
    assert started.session.document is before


def test_a_picture_shows_the_operators_as_large_as_it_can(registry):
    """The frame around them is mostly empty: what is drawn reaches to the edges."""
    image = picture(example_files()[0], registry, QSize(216, 108))
    ground = image.pixel(0, 0)
    columns = [x for x in range(216) if any(image.pixel(x, y) != ground for y in range(5, 103))]
    assert min(columns) < 30
    assert max(columns) > 186


def test_an_installation_without_examples_has_a_start_page(qtbot, registry, monkeypatch):
    monkeypatch.setattr("fsops_gui.dialogs.start_page.examples", lambda: ())
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
    assert window.pages.currentWidget() is window.session.editor
    assert window.pages.widget(0) is window.start_page
    assert isinstance(window.session.document, Document)


def test_pictures_of_large_processes_have_icons_too(qapp, chain):
    from PyQt6.QtGui import QPainter

    from fsops_gui.canvas.card import NAMELESS, paint_far
    from fsops_gui.canvas.scene import ProcessScene

    scene = ProcessScene(Document(chain.process))
    scene.set_nameless(True)
    item = scene.item_of("Weight by SAM")
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(0)
    zoom = NAMELESS / 2
    painter = QPainter(image)
    painter.scale(zoom, zoom)
    paint_far(painter, item, zoom)
    painter.end()
    shades = {image.pixel(x, y) for x in range(60) for y in range(60)}
    scene.deleteLater()
    assert len(shades) > 12  # the icon is smooth; a plain card has two colors and a dot


def test_a_table_to_try_begins_the_study(started, qtbot):
    page = started.start_page
    chip = next(b for b in page.findChildren(QPushButton, "chip") if b.text() == "Pure noise")
    with qtbot.waitSignal(page.table_dropped, timeout=60_000) as dropped:
        chip.click()
    table = pd.read_csv(dropped.args[0])
    assert table.shape == (60, 301)
    assert set(table["diagnosis"]) == {"ill", "well"}
    qtbot.waitUntil(lambda: started.studies.page.study is not None, timeout=60_000)
    assert started.studies.page.study.label == "diagnosis"
