"""Views of weights, performances, models, collections and figures, from results of real operators."""

import threading

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication
from scipy.sparse import csr_array
from scipy.stats import spearmanr

from fsops import run
from fsops.core.graph.process import Process
from fsops.data import (
    AttributeWeights,
    CoefficientPath,
    Collection,
    Criterion,
    ExampleSet,
    FlowObject,
    PerformanceVector,
    SizeCurves,
)
from fsops.data.sparse import SparseBlock
from fsops.data.streamed import StreamedExampleSet
from fsops_gui.base.theme import current_colours
from fsops_gui.panels.results import views
from fsops_gui.panels.results.figures import MOST_WIDER, FigurePage
from fsops_gui.panels.results.page import LaterPage, TextPage
from fsops_gui.panels.results.performance_view import PerformancePage
from fsops_gui.panels.results.statistics import facts_of
from fsops_gui.panels.results.tab import ResultTab
from fsops_gui.panels.results.table_view import TablePage
from fsops_gui.panels.results.views import CollectionPage, ResultView, pages_of
from fsops_gui.panels.results.weights_view import WeightsPage
from fsops_gui.widgets.weight_comparison import Weightings


@pytest.fixture(scope="module")
def results(registry):
    """Return results of many kinds, by name."""
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="breast cancer")
    sam = process.add(registry["weight_by_sam"], table)
    auc = process.add(registry["weight_by_auc"], table)
    tree = process.add(registry["decision_tree"], table, max_depth=3)
    logistic = process.add(registry["logistic_regression"], table)
    loop = process.add(registry["cross_validation"], table, number_of_folds=5)
    training, testing = loop.subprocesses
    training.result(training.add(registry["naive_bayes"], training.source("training_set")), "model")
    applied = testing.add(
        registry["apply_model"], testing.source("model"), testing.source("test_set")
    )
    testing.result(testing.add(registry["performance"], applied), "performance")
    testing.result(applied, "test_set_results")
    rounds = process.add(registry["select_by_svm_rfe"], table, k=5)
    for output in (
        sam, auc, tree["model"], logistic["model"], loop["performance"], loop["test_result_set"],
        rounds["trace"],
    ):  # fmt: skip
        process.result(output)
    names = ("sam", "auc", "tree", "logistic", "performance", "predicted", "trace")
    return dict(zip(names, run(process).results, strict=True))


def view_of(value, qtbot, title="Result"):
    view = ResultView(value, title, pages_of(value, title))
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    qtbot.kept = view  # pytest-qt has only a weak reference
    return view


def titles(view):
    return [view.tabText(index) for index in range(view.count())]


def page_called(view, title):
    view.setCurrentIndex(titles(view).index(title))
    return view.current_page()


def inner(page, qtbot):
    qtbot.waitUntil(lambda: page.inner is not None, timeout=10_000)
    return page.inner


def column(view, place):
    return [view.table_model.text(row, place) for row in range(view.table_model.rowCount())]


# --- weights --------------------------------------------------------------------------------


def weights_page(weightings, qtbot, **options):
    page = WeightsPage(Weightings.of(weightings), **options)
    qtbot.addWidget(page)
    page.resize(900, 500)
    with qtbot.waitSignal(page.view.rearranged):
        page.show()
    return page


def test_weights_open_best_first_with_bars(results, qtbot):
    view = view_of(results["sam"], qtbot)
    page = view.current_page()
    assert isinstance(page, WeightsPage)
    qtbot.waitUntil(lambda: column(page.view, 0)[:3] == list(results["sam"].top(3)))
    model = page.view.table_model
    assert model.data(model.index(0, 1), model.BarRole)[1] == pytest.approx(1.0)
    begin, end = model.data(model.index(5, 1), model.BarRole)
    best = results["sam"].values.max()
    assert end - begin == pytest.approx(float(column(page.view, 1)[5]) / best, rel=1e-3)


def test_bars_of_negative_weights_stand_left_of_zero(qtbot):
    weights = AttributeWeights(["a", "b", "c"], [3.0, -1.0, np.nan])
    page = weights_page([("w", weights)], qtbot)
    model = page.view.table_model
    spans = [model.data(model.index(row, 1), model.BarRole) for row in range(3)]
    assert spans == [(0.25, 1.0), (0.0, 0.25), None]


def test_search_and_top_k_choose_the_rows(results, qtbot):
    sam = results["sam"]
    page = weights_page([("SAM", sam)], qtbot)
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.keyClicks(page.search, "WORST")
    assert len(column(page.view, 0)) == 10
    with qtbot.waitSignal(page.view.rearranged):
        qtbot.mouseClick(page.only_top, Qt.MouseButton.LeftButton, pos=QPoint(8, 8))
    wanted = [name for name in sam.top(20) if "worst" in name]
    assert column(page.view, 0) == wanted
    with qtbot.waitSignal(page.view.rearranged):
        page.top.setValue(3)
    assert column(page.view, 0) == [name for name in sam.top(3) if "worst" in name]


def test_several_weightings_are_columns_that_can_all_be_sorted_by(results, qtbot):
    sam, auc = results["sam"], results["auc"]
    page = weights_page([("SAM", sam), ("AUC", auc)], qtbot)
    assert column(page.view, 0)[:5] == list(sam.top(5))
    header = page.view.horizontalHeader()
    point = QPoint(header.sectionViewportPosition(2) + 15, header.height() // 2)
    for _ in range(2):  # upward, then downward
        with qtbot.waitSignal(page.view.rearranged):
            qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert column(page.view, 0)[:5] == list(auc.top(5))


def test_the_best_of_any_and_of_one_weighting(results):
    sam, auc = results["sam"], results["auc"]
    both = Weightings.of([("SAM", sam), ("AUC", auc)])
    names = np.array(both.names)
    assert set(names[both.best(3, "AUC")]) == set(auc.top(3))
    assert set(names[both.best(3)]) == {*sam.top(3), *auc.top(3)}


def test_agreement_of_a_pair_is_that_of_scipy(results, qtbot):
    sam, auc = results["sam"], results["auc"]
    page = weights_page([("SAM", sam), ("AUC", auc)], qtbot)
    page.top.setValue(10)
    qtbot.waitUntil(lambda: page.pairs.cells()[0][-1] == "Jaccard of the 10 best")
    cells = page.pairs.cells()
    assert cells[0] == ["one", "other", "Spearman", "Jaccard of the 10 best"]
    shared, either = set(sam.top(10)) & set(auc.top(10)), set(sam.top(10)) | set(auc.top(10))
    assert float(cells[1][2]) == pytest.approx(spearmanr(sam.values, auc.values)[0], abs=6e-4)
    assert float(cells[1][3]) == pytest.approx(len(shared) / len(either), abs=6e-4)
    assert page.pairs_box.isVisible()


def test_weightings_of_different_attributes_leave_holes():
    both = Weightings.of(
        [("a", AttributeWeights("xy", [1, 2])), ("a", AttributeWeights("yz", [3, np.nan]))]
    )
    assert both.titles == ["a", "a (2)"]
    assert both.names == ("x", "y", "z")
    assert np.array_equal(both.values, [[1, 2, np.nan], [np.nan, 3, np.nan]], equal_nan=True)
    assert np.array_equal(both.places, [[2, 1, np.nan], [np.nan, 1, np.nan]], equal_nan=True)


def test_places_are_shown_on_demand(results, qtbot):
    sam = results["sam"]
    page = weights_page([("SAM", sam), ("AUC", results["auc"])], qtbot)
    with qtbot.waitSignal(page.view.rearranged):
        page.places.setChecked(True)
    headings = page.cells()[0]
    assert headings == ["attribute", "SAM", "place in SAM", "AUC", "place in AUC"]
    qtbot.waitUntil(lambda: column(page.view, 2)[:3] == ["1", "2", "3"])


# --- performance ----------------------------------------------------------------------------


def test_a_performance_shows_every_fold_and_the_confusion_matrix(results, qtbot):
    performance = results["performance"]
    page = view_of(performance, qtbot).current_page()
    assert isinstance(page, PerformancePage)
    assert str(performance.main) in page.headline.text()
    cells = page.cells()
    accuracy = next(row for row in cells if row[0] == "accuracy")
    assert accuracy[1] == str(performance["accuracy"])
    assert tuple(map(float, accuracy[4:])) == performance["accuracy"].values
    counts = page.confusion.cells()
    matrix = performance.confusion.counts
    assert [row[1:3] for row in counts[1:3]] == [[str(n) for n in row] for row in matrix.tolist()]
    assert counts[1][3] == f"{matrix[0, 0] / matrix[0].sum():.1%}"
    assert counts[0][3] == "class recall"
    assert counts[3][0] == "class precision"
    assert counts[3][1] == f"{matrix[0, 0] / matrix[:, 0].sum():.1%}"


def test_the_counts_of_a_confusion_matrix_stand_on_the_right_and_keep_their_order(results, qtbot):
    view = view_of(results["performance"], qtbot).current_page().confusion
    model = view.table_model
    sides = [model.data(model.index(0, c), Qt.ItemDataRole.TextAlignmentRole) for c in range(4)]
    on_right = [bool(side & Qt.AlignmentFlag.AlignRight) for side in sides]
    assert on_right == [False, True, True, True]
    header = view.horizontalHeader()
    point = QPoint(header.sectionViewportPosition(1) + 15, header.height() // 2)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert view.wanted.column is None


# --- models, collections, others ------------------------------------------------------------


def test_a_tree_is_shown_as_text_with_the_names_of_attributes(results, qtbot):
    view = view_of(results["tree"], qtbot)
    assert titles(view)[:2] == ["Tree", "Weights"]
    text = page_called(view, "Tree").field.toPlainText()
    assert "class: malignant" in text
    assert any(name in text for name in results["sam"].names)


@pytest.mark.parametrize("inside", [False, True])
def test_what_is_said_of_a_model_is_worked_out_in_a_thread(results, qtbot, monkeypatch, inside):
    """The importances of a large forest, or the text of a deep tree, would hold up the window."""
    asked = []
    for name in ("tree_text", "weights_of"):
        work = getattr(views, name)
        monkeypatch.setattr(
            views, name, lambda m, work=work: (asked.append(threading.current_thread()), work(m))[1]
        )
    value = Collection((results["tree"],)) if inside else results["tree"]
    tab = ResultTab("Result")
    qtbot.addWidget(tab)
    tab.load(lambda: value)
    qtbot.waitUntil(lambda: len(asked) == 2 and tab.view is not None)
    assert threading.main_thread() not in asked


def test_a_linear_model_shows_its_coefficients(results, qtbot):
    view = view_of(results["logistic"], qtbot)
    page = page_called(view, "Weights")
    headings, *rows = page.cells()
    assert headings[-1] == "coefficient"
    assert all(abs(float(row[2])) == float(row[1]) for row in rows)


def test_a_collection_is_a_list_and_weights_stand_side_by_side(results, qtbot):
    view = view_of(Collection([results["sam"], results["auc"]]), qtbot)
    assert titles(view)[:2] == ["Side by side", "Elements"]
    assert view.current_page().weightings.titles == [
        part.origin for part in (results["sam"], results["auc"])
    ]
    page = page_called(view, "Elements")
    assert isinstance(page, CollectionPage)
    qtbot.keyClick(page.list, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: page.shown is not None and page.shown.value is results["auc"])
    assert page.cells()[0][0] == "attribute"


def test_a_trace_has_a_figure_a_table_and_text(results, qtbot):
    view = view_of(results["trace"], qtbot)
    assert titles(view) == ["Places round by round", "Table", "Text"]
    table = inner(page_called(view, "Table"), qtbot)
    assert isinstance(table, TablePage)
    assert table.cells()[0] == ["round", "attributes", "place", "attribute", "weight"]
    text = inner(page_called(view, "Text"), qtbot)
    assert isinstance(text, TextPage)
    assert "14 rounds" in text.field.toPlainText()


def test_results_nobody_knows_are_shown_as_text(qtbot):
    class Odd(FlowObject):
        title = "Odd thing"

        def __repr__(self):
            return "<Odd thing of 7 parts>"

    view = view_of(Odd(), qtbot)
    assert titles(view) == ["Text"]
    assert inner(view.current_page(), qtbot).field.toPlainText() == "Odd thing of 7 parts"


def test_a_view_that_fails_says_so(qtbot):
    class Broken(FlowObject):
        def to_pandas(self):
            raise ValueError("no table today")

    view = view_of(Broken(), qtbot)
    page = view.current_page()
    assert isinstance(page, LaterPage)
    qtbot.waitUntil(lambda: "no table today" in page.note.text())


def test_of_a_table_that_stays_on_disk_the_attributes_are_shown(qtbot, tmp_path):
    from fsops.storage.parquet import stream_parquet_table, write_parquet_table

    file = str(tmp_path / "t.parquet")
    write_parquet_table(ExampleSet.from_numpy(np.eye(4), ["a", "b", "a", "b"]), file)
    table = stream_parquet_table(file, roles={"label": "label"}, types={}, skip=())
    assert isinstance(table, StreamedExampleSet)
    page = inner(view_of(table, qtbot).current_page(), qtbot)
    assert page.cells()[-1] == ["label", "binominal", "label"]


def test_a_sparse_table_is_shown_without_a_dense_copy(qtbot, monkeypatch):
    cells = np.zeros((300, 4000))
    cells[::3, 1] = 2.0
    table = ExampleSet.from_sparse(csr_array(cells), ["a", "b", "c"] * 100)
    gather = SparseBlock.gather

    def few(block, columns):
        assert len(columns) < 200
        return gather(block, columns)

    monkeypatch.setattr(SparseBlock, "gather", few)
    assert isinstance(view_of(table, qtbot).current_page(), TablePage)
    assert facts_of(table, 1).lines[-1] == ("zeros", "200")


# --- figures --------------------------------------------------------------------------------


def figure_page(results, qtbot):
    page = page_called(view_of(results["predicted"], qtbot), "ROC curve")
    assert isinstance(page, FigurePage)
    qtbot.waitUntil(lambda: page.card is not None, timeout=30_000)
    return page


def test_figures_are_drawn_when_looked_at_and_keep_their_shape(results, qtbot):
    page = figure_page(results, qtbot)
    canvas = page.card.canvas
    qtbot.waitUntil(lambda: canvas.width() > 200)
    wide, tall = page.card.figure.get_size_inches()
    assert canvas.width() / canvas.height() == pytest.approx(wide / tall, rel=0.02)
    inside = canvas.grab().toImage()
    dark = sum(
        inside.pixelColor(x, y).lightness() < 100
        for x in range(0, inside.width(), 3)
        for y in range(0, inside.height(), 3)
    )
    assert dark > 50


def test_a_figure_is_zoomed_with_the_mouse(results, qtbot):
    page = figure_page(results, qtbot)
    canvas, axes = page.card.canvas, page.card.figure.axes[0]
    canvas.draw()
    before = axes.get_xlim()
    zoom = next(
        a for a in page.findChildren(type(canvas.toolbar))[0].actions() if a.text() == "Zoom"
    )
    zoom.trigger()
    box = axes.get_window_extent()
    left = QPoint(int(box.x0 + box.width * 0.2), int(canvas.height() - box.y0 - box.height * 0.8))
    right = QPoint(int(box.x0 + box.width * 0.6), int(canvas.height() - box.y0 - box.height * 0.2))
    qtbot.mousePress(canvas, Qt.MouseButton.LeftButton, pos=left)
    qtbot.mouseMove(canvas, right)
    qtbot.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=right)
    after = axes.get_xlim()
    assert after[1] - after[0] < 0.6 * (before[1] - before[0])


@pytest.mark.parametrize("kind", ["svg", "pdf", "png"])
def test_a_figure_is_saved_as_the_command_line_writes_it(
    results, qtbot, tmp_path, monkeypatch, kind
):
    from PyQt6.QtWidgets import QFileDialog

    from fsops.plots import figure_bytes
    from fsops_gui.base.settings import DesignerSettings

    page = figure_page(results, qtbot)
    file = tmp_path / f"roc.{kind}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *a, **k: (str(file), ""))
    with qtbot.waitSignal(page.said, timeout=10_000):
        page.save_button.click()
    assert file.read_bytes() == figure_bytes(page.maker, results["predicted"], kind)
    assert DesignerSettings().choice("figure_kind", "") == kind


def test_a_figure_is_copied_as_a_picture(results, qtbot):
    page = figure_page(results, qtbot)
    with qtbot.waitSignal(page.said, timeout=10_000):
        page.copy_button.click()
    assert QGuiApplication.clipboard().image().width() > 500


def test_a_figure_uses_its_room_and_its_letters_stay_readable(results, qtbot):
    page = figure_page(results, qtbot)
    page.card.setParent(None)  # no layout is to give it another size
    qtbot.addWidget(page.card)
    page.card.show()
    page.card.resize(900, 500)
    canvas, figure = page.card.canvas, page.card.figure
    assert (canvas.width(), canvas.height()) == (900, 500)
    letters = 8 * figure.dpi / canvas.device_pixel_ratio / 72
    assert 11 <= letters <= 15  # points as pixels, as in the window around
    page.card.resize(3000, 3000)
    natural = page.maker.size(page.value)
    assert canvas.width() < 3000 > canvas.height()
    assert max(figure.get_size_inches() / natural) <= MOST_WIDER + 0.01
    page.card.resize(260, 200)
    assert min(figure.get_size_inches() / natural) >= 0.99  # smaller letters, nothing cut


# --- numbers --------------------------------------------------------------------------------


def test_weights_that_are_one_minus_p_can_be_told_apart(qtbot):
    p = np.array([1e-40, 1e-7, 0.25, 0.0])
    weights = AttributeWeights(list("abcd"), 1 - p, details={"p_value": p})
    page = weights_page([("Welch", weights)], qtbot)
    shown = dict(zip(column(page.view, 0), column(page.view, 1), strict=True))
    assert shown == {"a": "1 − 1.0e-40", "b": "1 − 1e-07", "c": "0.75", "d": "1"}


@pytest.mark.parametrize("places", [False, True])
def test_details_have_headings_with_explanations_and_copies_their_names(qtbot, places):
    details = {"both_halves": np.ones(2), "own_detail": np.ones(2)}
    page = weights_page(
        [("Stability", AttributeWeights(["a", "b"], [1, 0], details=details))], qtbot
    )
    page.places.setChecked(places)
    model, across = page.view.table_model, Qt.Orientation.Horizontal
    columns = range(model.columnCount())[-2:]
    assert [model.headerData(c, across) for c in columns] == [
        "fraction of both halves", "own detail",
    ]  # fmt: skip
    tips = [model.headerData(c, across, Qt.ItemDataRole.ToolTipRole) for c in columns]
    assert tips[0].startswith("Fraction of the pairs of halves")
    assert tips[0].endswith("\nName in files: both_halves")
    assert tips[1] == "Name in files: own_detail"
    assert page.cells()[0][-2:] == ["both_halves", "own_detail"]


def test_details_line_up_without_zeros_at_their_end(qtbot):
    details = {
        "frequency": [1.0, 0.94, 0.5, 0.0],
        "p_value": [3.2e-9, 0.04, 0.123456, 1.0],
        "group": np.array(["a", "b", "c", "d"], dtype=object),
    }
    weights = AttributeWeights(list("abcd"), [1, 1, 1, 0], details=details)
    page = weights_page([("Stability", weights)], qtbot)
    assert column(page.view, 2) == ["1.00", "0.94", "0.50", "0.00"]
    assert column(page.view, 3) == ["3.2e-09", "0.040", "0.123", "1.000"]


def test_a_weight_of_0_has_no_bar(qtbot):
    page = weights_page([("Selected", AttributeWeights(["a", "b"], [1, 0]))], qtbot)
    page.show()
    colour = current_colours().data["bar"]
    image = page.view.viewport().grab().toImage()

    def bar_pixels(row):
        area = page.view.visualRect(page.view.table_model.index(row, 1))
        across, down = range(area.left(), area.right()), area.center().y()
        return sum(image.pixelColor(x, down) == colour for x in across)

    assert bar_pixels(0) > 50
    assert bar_pixels(1) == 0


def test_columns_of_results_are_in_words_and_keep_their_names_in_files(qtbot):
    curves = SizeCurves(
        ("t",), [1, 2], np.ones((1, 2, 2)), criterion="squared_error", maximize=False
    )
    (spec,) = [spec for spec in pages_of(curves) if spec.title == "Table"]
    page = spec.make()
    qtbot.addWidget(page)
    qtbot.waitUntil(lambda: page.findChild(TablePage) is not None)
    model = page.findChild(TablePage).view.table_model
    shown = [model.headerData(c, Qt.Orientation.Horizontal) for c in range(4)]
    assert shown == ["method", "attributes", "squared error", "standard error"]
    assert page.cells()[0] == ["method", "attributes", "squared_error", "standard_error"]


def test_of_an_element_that_was_left_meanwhile_nothing_is_shown(results, qtbot):
    page = CollectionPage(Collection([results["sam"], results["auc"]]), "both")
    qtbot.addWidget(page)
    page.list.setCurrentRow(1)  # the first one is still being looked at
    qtbot.waitUntil(lambda: page.shown is not None)
    assert page.shown.value is results["auc"]
    assert len(page.place.findChildren(type(page.shown))) == 1


def test_places_and_agreement_of_a_ranking_are_those_of_its_weights():
    weights = AttributeWeights("abcd", [0.4, 0.1, 0.9, 0.2])
    ranking = AttributeWeights("abcd", [2, 4, 1, 3], best="smallest")
    both = Weightings.of([("ranking", ranking), ("weights", weights)])
    assert both.places.tolist() == [[2, 4, 1, 3], [2, 4, 1, 3]]
    assert both.agreement(2).to_pandas()["Spearman"].tolist() == [1]
    assert both.best(1, "ranking").tolist() == [2]
    assert both.begins_with_ranking


def test_a_computed_bound_has_values_only(qtbot):
    bound = Criterion("expected_false_selections", (0.4,), maximize=False, measured=False)
    page = view_of(PerformanceVector([bound]), qtbot).current_page()
    assert page.headline.text() == "expected false selections: 0.4   (computed)"
    assert page.cells() == [["criterion", "value"], ["expected false selections", "0.4"]]


def test_a_path_has_its_figure_then_the_chosen_penalty_then_all_steps(qtbot):
    path = CoefficientPath("ab", np.array([1.0, 0.5]), np.array([[3.0, 0], [2, -4]]), chosen=1)
    view = view_of(path, qtbot)
    assert titles(view)[1:] == ["Chosen penalty", "All steps", "Text"]
    page = page_called(view, "Chosen penalty")
    qtbot.waitUntil(lambda: page.inner is not None)
    assert page.cells() == [["attribute", "coefficient"], ["b", "-4"], ["a", "2"]]
