"""The guided study: four screens, an answer, and nothing lost on the way."""

import numpy as np
import pandas as pd
import pytest
from PyQt6.QtCore import Qt

from fsops.studies.study import study_process
from fsops_gui.base.theme import DARK, LIGHT, apply_theme
from fsops_gui.document.document import Document
from fsops_gui.panels.study.choices import LEFT
from fsops_gui.panels.study.page import ANSWER, EMPTY, METHODS, QUESTION, TABLE
from fsops_gui.panels.study.table_screen import LIGHT_ROW


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(40, 6)), columns=[f"gene{j}" for j in range(6)])
    frame["diagnosis"] = np.where(np.arange(40) % 2, "ill", "well")
    frame["gene0"] += 2.0 * (np.arange(40) % 2)
    frame["leak"] = np.arange(40) % 2 + rng.random(40) / 4
    frame["site"] = ["a", "a", "b", "b"] * 10
    frame.to_csv(tmp_path / "patients.csv", index=False)
    frame.rename(columns={"diagnosis": "relapse"}).to_csv(tmp_path / "odd.csv", index=False)
    return tmp_path / "patients.csv"


@pytest.fixture
def studied(window_of, table, qtbot):
    """Return a window whose study page shows the first screen."""
    window = window_of()
    window.studies.begin(table)
    qtbot.waitUntil(lambda: window.studies.page.screen_number == TABLE)
    return window


def looked(page, qtbot):
    """Wait until the table has been looked at with the choices of now."""
    before = page.study
    qtbot.waitUntil(lambda: page.study is not before)


def press(qtbot, button):
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_without_a_table_the_page_asks_for_one_and_has_no_docks(window_of):
    window = window_of()
    window.studies.show_study()
    assert window.studies.page.screen_number == EMPTY
    assert window.pages.is_study
    assert window.docks.is_folded
    window.views.show_process()
    assert not window.docks.is_folded


def test_a_click_on_a_light_leaves_a_column_out_and_takes_it_back(studied, qtbot):
    page = studied.studies.page
    screen = page.table_screen
    names = [screen.model.name(i) for i in range(screen.model.columnCount())]
    assert names[0] == "diagnosis"
    assert page.told.text() == "8 columns go on"
    index = screen.model.index(LIGHT_ROW, names.index("leak"))
    assert "Gives the label away" in index.data()
    screen.view._click(index)
    looked(page, qtbot)
    assert page.choices.role("leak") == LEFT
    assert page.told.text() == "7 columns go on"
    assert screen.model.role(names.index("leak")) == LEFT
    screen.view._click(screen.model.index(LIGHT_ROW, names.index("leak")))
    looked(page, qtbot)
    assert page.told.text() == "8 columns go on"


def test_the_button_of_the_red_card_leaves_out_what_gives_the_label_away(studied, qtbot):
    page = studied.studies.page
    button = page.table_screen.summaries["error"].button
    assert not button.isHidden()
    press(qtbot, button)
    looked(page, qtbot)
    assert page.choices.design().skip == ("leak",)
    assert button.isHidden()


def test_the_question_follows_the_choices(studied, qtbot):
    page = studied.studies.page
    press(qtbot, page.next)
    assert page.screen_number == QUESTION
    assert page.question_screen.question.text() == "Which attributes distinguish ill from well?"
    page.question_screen.boxes["batch"].picked.emit("site")
    looked(page, qtbot)
    assert page.choices.design().batch == "site"
    assert '"site" is the batch' in page.question_screen.told.text()


def test_a_table_whose_label_no_name_tells_cannot_go_on_until_it_is_chosen(window_of, table, qtbot):
    window = window_of()
    window.studies.begin(table.parent / "odd.csv")
    page = window.studies.page
    qtbot.waitUntil(lambda: page.screen_number == TABLE)
    press(qtbot, page.next)
    assert not page.next.isEnabled()
    page.question_screen.boxes["label"].picked.emit("relapse")
    looked(page, qtbot)
    assert page.next.isEnabled()
    assert page.study.label == "relapse"


def test_cancelling_at_any_screen_loses_nothing(studied, qtbot, chain):
    window, page = studied, studied.studies.page
    window.session.document.take_over("x", chain.process.clone())
    before = window.session.document.process
    page.choices.give("leak", LEFT)
    for number in (TABLE, QUESTION, METHODS):
        window.studies.show_study()
        page.show_screen(number)
        press(qtbot, page.cancel)
        assert window.pages.currentWidget() is window.session.editor
        assert window.session.document.process is before
        assert page.choices.role("leak") == LEFT
        window.studies.show_study()
        assert page.screen_number == number


@pytest.mark.slow
def test_the_methods_show_their_cost_and_the_process_is_that_of_the_command(studied, table, qtbot):
    page = studied.studies.page
    page.show_screen(METHODS)
    screen = page.methods_screen
    qtbot.waitUntil(lambda: screen.costs is not None)
    qtbot.waitUntil(lambda: all(screen.cost(key) is not None for key in screen.cards))
    assert screen.chosen == ("weight_by_f_test", "weight_by_relief", "select_by_mrmr_cfs")
    assert "s" in screen.total.text()
    press(qtbot, page.as_process)
    qtbot.waitUntil(lambda: "My table" in studied.session.document.process)
    told = study_process("patients", table, None, studied.registry)
    assert studied.session.document.as_xml() == Document(told).as_xml()
    assert studied.pages.currentWidget() is studied.session.editor


def test_a_study_without_a_method_cannot_run(studied, qtbot):
    page = studied.studies.page
    page.show_screen(METHODS)
    qtbot.waitUntil(lambda: page.methods_screen.costs is not None)
    for made in page.methods_screen.cards.values():
        made.box.setChecked(False)
    assert not page.next.isEnabled()
    page.methods_screen.cards["weight_by_sam"].box.setChecked(True)
    assert page.next.isEnabled()


@pytest.mark.slow
def test_the_study_runs_shows_results_on_the_way_and_answers(studied, qtbot):
    window, page = studied, studied.studies.page
    page.choices.give("leak", LEFT)
    page.show_screen(METHODS)
    qtbot.waitUntil(lambda: page.methods_screen.costs is not None)
    for key, made in page.methods_screen.cards.items():
        made.box.setChecked(key == "weight_by_f_test")
    news = []
    page.answer_screen._show_news = lambda: news.append(set(page.answer_screen._values))
    press(qtbot, page.next)
    qtbot.waitUntil(lambda: page.run is not None)
    assert page.screen_number == ANSWER
    assert window.pages.is_study
    assert "My table" in window.session.document.process  # on the canvas already
    qtbot.waitUntil(lambda: page.answer_screen.answer is not None)
    assert any(kind.__name__ == "SizeCurves" for kinds in news for kind in kinds)
    assert page.answer_screen.answer.verdict.found
    assert window.pages.is_study  # the results did not come to the front
    for theme in (DARK, LIGHT):
        apply_theme(theme)
        assert not window.grab().isNull()
    assert not any(node.breakpoints for node in window.session.document.process)
    assert not window.session.is_stale
    press(qtbot, page.next)
    assert window.pages.currentWidget() is window.session.editor


def test_the_table_is_painted_while_it_is_exchanged_or_read_again(studied, table, qtbot):
    page = studied.studies.page
    studied.grab()
    page.table_screen._exchange()
    studied.grab()  # still the columns of before, until the table is there
    looked(page, qtbot)
    assert page.table_screen.model.columnCount() == len(page.study.checks.table.schema.names)
    studied.grab()
    studied.studies.begin(table)
    studied.grab()
    qtbot.waitUntil(lambda: page.study is not None)
    assert page.table_screen.model.name(0) == "diagnosis"
    studied.grab()
