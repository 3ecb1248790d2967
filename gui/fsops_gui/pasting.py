"""Finding a process in a text that somebody copied: from a file, a mail, a page. No Qt here."""

from __future__ import annotations

import re

from fsops.core.graph.process import Process
from fsops.errors import ProcessFileError
from fsops.storage.process_reader import parse_process
from fsops_gui.texts import tr

_PROCESS = re.compile(r"<process\b.*</process\s*>", re.DOTALL)
_OPERATORS = re.compile(r"<operator\b.*(?:</operator\s*>|/>)", re.DOTALL)
_QUOTED = re.compile(r"^[ \t]*((?:>[ \t]?)+)[ \t]*<(?:\?xml|process|operator)\b", re.MULTILINE)
_AROUND = (
    '<process><operator class="process" name="Process"><process>{}</process></operator></process>'
)


def process_in(text: str) -> Process:
    """Return the process a text holds; words around it and the quote marks of a mail are left out.

    Operators without a process around them will do as well.
    """
    plain = _unquoted(text.replace("\u00a0", " "))
    whole = _PROCESS.search(plain)
    operators = _OPERATORS.search(plain)
    if operators is not None and (whole is None or operators.start() < whole.start()):
        return parse_process(_AROUND.format(operators.group()).encode())
    if whole is None:
        raise ProcessFileError(
            tr("The clipboard holds no process."),
            hint=tr("Copy operators first, or the text of a process file."),
        )
    return parse_process(whole.group().encode())


def _unquoted(text: str) -> str:
    """Return a text without the marks at the left that a mail puts before what it quotes."""
    marks = _QUOTED.search(text)
    if marks is None:
        return text
    depth = marks.group(1).count(">")
    return re.sub(rf"^[ \t]*(?:>[ \t]?){{1,{depth}}}", "", text, flags=re.MULTILINE)
