"""Writes a page for every operator, from its declaration, before Sphinx reads the pages.

`fsops describe`, the help of the designer and these pages show the same declaration.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from operator_examples import program_of, python_example, run_program
from operator_table import table_lines

from fsops.cli.output.operator_page import default_text, example_xml, needs
from fsops.core import Operator, Port, Process
from fsops.core.declare.parameters import Parameter
from fsops.core.declare.ports import SubprocessPort
from fsops.examples import Example, find_examples
from fsops.plugins import plugins
from fsops.report.helptext import Block, blocks_of, inline_parts
from fsops.report.picture import process_svg
from fsops.sklearn.declared import class_name, is_selector
from fsops.storage import read_process
from fsops.storage.rapidminer.catalogue import CORE, difference
from fsops.storage.rapidminer.importer import known_as

FOLDER = "operators"
_MARKS = {"code": "`", "name": "`", "strong": "**", "emphasis": "*", "math": "$"}
_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>#|$~"})


def setup(app: Any) -> dict[str, bool]:
    """Connect this extension with Sphinx."""
    app.connect("builder-inited", _write_all_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _write_all_pages(app: Any) -> None:
    built_in = [spec for spec in plugins().registry if not spec.prefix]
    write_pages(Path(app.srcdir) / FOLDER, built_in)


def write_pages(folder: Path, operators: Sequence[Operator]) -> None:
    """Write a page for each operator, a page that lists them by group, and the pictures."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shown = _smallest_examples(find_examples())
    theirs = _names_in_rapidminer()
    for example, process in dict(shown.values()).items():
        (folder / f"{_file_name(example)}.svg").write_text(process_svg(process), encoding="utf-8")
    for spec in operators:
        page = page_of(spec, folder, shown.get(spec.key, (None,))[0], theirs[spec.key])
        (folder / f"{spec.key}.md").write_text("\n".join(page), encoding="utf-8")
    (folder / "abilities.txt").write_text("\n".join(table_lines(operators)), encoding="utf-8")
    (folder / "index.md").write_text("\n".join(_index(operators)), encoding="utf-8")


def _smallest_examples(examples: Iterable[Example]) -> dict[str, tuple[Example, Process]]:
    """Return, for each operator, the smallest ready process that uses it: the easiest to read."""
    best: dict[str, tuple[Example, Process]] = {}
    sizes: dict[str, int] = {}
    for example in examples:
        process = read_process(example.file, plugins().registry)
        nodes = list(process.walk())
        for key in {node.operator.key for node in nodes}:
            if len(nodes) < sizes.get(key, 1_000):
                best[key], sizes[key] = (example, process), len(nodes)
    return best


def _names_in_rapidminer() -> dict[str, list[str]]:
    """Return RapidMiner's keys of each operator."""
    names: dict[str, list[str]] = defaultdict(list)
    for theirs in sorted(chain.from_iterable(text.split() for text in CORE.values())):
        ours = known_as(theirs, plugins().registry)
        if ours is not None:
            names[ours.key].append(theirs)
    return names


def _file_name(example: Example) -> str:
    return "process_" + example.name.replace("/", "_")


# --- the list -----------------------------------------------------------------------------------


def _index(operators: Iterable[Operator]) -> Iterator[str]:
    groups: dict[str, list[Operator]] = defaultdict(list)
    for spec in operators:
        groups[spec.group].append(spec)
    yield "# Operators"
    yield ""
    yield f"fsops has {sum(map(len, groups.values()))} built-in operators. Each has a page."
    for group, members in groups.items():
        yield f"\n## {' / '.join(group.split('/'))}\n"
        yield "| operator | what it does |\n|---|---|"
        for spec in sorted(members, key=lambda spec: spec.title.lower()):
            yield f"| [{plain(spec.title)}]({spec.key}.md) | {inline(spec.summary)} |"


# --- a page -------------------------------------------------------------------------------------


def page_of(
    spec: Operator, folder: Path, example: Example | None, in_rapidminer: Iterable[str]
) -> Iterator[str]:
    """Return the lines of an operator's page; the figure of its example is written to a folder.

    The pages are not in the table of contents, which would repeat them all on every page.
    """
    yield "---\norphan: true\n---\n"
    yield f"# {plain(spec.title)}\n"
    yield f"`{spec.key}` · {spec.group.replace('/', ' / ')} · {spec.role.replace('_', ' ')}\n"
    about, references = _divided(list(blocks_of(spec.help)))
    yield from chain.from_iterable(map(_block, about))
    yield from _ports("Inputs", spec.inputs, spec)
    yield from _inner_processes(spec.subprocesses)
    yield from _ports("Outputs", spec.outputs, spec)
    yield from _parameters(spec.parameters)
    yield from _example(spec, folder, example)
    yield from _elsewhere(spec, in_rapidminer)
    yield from chain.from_iterable(map(_block, references))
    yield "[All operators](index.md)\n"


def _divided(blocks: list[Block]) -> tuple[list[Block], list[Block]]:
    """Return the description and the references, which go to the end of a page."""
    heading = Block("heading", "References")
    at = blocks.index(heading) if heading in blocks else len(blocks)
    return blocks[:at], blocks[at:]


def plain(text: str) -> str:
    """Return a text whose characters mean nothing to Markdown."""
    return " ".join(text.split()).translate(_SPECIAL)


def inline(text: str) -> str:
    """Return a paragraph of a docstring as Markdown."""
    parts = []
    for kind, content in inline_parts(text):
        mark = _MARKS.get(kind, "")
        text = " ".join(content.split()) if mark else content.translate(_SPECIAL)
        parts.append(f"{mark}{text}{mark}")
    return " ".join("".join(parts).split("\n"))


def _block(block: Block) -> Iterator[str]:
    if block.kind == "heading":
        yield f"## {plain(block.text)}\n"
    elif block.kind == "code":
        yield f"```\n{block.text}\n```\n"
    elif block.kind == "formula":
        yield f"```{{math}}\n{block.text}\n```\n"
    else:
        yield f"{'- ' if block.kind == 'item' else ''}{inline(block.text)}\n"


def _ports(title: str, ports: Iterable[Port], spec: Operator) -> Iterator[str]:
    rows = [f"- {_port(port)}{_accepted(spec, port, title)}" for port in ports]
    if rows:
        yield "\n".join([f"## {title}\n", *rows, ""])


def _port(port: Port) -> str:
    kind = port.type.title.lower()
    kind += ", any number" if port.many else ", optional" if port.optional else ""
    return f"`{port.name}` ({kind})" + (f": {inline(port.description)}" if port.description else "")


def _accepted(spec: Operator, port: Port, title: str) -> str:
    accepts = spec.accepts.get(port.name) if title == "Inputs" else None
    return f" {needs(accepts)}" if accepts is not None else ""


def _inner_processes(inner: Iterable[SubprocessPort]) -> Iterator[str]:
    for number, sub in enumerate(inner):
        if not number:
            yield "## Inner processes\n"
        about = f": {inline(sub.description)}" if sub.description else ""
        yield f"**{plain(sub.title())}**{about}\n"
        yield from (f"- gets {_port(port)}" for port in sub.sources)
        yield from (f"- returns {_port(port)}" for port in sub.sinks)
        yield ""


def _parameters(parameters: Iterable[Parameter]) -> Iterator[str]:
    rows = [_parameter(parameter) for parameter in parameters]
    if rows:
        yield "\n".join(["## Parameters\n", *rows, ""])


def _parameter(parameter: Parameter) -> str:
    facts = [parameter.allowed()]
    facts += [f"only if {parameter.when}"] if parameter.when else []
    facts += ["expert"] if parameter.expert else []
    lines = [f"`{parameter.name}` = {plain(default_text(parameter))}"]
    lines += [f": {inline(parameter.description)}"] if parameter.description else []
    lines.append(f": *{plain('; '.join(facts))}*")
    return "\n".join(lines) + "\n"


def _example(spec: Operator, folder: Path, example: Example | None) -> Iterator[str]:
    yield "## Example\n"
    program = program_of(spec)
    finished = run_program(program)
    yield from python_example(program, finished)
    figure = finished.figure()
    if figure is not None:
        title, picture = figure
        (folder / f"{spec.key}.svg").write_bytes(picture)
        yield f"```{{figure}} {spec.key}.svg\n:alt: {title}\n:figclass: result\n"
        yield f"{plain(title)}\n```\n"
    if example is not None:
        yield f"A process that uses it, `{example.name}.xml`: {inline(example.about())}\n"
        yield f"![The process {example.name}]({_file_name(example)}.svg)\n"
        yield f"```sh\nfsops run processes/{example.name}.xml\n```\n"
    yield "In a process file:\n"
    yield f"```xml\n{example_xml(spec)}\n```\n"


def _elsewhere(spec: Operator, in_rapidminer: Iterable[str]) -> Iterator[str]:
    """Return the names of the operator in scikit-learn, in RapidMiner and in earlier files."""
    yield "## Elsewhere\n"
    if is_selector(spec):
        yield f"- scikit-learn: `from fsops.sklearn import {class_name(spec.key)}`"
    else:
        yield "- scikit-learn: `fsops.sklearn.ProcessEstimator` runs a process with this operator"
    names = [*in_rapidminer]
    for name in names:
        change = difference(name)
        yield f"- RapidMiner: `{name}`" + (f". {plain(change)}" if change else "")
    if not names:
        yield "- RapidMiner: no operator of its core corresponds to it"
    further = ", ".join(f"`{key}`" for key in spec.aliases.keys if key not in names)
    if further:
        yield f"- Also read in process files: {further}"
    yield ""
