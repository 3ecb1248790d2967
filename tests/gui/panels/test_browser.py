"""Data and processes in the browser, and files that fall on the canvas."""

import threading

import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent
from PyQt6.QtWidgets import QApplication

from fsops.editing.levels import ROOT
from fsops.storage.readers import reader_of, readers, with_label
from fsops_gui.canvas.file_drops import files_mime, size_text
from fsops_gui.document.document import Document
from fsops_gui.panels.browser import ROLE


@pytest.fixture
def folder(tmp_path, chain, monkeypatch):
    """Return a folder with a process and tables."""
    monkeypatch.setenv("FSOPS_CONFIG", str(tmp_path / "none.toml"))
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    home = tmp_path / "work"
    (home / "deep").mkdir(parents=True)
    (home / "table.csv").write_text("id,a,b,class\n1,2,3,x\n2,3,4,y\n3,4,5,x\n")
    (home / "deep" / "inner.csv").write_text("a,b\n1,2\n")
    (home / "readme.pdf").write_text("nothing for us")
    (home / ".hidden.csv").write_text("a\n1\n")
    chain.save(home / "chain.xml")
    return home


@pytest.fixture
def browsing(window_of, folder, qtbot):
    """Return a window with a saved process that shows the browser."""
    window = window_of(Document.open(folder / "chain.xml"))
    qtbot.keyClick(window, Qt.Key.Key_4, Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(lambda: window.browser.item_named("chain.xml") is not None, timeout=10_000)
    return window


def added(qtbot, window, name="Read CSV"):
    """Return an operator as soon as it is there: a file is looked into beforehand."""
    qtbot.waitUntil(lambda: name in window.session.document.process, timeout=10_000)
    return window.session.document.process[name]


def drop(window, data, point):
    """Let something fall on the canvas."""
    viewport = window.session.editor.view.viewport()
    copy, none, left = (
        Qt.DropAction.CopyAction,
        Qt.KeyboardModifier.NoModifier,
        Qt.MouseButton.LeftButton,
    )
    for kind in (QDragEnterEvent, QDragMoveEvent, QDropEvent):
        where = QPointF(point) if kind is QDropEvent else point
        event = kind(where, copy, data, left, none)
        QApplication.sendEvent(viewport, event)
    return event


def test_the_reader_of_a_file_is_the_one_that_declares_its_suffix(registry, tmp_path):
    known = {suffix: operator.key for suffix, (operator, _) in readers(registry).items()}
    wanted = {
        ".csv": "read_csv", ".tsv": "read_csv", ".txt": "read_csv", ".arff": "read_arff",
        ".parquet": "read_parquet", ".xlsx": "read_excel", ".xlsm": "read_excel",
        ".wgt": "read_weights", ".gz": "read_csv", ".zip": "read_csv", ".dta": "read_statistics_file",
        ".sav": "read_statistics_file", ".rds": "read_r", ".rda": "read_r",
    }  # fmt: skip
    assert {suffix: known.get(suffix) for suffix in wanted} == wanted
    operator, parameters = reader_of(tmp_path / "A.CSV", registry)
    assert operator.key == "read_csv"
    assert parameters == {"path": str(tmp_path / "A.CSV")}
    assert reader_of(tmp_path / "a.pdf", registry) is None


def test_a_column_with_a_telling_name_becomes_the_label(registry, folder):
    assert with_label(reader_of(folder / "table.csv", registry))[1]["label"] == "class"
    assert "label" not in with_label(reader_of(folder / "deep" / "inner.csv", registry))[1]


def test_the_tree_shows_folders_tables_and_processes_only(browsing, qtbot):
    root = browsing.browser.item_named("Folder of the process")
    assert root.isExpanded()
    names = [root.child(i).text(0) for i in range(root.childCount())]
    assert names == ["deep", "chain.xml", "table.csv"]
    deep = root.child(0)
    assert deep.childCount() == 0  # not read before it is opened
    deep.setExpanded(True)
    assert deep.child(0).text(0) == "Looking…"
    qtbot.waitUntil(lambda: deep.child(0).text(0) == "inner.csv", timeout=10_000)
    assert deep.childCount() == 1


def test_data_with_a_name_and_examples_are_there(browsing):
    assert browsing.browser.item_named("iris").parent().text(0) == "Data with a name"
    assert browsing.browser.item_named("quickstart").parent().text(0) == "Example processes"


def test_a_double_click_on_a_table_reads_it(browsing, qtbot):
    tree = browsing.browser.tree
    item = browsing.browser.item_named("table.csv")
    tree.scrollToItem(item)
    point = tree.visualItemRect(item).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=point)
    qtbot.mouseDClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=point)
    node = added(qtbot, browsing)
    assert node.parameters["path"] == "table.csv"  # as seen from the process
    assert node.parameters["label"] == "class"
    browsing.edits.undo()
    assert "Read CSV" not in browsing.session.document.process


def test_enter_on_data_with_a_name_retrieves_it(browsing, qtbot):
    tree = browsing.browser.tree
    item = browsing.browser.item_named("iris")
    item.parent().setExpanded(True)
    tree.setCurrentItem(item)
    qtbot.keyClick(tree, Qt.Key.Key_Return)
    name = browsing.session.editor.scene.selected_names()[0]
    node = browsing.session.document.process[name]
    assert node.operator.key == "retrieve"
    assert node.parameters["repository_entry"] == "iris"


def test_a_process_opens_and_an_example_as_a_copy(browsing, folder, qtbot):
    browsing.browser.tree.itemActivated.emit(browsing.browser.item_named("quickstart"), 0)
    assert browsing.session.document.path is None
    assert "Cross Validation" in browsing.session.document.process
    browsing.files.open_file(folder / "chain.xml")
    qtbot.waitUntil(lambda: browsing.browser.item_named("chain.xml") is not None, timeout=10_000)
    browsing.browser.tree.itemActivated.emit(browsing.browser.item_named("chain.xml"), 0)
    assert browsing.session.document.path == folder / "chain.xml"


def test_tables_are_dragged_to_the_canvas(browsing, qtbot):
    tree = browsing.browser.tree
    tree.setCurrentItem(browsing.browser.item_named("table.csv"))
    point = browsing.session.editor.view.viewport().rect().center()
    drop(browsing, tree.mimeData(tree.selectedItems()), point)
    node = added(qtbot, browsing)
    frame, place = browsing.session.editor.scene.place_at(
        browsing.session.editor.view.mapToScene(point)
    )
    assert frame.level == ROOT
    assert (node.position["x"], node.position["y"]) == place


def test_named_data_is_dragged_to_the_canvas(browsing):
    tree = browsing.browser.tree
    tree.setCurrentItem(browsing.browser.item_named("wine"))
    drop(browsing, tree.mimeData(tree.selectedItems()), QPoint(200, 200))
    entries = [
        node.parameters["repository_entry"]
        for node in browsing.session.document.process
        if node.operator.key == "retrieve"
    ]
    assert entries == ["breast cancer", "wine"]


def test_files_from_the_desktop_are_read_or_opened_or_refused(browsing, folder, chain, qtbot):
    drop(browsing, files_mime([folder / "deep" / "inner.csv"]), QPoint(150, 150))
    node = added(qtbot, browsing)
    assert node.parameters["path"] == "deep/inner.csv"
    drop(browsing, files_mime([folder / "readme.pdf"]), QPoint(150, 150))
    assert 'No operator reads files such as "readme.pdf"' in browsing.statusBar().currentMessage()
    browsing.edits.undo()
    drop(browsing, files_mime([folder / "chain.xml"]), QPoint(150, 150))
    assert browsing.session.document.path == folder / "chain.xml"


def test_operators_still_fall_on_the_canvas(browsing, hand):
    hand.drop(browsing, "normalize", QPoint(100, 200))
    assert "Normalize (2)" in browsing.session.document.process


def test_the_tip_tells_the_size_of_a_table_when_it_is_known(browsing, qtbot, registry, folder):
    browser = browsing.browser
    place = browser.item_named("table.csv").data(0, ROLE)
    assert "rows" not in browser.tip_of(place)
    qtbot.waitUntil(lambda: "3 rows × 4 attributes" in browser.tip_of(place), timeout=10_000)
    assert size_text(reader_of(folder / "none.csv", registry)) == ""


def test_the_browser_follows_the_document(browsing, tmp_path, qtbot):
    other = tmp_path / "other"
    other.mkdir()
    browsing.session.document.save(other / "moved.xml")
    browser = browsing.browser
    qtbot.waitUntil(lambda: browser.item_named("moved.xml") is not None, timeout=10_000)
    root = browser.item_named("Folder of the process")
    assert [root.child(i).text(0) for i in range(root.childCount())] == ["moved.xml"]


def test_the_data_folder_opens_without_holding_up_the_window(browsing, folder, monkeypatch, qtbot):
    """To know which files are tables all operators must be loaded, which takes its time."""
    from fsops_gui.panels import browser as module

    main, seen = threading.get_ident(), []

    def slow(registry):
        seen.append(threading.get_ident())
        return readers(registry)

    monkeypatch.setattr(module, "readers", slow)
    browsing.browser.refresh()
    qtbot.waitUntil(lambda: browsing.browser.item_named("table.csv") is not None, timeout=10_000)
    assert seen
    assert main not in seen
