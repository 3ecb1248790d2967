"""Help: an operator's docstring, ports and parameters as a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from html import escape
from itertools import chain

from PyQt6.QtCore import QEvent, QTimer, QUrl, pyqtSignal
from PyQt6.QtGui import QDesktopServices, QImage, QPalette, QResizeEvent
from PyQt6.QtWidgets import QTextBrowser

from fsops.core.checks.problems import Kind
from fsops.core.declare.parameters import value_text
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.manual import manual_page, operator_page
from fsops.report.formula import formula_text
from fsops.report.helptext import blocks_of, inline_parts
from fsops_gui.base.background import in_background
from fsops_gui.base.texts import tr
from fsops_gui.canvas.tips import role_text
from fsops_gui.dialogs.examples import examples, examples_of

_TAGS = {"code": "code", "name": "code", "strong": "b", "emphasis": "i", "math": "i"}
_ADDRESS = re.compile(r"(https?://[^\s<>\"]*[^\s<>\".,;)])|\b(10\.\d{4,}/[^\s<>\"]*[^\s<>\".,;)])")
RELATED = 6
EXAMPLES = 3
INDENT = 14
SMALLEST = 0.7
"""How much a formula is made smaller to fit; a wider one can be scrolled to."""

Formula = Callable[[str], str]
"""From LaTeX to HTML."""


def _formula_as_text(latex: str) -> str:
    lines = "<br>".join(escape(line) for line in formula_text(latex).split("\n"))
    return f"<i>{lines}</i>"


def help_html(operator: Operator, formula: Formula = _formula_as_text) -> str:
    """Return the help page of an operator."""
    place = f"{operator.group} · {role_text(operator.role)}"
    parts = [f"<h3>{escape(operator.title)}</h3>", f"<p><i>{escape(place)}</i></p>"]
    in_list = False
    for block in blocks_of(operator.help):
        if (block.kind == "item") != in_list:
            parts.append("<ul>" if block.kind == "item" else "</ul>")
            in_list = block.kind == "item"
        if block.kind == "formula":
            parts.append(f'<p style="margin-left: {INDENT}px">{formula(block.text)}</p>')
        else:
            parts.append(_block(block.kind, block.text))
    parts += ["</ul>"] if in_list else []
    parts += _ports(operator) + _parameters(operator) + _examples(operator)
    if operator.aliases.keys:
        names = ", ".join(escape(key) for key in operator.aliases.keys)
        parts.append(f"<p>{escape(tr('In RapidMiner:'))} {names}</p>")
    parts.append(f"<p>{escape(tr('In files and Python:'))} <code>{escape(operator.key)}</code></p>")
    if operator_page(operator.key) is not None:
        text = escape(tr("Page of the documentation, with an example and its result"))
        parts.append(f'<p><a href="manual:{escape(operator.key)}">{text}</a></p>')
    return "".join(parts)


def _block(kind: str, text: str) -> str:
    if kind == "heading":
        return f"<h4>{escape(text)}</h4>"
    if kind == "code":
        return f"<pre>{escape(text)}</pre>"
    return f"<li>{inline_html(text)}</li>" if kind == "item" else f"<p>{inline_html(text)}</p>"


def inline_html(text: str) -> str:
    """Return a paragraph of a docstring as HTML."""
    parts = []
    for kind, content in inline_parts(text):
        shown = escape(formula_text(content) if kind == "math" else content, quote=False)
        tag = _TAGS.get(kind)
        parts.append(f"<{tag}>{shown}</{tag}>" if tag else _ADDRESS.sub(_linked, shown))
    return "".join(parts)


def _linked(match: re.Match[str]) -> str:
    """Return the address of a page, or the DOI of a paper, as a link."""
    target = match[1] or f"https://doi.org/{match[2]}"
    return f'<a href="{escape(target)}">{match[0]}</a>'


def _ports(operator: Operator) -> list[str]:
    parts: list[str] = []
    for title, ports in ((tr("Inputs"), operator.inputs), (tr("Outputs"), operator.outputs)):
        if ports:
            parts.append(f"<h4>{escape(title)}</h4>")
            for port in ports:
                text = inline_html(port.describe())
                parts.append(f"<p><b>{escape(port.name)}</b>: {text}</p>")
    if operator.subprocesses:
        parts.append(f"<h4>{escape(tr('Inner processes'))}</h4>")
        for inner in operator.subprocesses:
            gives = ", ".join(port.name for port in inner.sinks)
            takes = ", ".join(port.name for port in inner.sources)
            flow = escape(f"{takes} → {gives}")
            text = inline_html(inner.description)
            parts.append(f"<p><b>{escape(inner.title())}</b>: {flow}. {text}</p>")
    return parts


def _parameters(operator: Operator) -> list[str]:
    if not operator.parameters:
        return []
    rows = []
    for parameter in operator.parameters:
        default = (
            tr("must be set")
            if parameter.required
            else tr("default: {value}", value=value_text(parameter.default) or tr("empty"))
        )
        when = f" {tr('Only if {condition}.', condition=parameter.when)}" if parameter.when else ""
        about = f"<b>{escape(parameter.name)}</b><br>{inline_html(parameter.description)}"
        values = escape(f"{parameter.allowed()}; {default}.{when}")
        rows.append(f"<tr><td>{about}<br><small>{values}</small></td></tr>")
    table = '<table width="100%" cellspacing="0" cellpadding="4" border="0">'
    return [f"<h4>{escape(tr('Parameters'))}</h4>", table, *rows, "</table>"]


def _examples(operator: Operator) -> list[str]:
    found = examples_of(operator)[:EXAMPLES]
    if not found:
        return []
    parts = [f"<h4>{escape(tr('Example processes'))}</h4>"]
    for example in found:
        name = escape(example.file.stem)
        parts.append(
            f"<p><b>{escape(example.title)}</b>: {escape(example.sentence)}<br>"
            f'<a href="example:{name}">{escape(tr("Open a copy"))}</a> · '
            f'<a href="insert:{name}">{escape(tr("Insert example process"))}</a></p>'
        )
    return parts


def related(operator: Operator, registry: Registry) -> list[Operator]:
    """Return operators that do something alike: of the same group, with the same rare words."""
    words = {spec.key: _words(spec) for spec in registry}
    common = Counter(chain.from_iterable(words.values()))
    of_this = _words(operator)  # which may be missing from the registry

    def likeness(other: Operator) -> float:
        shared = sum(1 / common[word] for word in of_this & words[other.key])
        return shared + 0.1 * (other.group == operator.group)

    others = [spec for spec in registry if spec is not operator]
    best = sorted(others, key=likeness, reverse=True)[:RELATED]
    return [spec for spec in best if likeness(spec) >= 0.1]


def _words(operator: Operator) -> set[str]:
    """Return the words of the title and the tags."""
    return set(re.findall(r"\w+", " ".join((operator.title, *operator.tags)).lower()))


def _width(image: QImage) -> float:
    """Return how wide a picture is on the screen."""
    return image.width() / image.devicePixelRatio()


class HelpPanel(QTextBrowser):
    """Shows the help of one operator."""

    example_wanted = pyqtSignal(object)
    """The `Path` of an example to open."""
    insert_wanted = pyqtSignal(object)
    """The `Path` of an example whose operators are to be put into the process."""

    def __init__(self, registry: Registry | None = None) -> None:
        super().__init__()
        self._registry = registry
        self._formulas: list[tuple[str, float]] = []
        self._width = 0
        self.setOpenLinks(False)
        self.anchorClicked.connect(self._follow)
        self.setAccessibleName(tr("Help"))
        self.setViewportMargins(10, 4, 4, 0)  # in line with the title of the panel
        self.operator: Operator | None = None
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(150)
        self._again.timeout.connect(self._lay_out)
        self.show_operator(None)

    def show_process(self, name: str, about: str) -> None:
        """Show the description of a process, as its author has written it."""
        self._formulas = []
        self.operator = None
        lines = "".join(f"<p>{escape(line)}</p>" for line in about.splitlines() if line.strip())
        hint = f"<p><i>{escape(tr('Select an operator to read its help.'))}</i></p>"
        self.setHtml((f"<h3>{escape(name)}</h3>{lines}" if lines else "") + hint)

    def explain(self, kind: Kind) -> None:
        """Show why a kind of problem matters, and run its demonstration in a thread."""
        from fsops.why import reason_for

        reason = reason_for(kind)
        if reason is None:
            return
        self._formulas = []
        self.operator = None
        page = f"<h3>{escape(reason.title)}</h3><p>{escape(reason.text)}</p>"
        head = f"<h4>{escape(tr('Demonstration on noise'))}</h4>"
        self.setHtml(f"{page}{head}<p><i>{escape(tr('Running…'))}</i></p>")

        def show(outcome: str) -> None:
            if reason.title in self.toPlainText():  # nothing else was asked for meanwhile
                self.setHtml(f"{page}{head}<p>{escape(outcome)}</p>")

        in_background(self, reason.demonstrate, show)

    def show_operator(self, operator: Operator | None) -> None:
        """Show the help of an operator."""
        if operator is None:
            self.show_process("", "")
        elif operator is not self.operator:
            self.operator = operator
            self._lay_out()

    def _lay_out(self) -> None:
        """Show the page in the width and colors there are."""
        if self.operator is None:
            return
        self._formulas = []
        self._width = self._room()
        html = help_html(self.operator, self._picture) + self._related()
        bar = self.verticalScrollBar()
        place = bar.value() if bar is not None else 0
        self.setHtml(html)
        if bar is not None:
            bar.setValue(place)

    def _room(self) -> int:
        # As if there were always a scroll bar: else it would come and go without end.
        bar = self.verticalScrollBar()
        beside = bar.sizeHint().width() if bar is not None else 0
        return max(160, self.width() - beside - 2 * INDENT - 12)

    def _related(self) -> str:
        if self.operator is None or self._registry is None:
            return ""
        links = [
            f'<a href="operator:{escape(spec.key)}">{escape(spec.title)}</a>'
            for spec in related(self.operator, self._registry)
        ]
        return f"<h4>{escape(tr('Related'))}</h4><p>{', '.join(links)}</p>" if links else ""

    # --- formulas ---------------------------------------------------------------------------

    def _picture(self, latex: str) -> str:
        """Return a formula as pictures, one under the other if it is too wide for one line."""
        whole = self._image(latex)
        parts = re.split(r",?\s*\\qquad\s*", latex)
        if _width(whole) <= self._width or len(parts) == 1:
            parts = [latex]
        tags = []
        for part in parts:
            scale = max(SMALLEST, min(1.0, self._width / _width(self._image(part))))
            image = self._image(part, scale)
            height = image.height() / image.devicePixelRatio()
            self._formulas.append((part, scale))
            tags.append(
                f'<img src="formula:{len(self._formulas) - 1}" width="{round(_width(image))}" '
                f'height="{round(height)}" alt="{escape(formula_text(part))}">'
            )
        return "<br>".join(tags)

    def _image(self, latex: str, scale: float = 1.0) -> QImage:
        from fsops_gui.widgets.formulas import formula_image  # not needed before the first formula

        colour = self.palette().color(QPalette.ColorRole.Text)
        size = 1.1 * self.fontMetrics().height() * scale
        return formula_image(latex, colour, size, self.devicePixelRatioF())

    def loadResource(self, type: int, name: QUrl) -> object:
        """Return the picture of a formula; nothing is read from elsewhere."""
        if name.scheme() == "formula":
            return self._image(*self._formulas[int(name.path())])
        return None

    def resizeEvent(self, e: QResizeEvent | None) -> None:
        """Set formulas again when the width changes."""
        super().resizeEvent(e)
        if self._formulas and abs(self._room() - self._width) > 8:
            self._again.start()

    def changeEvent(self, e: QEvent | None) -> None:
        """Set formulas again in the new colors."""
        super().changeEvent(e)
        if e is not None and e.type() == QEvent.Type.PaletteChange and self.operator is not None:
            self._again.start()

    # --- links ------------------------------------------------------------------------------

    def _follow(self, link: QUrl) -> None:
        kind, name = link.scheme(), link.path()
        if kind == "operator" and self._registry is not None:
            self.show_operator(self._registry.find(name))
        elif kind in ("example", "insert"):
            file = next((e.file for e in examples() if e.file.stem == name), None)
            if file is not None:
                wanted = self.example_wanted if kind == "example" else self.insert_wanted
                wanted.emit(file)
        elif kind == "manual":
            self.open_manual(name)
        elif kind in ("http", "https"):
            QDesktopServices.openUrl(link)

    def open_manual(self, key: str) -> None:
        """Open the page of an operator in the browser, or the first page of the documentation."""
        page = operator_page(key) or manual_page()
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(page)))
