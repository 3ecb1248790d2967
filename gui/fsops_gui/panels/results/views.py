"""Which views a result has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from PyQt6.QtCore import QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QListWidget, QSplitter, QTabWidget, QVBoxLayout, QWidget

from fsops.data import (
    AttributeWeights,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    StabilityResult,
    Traced,
)
from fsops.data.model import GroupedModel
from fsops.data.streamed import StreamedExampleSet
from fsops.report.terminal import content_line
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.panels.results.exports import Cells
from fsops_gui.panels.results.figures import FigurePage
from fsops_gui.panels.results.model_parts import tree_text, weights_of
from fsops_gui.panels.results.page import LaterPage, Page, TextPage, filled, text_of
from fsops_gui.panels.results.performance_view import PerformancePage, performances_table
from fsops_gui.panels.results.table_view import TablePage
from fsops_gui.panels.results.weights_view import WeightsPage
from fsops_gui.widgets.tables import headings_of, table_of_frame
from fsops_gui.widgets.weight_comparison import Weightings

if TYPE_CHECKING:
    from fsops.plots import FigureMaker


class PageSpec(NamedTuple):
    """A view that can be made."""

    title: str
    make: Callable[[], Page]


def pages_of(value: FlowObject, title: str = "") -> list[PageSpec]:
    """Return the views of a result, the most informative first.

    Of a large table or a large model that takes a while: call it from a thread. The views are made
    in the window's.
    """
    return _without_twins(_all_pages(value, title))


def _all_pages(value: FlowObject, title: str) -> list[PageSpec]:
    makers = makers_of(value)
    figures = [PageSpec(maker.title, partial(FigurePage, value, maker)) for maker in makers]
    own = next((make(value, title) for kind, make in _OWN if isinstance(value, kind)), None)
    text = _text(value)
    if own is not None:
        titles = [spec.title for spec in own]
        at = 0 if isinstance(value, _FIGURES_FIRST) else len(own)
        if text.title in titles:
            at = titles.index(text.title)
        return [*own[:at], *figures, *own[at:], text]
    table = [_frame(tr("Table"), value, title)] if hasattr(value, "to_pandas") else []
    return [*figures, *table, text]


def _text(value: FlowObject) -> PageSpec:
    return PageSpec(tr("Text"), lambda: LaterPage(lambda: text_of(value), TextPage))


def _frame(name: str, value: Any, title: str, frame: Callable[[], Any] | None = None) -> PageSpec:
    """Return a view of what ``to_pandas`` gives, or of another table."""

    def make() -> Page:
        return LaterPage(
            lambda: table_of_frame(value.to_pandas() if frame is None else frame()),
            lambda table: TablePage(table, title, kinds=False, headings=headings_of(table)),
        )

    return PageSpec(name, make)


def _of_table(value: ExampleSet, title: str) -> list[PageSpec]:
    return [PageSpec(tr("Table"), lambda: TablePage(value, title))]


def _of_streamed(value: StreamedExampleSet, title: str) -> list[PageSpec]:
    """Return the attributes only: the rows were left on disk for their number."""
    import pandas as pd

    def attributes() -> ExampleSet:
        facts = [(a.name, str(a.value_type), a.role) for a in value.schema]
        names = [tr("attribute"), tr("type"), tr("role")]
        return table_of_frame(pd.DataFrame(facts, columns=names))

    return [
        PageSpec(
            tr("Attributes"),
            lambda: LaterPage(attributes, lambda table: TablePage(table, title, kinds=False)),
        )
    ]


def _of_weights(value: AttributeWeights, title: str) -> list[PageSpec]:
    name = value.origin or title or tr("weight")
    return [PageSpec(tr("Weights"), lambda: WeightsPage(Weightings.of([(name, value)])))]


def _of_performance(value: PerformanceVector, title: str) -> list[PageSpec]:
    return [PageSpec(tr("Performance"), lambda: PerformancePage(value))]


def _of_stability(value: StabilityResult, title: str) -> list[PageSpec]:
    frequency = AttributeWeights(value.names, value.frequency)
    titled = Weightings.of([(tr("fraction of selections"), frequency)])
    return [
        PageSpec(tr("How often"), lambda: WeightsPage(titled)),
        _frame(tr("Agreement"), value, title),
    ]


def _of_steps(value: Traced, title: str) -> list[PageSpec]:
    return [
        _frame(tr(value.main_title), value, title, lambda: value.main_step()[1]),
        _frame(tr("All steps"), value, title),
    ]


def _of_model(value: Model, title: str) -> list[PageSpec]:
    if isinstance(value, GroupedModel):
        return [PageSpec(tr("Models"), lambda: CollectionPage(Collection(value.models), title))]
    pages = []
    tree = tree_text(value)
    if tree:
        pages.append(PageSpec(tr("Tree"), lambda: TextPage(tree, tr("Decision tree"))))
    weights = weights_of(value)
    if weights is not None:
        pages += _of_weights(weights, title)
    return [*pages, _text(value), _frame(tr("Attributes"), value, title)]


def _of_collection(value: Collection[FlowObject], title: str) -> list[PageSpec]:
    pages = [PageSpec(tr("Elements"), lambda: CollectionPage(value, title))]
    if len(value) > 1 and all(isinstance(item, AttributeWeights) for item in value):
        weights: list[Any] = list(value)
        titled = [(item.origin or str(n), item) for n, item in enumerate(weights, 1)]
        side = PageSpec(tr("Side by side"), lambda: WeightsPage(Weightings.of(titled)))
        return [side, *pages]
    if len(value) > 1 and all(isinstance(item, PerformanceVector) for item in value):
        performances: list[Any] = list(value)
        named = [(str(n), item) for n, item in enumerate(performances, 1)]

        def compared() -> Page:
            return TablePage(performances_table(named), title, kinds=False)

        return [PageSpec(tr("Side by side"), compared), *pages]
    return pages


_OWN: tuple[tuple[type, Callable[[Any, str], list[PageSpec]]], ...] = (
    (StreamedExampleSet, _of_streamed),
    (ExampleSet, _of_table),
    (AttributeWeights, _of_weights),
    (PerformanceVector, _of_performance),
    (StabilityResult, _of_stability),
    (Traced, _of_steps),
    (Model, _of_model),
    (Collection, _of_collection),
)
"""By type of result: its own views. All others have figures, a table, and text."""
_FIGURES_FIRST = (StabilityResult, Traced)


def makers_of(value: FlowObject) -> Sequence[FigureMaker]:
    """Return the figures that suit a result; of a large table that takes a moment."""
    from fsops.plots import figures_for

    return figures_for(value)


class ResultView(QTabWidget):
    """All views of one result; each is made when it is first looked at.

    Parameters
    ----------
    value : FlowObject
    title : str
    pages : list of PageSpec
        What `pages_of` has found in a thread.
    """

    said = pyqtSignal(str)
    compare_wanted = pyqtSignal(str, object)

    def __init__(self, value: FlowObject, title: str, pages: list[PageSpec]) -> None:
        super().__init__()
        self.value, self.title = value, title
        self._specs = pages
        self.setTabPosition(QTabWidget.TabPosition.North)
        self.setDocumentMode(True)
        self.setAccessibleName(title or value.title)
        for spec in self._specs:
            self.addTab(QWidget(), spec.title)
        self.currentChanged.connect(self.page)
        self.page(0)

    def page(self, index: int) -> Page | None:
        """Return a view; make it when it is first shown."""
        holder = self.widget(index)
        if holder is None:
            return None
        if holder.layout() is None:
            page = self._specs[index].make()
            page.said.connect(self.said)
            page.compare_wanted.connect(self._pass_on)
            filled(holder, page)
        return holder.findChild(Page, options=Qt.FindChildOption.FindDirectChildrenOnly)

    def _pass_on(self, title: str, weights: object) -> None:
        self.compare_wanted.emit(title or self.title, weights)

    def current_page(self) -> Page | None:
        """Return the view that is shown."""
        return self.page(self.currentIndex())

    def minimumSizeHint(self) -> QSize:
        """Return a size that lets the panel around be small."""
        return QSize(200, 120)


def _without_twins(specs: list[PageSpec]) -> list[PageSpec]:
    """Return each view once, by its title."""
    first: dict[str, PageSpec] = {}
    for spec in specs:
        first.setdefault(spec.title, spec)
    return list(first.values())


class CollectionPage(Page):
    """The elements of a collection: a list, and beside it the chosen one."""

    def __init__(self, collection: Collection[FlowObject], title: str) -> None:
        super().__init__()
        self._items, self._title = collection.items, title
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Elements"))
        for number, item in enumerate(self._items, 1):
            name = getattr(item, "origin", "") or item.title
            self.list.addItem(f"{number}. {name}: {content_line(item)}")
        self.place = QWidget()
        QVBoxLayout(self.place).setContentsMargins(0, 0, 0, 0)
        self.shown: ResultView | None = None
        splitter = QSplitter()
        splitter.addWidget(self.list)
        splitter.addWidget(self.place)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([240, 640])
        filled(self, splitter)
        self.list.currentRowChanged.connect(self._choose)
        if self._items:
            self.list.setCurrentRow(0)

    def _choose(self, row: int) -> None:
        layout = self.place.layout()
        assert layout is not None
        if self.shown is not None:
            layout.removeWidget(self.shown)
            self.shown.deleteLater()
            self.shown = None
        if 0 <= row < len(self._items):
            item, title = self._items[row], self._title_of(row)
            in_background(self, lambda: pages_of(item, title), lambda p: self._show(row, p))

    def _title_of(self, row: int) -> str:
        return f"{self._title} {row + 1}".strip()

    def _show(self, row: int, pages: list[PageSpec]) -> None:
        """Show an element, unless the user has chosen another one meanwhile."""
        layout = self.place.layout()
        assert layout is not None
        if self.shown is not None or row != self.list.currentRow():
            return
        self.shown = ResultView(self._items[row], self._title_of(row), pages)
        self.shown.said.connect(self.said)
        self.shown.compare_wanted.connect(self.compare_wanted)
        layout.addWidget(self.shown)

    def cells(self) -> Cells | None:
        """Return the text of the chosen element."""
        page = self.shown.current_page() if self.shown is not None else None
        return None if page is None else page.cells()
