"""Robustness of the designer, as the review tried it: files of strangers, hanging checks, lost files.

The names R2 to R11 are those of the review.
"""

import os
import sys
import threading
import time

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QSettings, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from fsops.core.checks.problems import Kind
from fsops.core.operator import operator
from fsops.data import ExampleSet
from fsops.editing.levels import ROOT, Spot
from fsops_gui.base import settings
from fsops_gui.base.theme import LIGHT, apply_theme
from fsops_gui.dialogs import questions
from fsops_gui.document import checker as checker_module
from fsops_gui.document.autosave import Autosaver, orphans, orphans_of, swap_of
from fsops_gui.document.checker import Checker
from fsops_gui.document.document import Document
from fsops_gui.panels.results.table_view import TablePage


@pytest.fixture
def saved(chain, tmp_path):
    chain.save(tmp_path / "mine.xml")
    return tmp_path / "mine.xml"


# --- R2: notes -----------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes")
def test_a_picture_in_a_note_is_words_and_no_file_is_opened(window_of, chain, tmp_path):
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)  # whoever opens it waits for ever
    text = f"see ![the plan](file://{pipe}) here\n\n![old]({pipe})"
    spot = chain.add_note(ROOT, text, (50, 180))
    window = window_of(chain)
    document = window.session.editor.scene.note_of(spot).document()
    assert document.toPlainText() == "see [the plan] here\n[old]"
    window.grab()


# --- R3: text that no file can hold --------------------------------------------------------------


def test_characters_that_a_file_cannot_hold_become_spaces(chain, registry):
    chain.write_note(Spot(ROOT, owner="Normalize"), "one\vtwo")
    chain.rename("Weight by SAM", "SAM\x07 1")
    chain.set_parameter("Normalize", "method", "range\ftransformation")
    assert chain.process["Normalize"].note.text == "one two"
    assert "SAM  1" in chain.process
    assert chain.process["Normalize"].parameters["method"] == "range transformation"
    chain.as_xml()


def test_a_notice_stays_while_changes_cannot_be_kept(window_of, saved, monkeypatch):
    from fsops.errors import StorageError

    window = window_of(Document.open(saved))
    document, saver = window.session.document, window.session.autosaver
    fails = lambda: (_ for _ in ()).throw(StorageError("The disk is full."))  # noqa: E731
    monkeypatch.setattr(document, "as_xml", fails)
    document.rename("Normalize", "Other")
    saver.write()
    assert (
        "Changes are not kept in case of a crash: The disk is full." in window.notice.label.text()
    )
    saver.write()
    assert window.notice.isVisible()
    monkeypatch.undo()
    saver.write()
    assert window.notice.isHidden()
    assert swap_of(saved).exists()


# --- R4, R9: checks that hang or fail ------------------------------------------------------------


def hanging(may_go_on):
    def describe(_inputs, _parameters):
        may_go_on.wait(60)
        return {}

    @operator(group="Test", role="preparation", describe=describe)
    def hang(examples: ExampleSet) -> ExampleSet:
        """Hang

        Waits while it is described.
        """
        return examples

    return hang


def exiting():
    def describe(_inputs, _parameters):
        raise SystemExit("a plugin ends the program")

    @operator(group="Test", role="preparation", describe=describe)
    def leave(examples: ExampleSet) -> ExampleSet:
        """Leave

        Ends the program while it is described.
        """
        return examples

    return leave


def with_operator(registry, spec):
    document = Document()
    document.add(ROOT, registry["retrieve"])
    document.set_parameter("Retrieve", "repository_entry", "iris")
    document.edit("add", lambda p: p.add(spec, p["Retrieve"]))
    return document


def test_closing_does_not_wait_for_a_check_that_hangs(registry, qtbot, monkeypatch):
    monkeypatch.setattr(checker_module, "LONG", 50)
    may_go_on = threading.Event()
    document = with_operator(registry, hanging(may_go_on))
    checker = Checker(document, registry)
    late = lambda: any(p.kind is Kind.CHECK_FAILED for p in checker.findings.problems)  # noqa: E731
    qtbot.waitUntil(late, timeout=60_000)
    [problem] = checker.findings.problems
    assert problem.path == ("Hang",)
    assert "has not ended" in problem.message
    begun = time.perf_counter()
    checker.close()
    waited = time.perf_counter() - begun
    may_go_on.set()
    assert waited < 30  # the description would have waited for a minute


def test_a_check_that_ends_the_program_is_reported_at_its_operator(registry, qtbot):
    document = with_operator(registry, exiting())
    checker = Checker(document, registry)
    qtbot.waitUntil(lambda: bool(checker.findings.problems), timeout=60_000)
    [problem] = checker.findings.problems
    assert (problem.kind, problem.path) == (Kind.CHECK_FAILED, ("Leave",))
    assert "The check failed: SystemExit: a plugin ends the program" in problem.message
    document.edit("remove", lambda p: p.remove("Leave"))
    qtbot.waitUntil(lambda: checker.findings.process is document.process, timeout=60_000)
    assert Kind.CHECK_FAILED not in {p.kind for p in checker.findings.problems}
    checker.close()


def test_a_parquet_file_of_many_rows_is_described_from_its_footer(registry, tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    values = pa.array(np.zeros(20_000_000))
    pq.write_table(pa.table({"a": values}), tmp_path / "many.parquet")
    document = Document()
    document.add(ROOT, registry["read_parquet"])
    document.set_parameter("Read Parquet", "path", str(tmp_path / "many.parquet"))
    begun = time.process_time()
    found = checker_module.check(document.process, registry)
    assert found.known.outputs["Read Parquet"]["examples"].rows == 20_000_000
    assert time.process_time() - begun < 2


# --- R5: damaged settings ------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["purple", "@Variant(\\0\\0\\0)", "@Invalid()"])
def test_bad_settings_are_ignored(damage, window_of, chain):
    store = QSettings(str(settings.FILE), QSettings.Format.IniFormat)
    for key in ("choice/theme", "recent", "tabs/files", "tabs/front", "window/state", "operators"):
        store.setValue(key, damage)
    store.sync()
    text = settings.FILE.read_text().replace('"@@', '"@').replace("=@@", "=@")
    settings.FILE.write_text(text)
    found = settings.DesignerSettings()
    assert found.recent() == []
    assert apply_theme(found.choice("theme", "system")) == LIGHT
    window_of(chain)


# --- R6: large selections ------------------------------------------------------------------------


def test_all_of_a_large_table_is_selected_at_once(qtbot):
    rows = 200_000
    table = ExampleSet.from_numpy(np.zeros((rows, 12)), np.array(["a", "b"] * (rows // 2)))
    page = TablePage(table, "large")
    qtbot.addWidget(page)
    page.resize(1000, 600)
    page.show()
    QApplication.processEvents()
    begun = time.process_time()
    page.view.selectAll()
    QApplication.processEvents()
    page.view.grab()
    assert time.process_time() - begun < 1  # without care 3 s, and a minute for a million rows
    assert page.view._selected() == (range(rows), range(13))


def test_headings_of_small_tables_still_follow_the_selection(qtbot):
    table = ExampleSet.from_numpy(np.zeros((10, 3)), np.array(["a", "b"] * 5))
    page = TablePage(table, "small")
    qtbot.addWidget(page)
    assert page.view.horizontalHeader().selectionModel() is page.view.selectionModel()


# --- R7: two windows -----------------------------------------------------------------------------


def died_in_second_window(file):
    """Leave the unsaved work of a second window, as a program that died does."""
    one, two = Document.open(file), Document.open(file)
    first, second = Autosaver(one), Autosaver(two)
    one.rename("Normalize", "One")
    two.rename("Normalize", "Two")
    first.write()
    second.write()
    first.remove()
    second._lock.unlock()


def test_the_work_of_a_second_window_is_offered_with_its_file(window_of, saved, monkeypatch):
    died_in_second_window(saved)
    [orphan] = orphans_of(saved)
    assert orphan.process.folder == saved.parent
    monkeypatch.setattr(questions, "ask_recover", lambda *_: questions.RECOVER)
    window = window_of(Document.open(saved))
    window.files.recover()
    assert "Two" in window.session.document.process
    assert window.session.document.path == saved
    assert orphans() == []


def test_an_empty_start_brings_it_back_with_its_file(window_of, saved, monkeypatch):
    died_in_second_window(saved)
    monkeypatch.setattr(questions, "ask_recover", lambda *_: questions.RECOVER)
    window = window_of()
    window.files.recover()
    document = window.session.document
    assert (document.path, document.modified) == (saved, True)
    assert "Two" in document.process
    assert document.process.folder == saved.parent


# --- R8: a file that goes away -------------------------------------------------------------------


def test_a_deleted_file_is_noticed_and_can_be_saved_again(window_of, saved, qtbot, monkeypatch):
    window = window_of(Document.open(saved))
    document = window.session.document
    assert not document.modified
    saved.unlink()
    qtbot.waitUntil(window.notice.isVisible, timeout=60_000)
    assert "mine.xml was deleted or moved" in window.notice.label.text()
    assert document.modified
    asked = []
    monkeypatch.setattr(questions, "ask_save", lambda *_: asked.append(1) or questions.CANCEL)
    assert not window.files.may_leave()
    assert asked == [1]
    QTest.mouseClick(window.notice.buttons[0], Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert saved.exists()
    assert not document.modified
    assert window.notice.isHidden()


# --- R10, R11 ------------------------------------------------------------------------------------


def test_replacing_leads_inner_wires_to_ports_that_are_there(registry):
    document = Document()
    document.add(ROOT, registry["retrieve"])
    document.edit("add", lambda p: p.add(registry["subprocess"], p["Retrieve"]))

    def fill(process):
        inner = process["Subprocess"].subprocesses[0]
        inner.result(inner.add(registry["normalize"], inner.source()))

    document.edit("fill", fill)
    document.replace(ROOT, "Subprocess", registry["optimize_parameters_grid"])
    node = next(n for n in document.process if n.operator.key == "optimize_parameters_grid")
    assert [str(w) for w in node.subprocesses[0].connections] == [
        "input 1 → Normalize.examples",
        "Normalize.examples → result 1",
    ]


def test_a_decimal_comma_has_a_fix(registry):
    document = Document()
    document.add(ROOT, registry["weight_by_sam"])
    document.set_parameter("Weight by SAM", "s0", "0,5")
    problems = checker_module.check(document.process, registry).problems
    problem = next(p for p in problems if p.parameter == "s0")
    assert problem.fixes[0].label == "Set s0 to 0.5"
    document.edit("fix", problem.fixes[0].apply)
    assert document.process["Weight by SAM"].parameters["s0"] == 0.5


# --- D20, D21 ------------------------------------------------------------------------------------


def test_the_sign_of_a_descending_order_points_down(qapp):
    from fsops_gui.base.stylesheet import style_sheet

    rules = {line.split(" {")[0]: line for line in style_sheet(LIGHT).splitlines()}
    # Qt calls the sign of a descending order the arrow up.
    assert "caret_down" in rules["QHeaderView::up-arrow"]
    assert "caret_up" in rules["QHeaderView::down-arrow"]


def test_a_missing_library_of_the_system_is_named_with_its_package():
    from fsops_gui.base.platform_check import explained, library_in

    text = "libxcb-icccm.so.4: cannot open shared object file: No such file or directory"
    problem, remedy = explained(library_in(text))
    assert "the system library libxcb-icccm.so.4 is missing" in problem
    assert remedy == "Install it. Debian and Ubuntu: apt install libxcb-icccm4."
    assert explained("libother.so.1")[1] == "Install it."
    assert library_in("invalid ELF header") == ""
