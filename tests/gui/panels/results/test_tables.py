"""Tables of results: large ones, sorting, filters, statistics, copies and files."""

import threading
import time
import timeit

import numpy as np
import pandas as pd
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication

from fsops.data import Attribute, ExampleSet, ValueType
from fsops_gui.panels.results import table_view
from fsops_gui.panels.results.exports import csv_text, markdown_text
from fsops_gui.panels.results.statistics import facts_of
from fsops_gui.panels.results.table_view import TablePage, TableView
from fsops_gui.widgets.row_query import Replaced, RowQuery, arranged, rows_with
from fsops_gui.widgets.tables import TableModel, cell_text, column_of, table_of_frame, texts_of


@pytest.fixture
def people():
    """Return a table with every type, roles, and a hole in every column but the first."""
    frame = pd.DataFrame(
        {
            "number": [1, 2, 3, 4],
            "age": [30.5, np.nan, 61.25, 44.0],
            "town": ["Ulm", "Bonn", None, "Aalen"],
            "ill": ["yes", "no", "no", None],
        }
    )
    examples = ExampleSet.from_pandas(frame, roles={"number": "id", "ill": "label"})
    dates = np.array(["2026-01-02", "NaT", "2025-05-05", "2026-11-16"], dtype="datetime64[us]")
    notes = np.array(["x", None, "a|b", "Z"], dtype=object)
    return examples.with_columns(
        [(Attribute("day", ValueType.DATE), dates), (Attribute("note", ValueType.TEXT), notes)]
    )


def page_of(table, qtbot, **options):
    page = TablePage(table, "people", **options)
    qtbot.addWidget(page)
    page.resize(900, 500)
    page.show()
    return page


def shown(view, column):
    model = view.table_model
    names = [model.table.names[p] for p in model.positions]
    place = names.index(column)
    return [model.text(row, place) for row in range(model.rowCount())]


def click_heading(view, column, qtbot):
    model, header = view.table_model, view.horizontalHeader()
    place = [model.table.names[p] for p in model.positions].index(column)
    view.scrollTo(model.index(0, place))
    point = QPoint(header.sectionViewportPosition(place) + 15, header.height() // 2)
    with qtbot.waitSignal(view.rearranged):
        qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=point)


@pytest.mark.parametrize("shape", [(100, 200_000), (1_000_000, 50)])
def test_large_tables_open_and_show_their_last_cell(qtbot, shape):
    values = np.zeros(shape)
    values[-1, -1] = 7.25
    page = page_of(ExampleSet.from_numpy(values), qtbot)
    view = page.view
    last = view.table_model.index(shape[0] - 1, shape[1] - 1)
    view.scrollTo(last)
    assert view.table_model.data(last) == "7.25"
    assert view.visualRect(last).isValid()
    assert page.count.text() == f"{shape[0]:,} rows × {shape[1]:,}"
    qtbot.waitUntil(lambda: page.statistics.facts is not None, timeout=10_000)


def test_special_attributes_come_first_and_are_named_in_the_heading(people, qtbot):
    model = TableModel(people, kinds=True)
    headings = [
        model.headerData(column, Qt.Orientation.Horizontal) for column in range(model.columnCount())
    ]
    assert headings[0] == "# number\ninteger · id"
    assert headings[1] == "★ ill\nbinominal · label"
    assert headings[2] == "age\nreal"
    colour = model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.ForegroundRole)
    assert colour is not None
    plain = model.headerData(2, Qt.Orientation.Horizontal, Qt.ItemDataRole.ForegroundRole)
    assert plain is None


def test_clicks_on_a_heading_sort_up_down_and_not(people, qtbot):
    view = page_of(people, qtbot).view
    click_heading(view, "age", qtbot)
    assert shown(view, "age") == ["30.5", "44", "61.25", "?"]
    assert view.table_model.headerData(0, Qt.Orientation.Vertical) == "1"
    assert view.table_model.headerData(1, Qt.Orientation.Vertical) == "4"
    click_heading(view, "age", qtbot)
    assert shown(view, "age") == ["61.25", "44", "30.5", "?"]
    click_heading(view, "age", qtbot)
    assert shown(view, "number") == ["1", "2", "3", "4"]


@pytest.mark.parametrize(
    ("column", "upward", "downward"),
    [
        ("town", ["4", "2", "1", "3"], ["1", "2", "4", "3"]),
        ("day", ["3", "1", "4", "2"], ["4", "1", "3", "2"]),
        ("note", ["3", "1", "4", "2"], ["4", "1", "3", "2"]),
        ("ill", ["2", "3", "1", "4"], ["1", "2", "3", "4"]),
    ],
)
def test_every_type_is_sorted_with_missing_values_last(people, column, upward, downward):
    position = people.schema.position(column)
    numbers = people.column("number")
    for ascending, expected in ((True, upward), (False, downward)):
        rows = arranged(people, RowQuery(position, ascending))
        assert [f"{n:.0f}" for n in numbers[rows]] == expected


def test_typing_filters_the_rows_that_contain_it(people, qtbot):
    page = page_of(people, qtbot)
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClicks(page.filter, "bon")
    assert shown(page.view, "town") == ["Bonn"]
    assert page.count.text() == "1 of 4 rows × 6"
    page.filter.clear()
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClicks(page.filter, "61.25")
    assert shown(page.view, "number") == ["3"]


def test_a_search_for_a_number_finds_what_is_shown():
    table = ExampleSet.from_numpy([[1 / 3, 2.0], [0.5, 4.0]])
    assert rows_with(table, "0.333333").tolist() == [True, False]
    assert rows_with(table, "4").tolist() == [False, True]
    assert rows_with(table, "nothing").tolist() == [False, False]


def test_a_condition_filters_and_a_wrong_one_is_explained(people, qtbot):
    page = page_of(people, qtbot)
    page.kind.setCurrentIndex(1)
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClicks(page.filter, 'age > 40 and ill == "no"')
        qtbot.keyClick(page.filter, Qt.Key.Key_Return)
    assert shown(page.view, "number") == ["3"]
    page.filter.setText("agee > 40")
    with qtbot.waitSignal(page.view.refused):
        qtbot.keyClick(page.filter, Qt.Key.Key_Return)
    assert page.complaint.isVisible()
    assert "agee" in page.complaint.text()
    assert shown(page.view, "number") == ["3"]
    page.filter.clear()
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClick(page.filter, Qt.Key.Key_Return)
    assert not page.complaint.isVisible()
    assert page.view.table_model.rowCount() == 4


def test_filter_and_order_go_together(people):
    position = people.schema.position("age")
    rows = arranged(people, RowQuery(position, False, condition="number <> 3"))
    assert rows.tolist() == [3, 0, 1]


def test_enter_goes_from_column_to_column_with_a_name(qtbot):
    page = page_of(ExampleSet.from_numpy(np.zeros((3, 500))), qtbot)
    qtbot.keyClicks(page.finder, "att49")
    qtbot.keyClick(page.finder, Qt.Key.Key_Return)
    assert page.view.currentIndex().column() == 48
    qtbot.keyClick(page.finder, Qt.Key.Key_Return)
    assert page.view.currentIndex().column() == 489
    page.finder.clear()
    qtbot.keyClicks(page.finder, "zebra")
    with qtbot.waitSignal(page.said) as said:
        qtbot.keyClick(page.finder, Qt.Key.Key_Return)
    assert "zebra" in said.args[0]


def test_statistics_follow_the_cursor_and_the_filter(people, qtbot):
    page = page_of(people, qtbot)
    page.view.go_to_column(2)
    qtbot.waitUntil(lambda: page.statistics.heading.text() == "age")
    lines = dict(page.statistics.facts.lines)
    known = [30.5, 61.25, 44.0]
    assert lines == {
        "count": "4", "missing": "1", "minimum": "30.5", "maximum": "61.25", "median": "44",
        "mean": f"{np.mean(known):.5g}", "standard deviation": f"{np.std(known, ddof=1):.5g}",
    }  # fmt: skip
    assert sum(page.statistics.facts.bins) == 3
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClicks(page.filter, "ulm")
    qtbot.waitUntil(lambda: dict(page.statistics.facts.lines)["count"] == "1")


def test_statistics_of_classes_texts_dates_and_nothing(people):
    ill = facts_of(people, people.schema.position("ill"))
    assert ill.classes == (("no", 2), ("yes", 1))
    note = facts_of(people, people.schema.position("note"))
    assert dict(note.lines)["different values"] == "3"
    day = dict(facts_of(people, people.schema.position("day")).lines)
    assert (day["first"], day["last"]) == ("2025-05-05 00:00:00", "2026-11-16 00:00:00")
    empty = facts_of(people, people.schema.position("age"), np.array([1]))
    assert dict(empty.lines) == {"count": "1", "missing": "1"}


def test_a_selection_is_copied_with_its_headings(people, qtbot):
    view = TableView(TableModel(people))
    qtbot.addWidget(view)
    view.show()
    view.setCurrentIndex(view.table_model.index(0, 2))
    view.selectAll()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0] == "number,ill,age,town,day,note"
    assert lines[2] == "2,no,,Bonn,,"
    assert lines[3] == "3,no,61.25,,2025-05-05 00:00:00,a|b"


def test_the_menu_key_sorts_by_the_column_of_the_cursor_and_copies(people, qtbot):
    view = page_of(people, qtbot).view
    view.setCurrentIndex(view.table_model.index(0, 2))
    actions = {action.text(): action for action in view.menu().actions()}
    with qtbot.waitSignal(view.rearranged):
        actions["Sort, largest first"].trigger()
    assert shown(view, "age") == ["61.25", "44", "30.5", "?"]
    with qtbot.waitSignal(view.rearranged):
        actions["Own order of the table"].trigger()
    assert shown(view, "number") == ["1", "2", "3", "4"]
    view.selectRow(0)
    actions["Copy selection as Markdown"].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[2] == "| 1 | yes | 30.5 | Ulm | 2026-01-02 00:00:00 | x |"


def test_copies_keep_every_digit_and_markdown_is_safe():
    table = table_of_frame(pd.DataFrame({"name": ["a|b", "c"], "x": [1 / 3, 2.0]}))
    cells = TableView(TableModel(table)).cells()
    assert csv_text(cells) == "name,x\na|b,0.3333333333333333\nc,2\n"
    assert markdown_text(cells).splitlines() == [
        "| name | x |", "| --- | ---: |", "| a\\|b | 0.3333333333333333 |", "| c | 2 |",
    ]  # fmt: skip


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_what_is_shown_is_exported(people, qtbot, tmp_path, monkeypatch, suffix):
    from PyQt6.QtWidgets import QFileDialog

    from fsops_gui.base.settings import DesignerSettings

    page = page_of(people, qtbot)
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClicks(page.filter, "no")
    file = tmp_path / f"people.{suffix}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(file), ""))
    with qtbot.waitSignal(page.said, timeout=10_000):
        page.export_button.click()
    read = pd.read_parquet(file) if suffix == "parquet" else pd.read_csv(file)
    assert read["number"].tolist() == [2, 3]
    assert DesignerSettings().choice("export_folder", "") == str(tmp_path)
    assert DesignerSettings().choice("export_kind", "") == suffix


def test_a_frame_with_odd_columns_becomes_a_table():
    frame = pd.DataFrame([[True, "a", None, 1]], columns=["x", "x", "y", 5])
    table = table_of_frame(frame)
    assert table.names == ("x", "x (2)", "y", "5")
    model = TableModel(table)
    assert [model.text(0, column) for column in range(4)] == ["yes", "a", "?", "1"]


def test_what_is_cut_or_rounded_stands_in_the_tip_of_the_cell():
    long = "a category with a name that no column is wide enough for"
    table = ExampleSet.from_columns(
        [column_of("x", [0.123456789, 1.0, 0.99999999]), column_of("c", [long, "b", None])], 3
    )
    model = TableModel(table, digits=4)
    tips = [
        [model.data(model.index(r, c), Qt.ItemDataRole.ToolTipRole) for c in (0, 1)]
        for r in range(3)
    ]
    assert tips == [["0.123456789", long], [None, None], ["0.99999999", None]]
    assert [model.text(r, 0) for r in range(3)] == ["0.1235", "1", "1 − 1e-08"]


def test_a_text_that_looks_like_a_missing_value_is_copied():
    table = ExampleSet.from_columns([column_of("c", ["?", None])], 2)
    assert texts_of(TableModel(table), [0, 1], [0]) == [["c"], ["?"], [""]]


def test_a_newer_search_ends_the_one_before():
    table = ExampleSet.from_columns([column_of("c", ["x"] * 200_000)], 200_000)
    asked = iter([False, False, True])
    with pytest.raises(Replaced):
        arranged(table, RowQuery(text="y"), None, lambda: next(asked))


def test_a_long_search_is_told_and_its_end_too(people, qtbot, monkeypatch):
    go_on = threading.Event()

    def slow(*rest):
        go_on.wait(60)
        return arranged(*rest)

    monkeypatch.setattr(table_view, "arranged", slow)
    page = page_of(people, qtbot)
    qtbot.keyClicks(page.filter, "Ulm")
    qtbot.waitUntil(lambda: page.count.text() == "Searching…")
    go_on.set()
    qtbot.waitUntil(lambda: page.count.text().startswith("1 of 4"))


def test_in_a_narrow_page_the_table_comes_before_its_statistics(people, qtbot):
    page = page_of(people, qtbot)
    assert page.statistics.isVisible()
    page.resize(420, 300)
    assert not page.statistics.isVisible()
    qtbot.mouseClick(page.facts_button, Qt.MouseButton.LeftButton)
    page.resize(430, 300)
    assert page.statistics.isVisible()  # by hand it is shown anyhow


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_with_nothing_known_are_shown_sorted_and_looked_at(rows, qtbot):
    columns = [
        column_of("number", np.full(rows, np.nan)),
        column_of("day", np.full(rows, "NaT", dtype="datetime64[us]")),
        column_of("text", np.full(rows, None, dtype=object)),
    ]
    page = page_of(ExampleSet.from_columns(columns, rows), qtbot)
    for name in ("number", "day", "text"):
        click_heading(page.view, name, qtbot)
        assert shown(page.view, name) == ["?"] * rows
    page.view.go_to_column(2)
    if rows:
        qtbot.waitUntil(lambda: page.statistics.heading.text() == "text")
    assert [len(row) for row in page.cells()] == [3] * (rows + 1)


def test_texts_and_dates_are_found_as_they_are_shown(people):
    found = {text: np.flatnonzero(rows_with(people, text)).tolist() for text in ("01-02 00", "?")}
    assert found == {"01-02 00": [0], "?": [1]}
    assert rows_with(people, "A|B").tolist() == [False, False, True, False]


def test_texts_that_differ_only_in_capitals_stay_in_their_order():
    texts = ["b", *(("A", "a") * 20), "B", None]
    table = ExampleSet.from_columns([column_of("c", texts)], len(texts))
    assert arranged(table, RowQuery(0)).tolist() == [*range(1, 41), 0, 41, 42]


def test_many_texts_and_dates_are_searched_much_faster_than_cell_by_cell():
    days = np.datetime64("2001-01-01", "us") + np.arange(100_000).astype("timedelta64[m]")
    columns = [column_of("day", days), column_of("name", [f"n{i}" for i in range(100_000)])]
    table = ExampleSet.from_columns(columns, 100_000)
    cells = [(a, value) for a, column in columns for value in column]
    clock = {"timer": time.thread_time, "number": 1}  # a busy machine does not count
    slow = min(timeit.repeat(lambda: [cell_text(*cell) for cell in cells], repeat=2, **clock))
    fast = min(timeit.repeat(lambda: rows_with(table, "nothing"), repeat=5, **clock))
    assert fast < slow / 2


def longest_hold(work):
    """Return the largest fraction of a work during which no other thread could use Python.

    Counted in the processor time of the working thread: on a busy machine, time passes while
    neither thread runs.
    """
    begin, done, seen = threading.Event(), threading.Event(), threading.Event()

    def worker():
        begin.wait()
        work()
        done.set()
        seen.wait()  # the clock ends with its thread

    thread = threading.Thread(target=worker)
    thread.start()
    clock = time.pthread_getcpuclockid(thread.ident)
    times = [time.clock_gettime(clock)]
    begin.set()
    while not done.wait(0.002):
        times.append(time.clock_gettime(clock))
    times.append(time.clock_gettime(clock))
    seen.set()
    thread.join()
    return max(np.diff(times)) / (times[-1] - times[0])


@pytest.mark.skipif(not hasattr(time, "pthread_getcpuclockid"), reason="no clock of a thread")
def test_the_window_goes_on_while_many_texts_are_sorted():
    """Where one call of C holds Python's lock, the window would stand still until its end."""
    texts = [f"patient {(i * 7919) % 400_009:06d}" for i in range(400_000)]
    table = ExampleSet.from_columns([column_of("name", texts)], len(texts))
    assert longest_hold(lambda: np.argsort(np.array(texts, object))) > 0.5  # as numpy would do it
    assert min(longest_hold(lambda: arranged(table, RowQuery(0))) for _ in range(3)) < 0.5


def test_the_most_frequent_texts_come_first_and_equal_ones_as_in_the_table():
    texts = ["z", "y", "x", "y"] * 10
    facts = facts_of(ExampleSet.from_columns([column_of("c", texts)], 40), 0)
    assert facts.classes == (("y", 20), ("z", 10), ("x", 10))
