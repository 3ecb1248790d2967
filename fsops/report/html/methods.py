"""How a run was done, in words for the methods section of a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from fsops.core.checks.propagation import canonical
from fsops.core.declare.parameters import value_text
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.core.operator import Operator
from fsops.report.escaping import visible
from fsops.report.helptext import REFERENCES, Block, blocks_of, inline_parts
from fsops.report.mathml import formula_mathml
from fsops.report.numbers import count_text, counted
from fsops.report.summary import TableSummary

MOST_CLASSES = 10  # named one by one
LONGEST_VALUE = 60
PLAIN_ROLES = frozenset({Role.SOURCE, Role.CONTROL, Role.UTILITY})
"""Operators with these roles need no explanation."""

_TAGS = {"code": "code", "name": "code", "strong": "strong", "emphasis": "em"}


@dataclass
class References:
    """The works that operators cite, each with its number."""

    works: list[str] = field(default_factory=list)

    def number(self, work: str) -> int:
        """Return the number of a work, a new one at its first mention."""
        if work not in self.works:
            self.works.append(work)
        return self.works.index(work) + 1


@dataclass(frozen=True)
class Method:
    """An operator: its title, its help as HTML, and the numbers of its references."""

    title: str
    html: str
    cited: tuple[int, ...]


@dataclass(frozen=True)
class Methods:
    """A text about a run, with the methods it used and the works they cite."""

    paragraphs: tuple[str, ...]
    methods: tuple[Method, ...]
    references: tuple[str, ...]


def methods_of(
    process: Process, tables: Sequence[TableSummary], versions: Mapping[str, str], seed: int
) -> Methods:
    """Return how a process was carried out.

    Parameters
    ----------
    process : Process
    tables : sequence of TableSummary
        The data it began with.
    versions : mapping of str to str
        The programs that computed it.
    seed : int
    """
    references = References()
    used = dict.fromkeys(n.operator for n in process.walk() if _runs(n) and _is_method(n.operator))
    methods = [_method(spec, references) for spec in used]
    cited = {spec.key: method.cited for spec, method in zip(used, methods, strict=True)}
    paragraphs = [*map(about_table, tables), *_steps(process, cited), _software(versions, seed)]
    return Methods(tuple(paragraphs), tuple(methods), tuple(references.works))


def _is_method(spec: Operator) -> bool:
    return bool(spec.help) and spec.role not in PLAIN_ROLES


def _runs(node: Node) -> bool:
    owner = node.process.owner
    return node.enabled and (owner is None or _runs(owner))


# --- the text -------------------------------------------------------------------------------


def about_table(table: TableSummary) -> str:
    """Return a table in one or two sentences."""
    kinds = [f"{counted(count, f'{kind} attribute')}" for kind, count in table.types.items()]
    text = f"The table of {visible(table.name)} has {_joined([counted(table.rows, 'row'), *kinds])}"
    if table.label is not None:
        text += f' and the label "{visible(table.label)}"'
    if table.classes:
        shown = [f"{visible(c)} {count_text(n)}" for c, n in table.classes[:MOST_CLASSES]]
        more = ["…"] if len(table.classes) > MOST_CLASSES else []
        text += f" with {len(table.classes)} classes ({', '.join(shown + more)})"
    if table.missing is None:
        return f"{text}."
    count = sum(table.missing.values())
    missing = (
        "no value is" if not count else counted(count, "value") + (" is" if count == 1 else " are")
    )
    where = f" in {counted(len(table.missing), 'attribute')}" if count else ""
    return f"{text}; {missing} missing{where}."


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _steps(process: Process, cited: Mapping[str, tuple[int, ...]]) -> Iterator[str]:
    """Return a sentence for each level: its operators in the order they run."""
    nodes = [node for node in _order(process) if node.enabled]
    if nodes:
        listed = "; ".join(_step(node, cited) for node in nodes)
        if process.owner is None:
            yield f"Steps: {listed}."
        else:
            inside = f"{visible(process.owner.name)}, {visible(process.name)}"
            yield f"Inside of {inside}: {listed}."
    for node in nodes:
        for inner in node.subprocesses:
            yield from _steps(inner, cited)


def _order(process: Process) -> list[Node]:
    return list(process) if process.cycle() else process.order()


def _step(node: Node, cited: Mapping[str, tuple[int, ...]]) -> str:
    title = node.operator.title
    text = visible(node.name)
    if not node.name.startswith(title):
        text += f" ({title})"
    settings = [f"{name.replace('_', ' ')} {short_value(v)}" for name, v in canonical(node).items()]
    if settings:
        text += f" with {', '.join(settings)}"
    numbers = cited.get(node.operator.key, ())
    return text + (f" [{', '.join(map(str, numbers))}]" if numbers else "")


def short_value(value: Any) -> str:
    """Return a parameter's value on one line, cut if it is long."""
    text = visible(_listed(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[: LONGEST_VALUE - 1]}…"


def _listed(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{_listed(key)}: {_listed(item)}" for key, item in value.items())
    if isinstance(value, tuple) and len(value) == 2:  # an entry of a list in a file
        return f"{_listed(value[0])}: {_listed(value[1])}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_listed, value))
    return value_text(value)


def _software(versions: Mapping[str, str], seed: int) -> str:
    listed = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"Computed with {listed}; all random numbers come from the seed {seed}."


# --- the methods ----------------------------------------------------------------------------


def _method(spec: Operator, references: References) -> Method:
    cited: list[int] = []
    shown: list[Block] = []
    in_references = False
    for block in blocks_of(spec.help):
        if block.kind == "heading":
            in_references = block.text == REFERENCES
            if not in_references:
                shown.append(block)
        elif in_references:
            cited.append(references.number(block.text))
        else:
            shown.append(block)
    return Method(spec.title, "".join(map(_as_html, shown)), tuple(dict.fromkeys(cited)))


_BLOCKS: Mapping[str, Callable[[str], str]] = {
    "paragraph": lambda text: f"<p>{_inline(text)}</p>",
    "heading": lambda text: f"<p><strong>{escape(text)}</strong></p>",
    "item": lambda text: f"<ul><li>{_inline(text)}</li></ul>",
    "formula": lambda text: f'<div class="formula">{formula_mathml(text)}</div>',
    "code": lambda text: f"<pre><code>{escape(text)}</code></pre>",
}


def _as_html(block: Block) -> str:
    return _BLOCKS[block.kind](visible(block.text, keep_lines=block.kind == "code"))


def _inline(text: str) -> str:
    return "".join(_marked(kind, content) for kind, content in inline_parts(text))


def _marked(kind: str, content: str) -> str:
    if kind == "math":
        return formula_mathml(content, block=False)
    tag = _TAGS.get(kind)
    return f"<{tag}>{escape(content)}</{tag}>" if tag else escape(content)
