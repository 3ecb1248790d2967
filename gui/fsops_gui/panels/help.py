"""Help: an operator's docstring, ports and parameters as a page."""

from __future__ import annotations

from html import escape

from PyQt6.QtWidgets import QTextBrowser

from fsops.core.operator import Operator
from fsops.core.parameters import value_text
from fsops.report.formula import formula_text
from fsops.report.helptext import blocks_of, inline_parts
from fsops_gui.texts import tr

_TAGS = {"code": "code", "name": "code", "strong": "b", "emphasis": "i", "math": "i"}


def help_html(operator: Operator) -> str:
    """Return the help page of an operator."""
    parts = [f"<h3>{escape(operator.title)}</h3>", f"<p><i>{escape(operator.group)}</i></p>"]
    in_list = False
    for block in blocks_of(operator.help):
        if (block.kind == "item") != in_list:
            parts.append("<ul>" if block.kind == "item" else "</ul>")
            in_list = block.kind == "item"
        parts.append(_block(block.kind, block.text))
    parts += ["</ul>"] if in_list else []
    parts += _ports(operator) + _parameters(operator)
    if operator.aliases.keys:
        names = ", ".join(escape(key) for key in operator.aliases.keys)
        parts.append(f"<p>{escape(tr('In RapidMiner:'))} {names}</p>")
    parts.append(f"<p><code>{escape(operator.key)}</code></p>")
    return "".join(parts)


def _block(kind: str, text: str) -> str:
    if kind == "heading":
        return f"<h4>{escape(text)}</h4>"
    if kind == "formula":
        lines = "<br>".join(escape(line) for line in formula_text(text).split("\n"))
        return f'<p style="margin-left: 16px"><i>{lines}</i></p>'
    if kind == "code":
        return f"<pre>{escape(text)}</pre>"
    return f"<li>{inline_html(text)}</li>" if kind == "item" else f"<p>{inline_html(text)}</p>"


def inline_html(text: str) -> str:
    """Return a paragraph of a docstring as HTML."""
    parts = []
    for kind, content in inline_parts(text):
        shown = escape(formula_text(content) if kind == "math" else content)
        tag = _TAGS.get(kind)
        parts.append(f"<{tag}>{shown}</{tag}>" if tag else shown)
    return "".join(parts)


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
    parts = [f"<h4>{escape(tr('Parameters'))}</h4>"] if operator.parameters else []
    for parameter in operator.parameters:
        default = (
            tr("must be set")
            if parameter.required
            else tr("default: {value}", value=value_text(parameter.default) or tr("empty"))
        )
        when = f" {tr('Only if {condition}.', condition=parameter.when)}" if parameter.when else ""
        parts.append(
            f"<p><b>{escape(parameter.name)}</b> ({escape(parameter.allowed())}; "
            f"{escape(default)})<br>{inline_html(parameter.description)}{escape(when)}</p>"
        )
    return parts


class HelpPanel(QTextBrowser):
    """Shows the help of one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenExternalLinks(True)
        self.setAccessibleName(tr("Help"))
        self.operator: Operator | None = None
        self.show_operator(None)

    def show_operator(self, operator: Operator | None) -> None:
        """Show the help of an operator."""
        if operator is None:
            self.setHtml(f"<p>{escape(tr('Select an operator to read what it does.'))}</p>")
        elif operator is not self.operator:
            self.setHtml(help_html(operator))
        self.operator = operator
