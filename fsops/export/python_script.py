"""A process as a Python script that calls the operators as functions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_type_hints

from fsops.core.checks.propagation import Propagated, canonical, passed_through, propagate
from fsops.core.declare.parameters import Parameter, has_macro
from fsops.core.declare.ports import Port, SubprocessPort, find_port, port_order
from fsops.core.graph.process import Node, Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.core.operator import NAME, Operator
from fsops.data import MetaData
from fsops.errors import FsopsError, ParameterError, PortError, UsageError
from fsops.export.python_text import RESERVED, WIDTH, Names, bracketed, literal, slug
from fsops.plugins import plugins

NOTHING = "None"
METHODS = "method_names"  # without it, methods are called after their last operators
OPERATORS = "fsops.operators"
End = tuple[str, str]
"""A node and one of its outputs."""


def python_script(process: Process, *, source: str = "", folder: str = "") -> str:
    """Return a Python script with the same results as the process, bit for bit.

    Parameters
    ----------
    process : Process
    source : str
        Where the process comes from, for the head of the script.
    folder : str
        The folder of the process, seen from where the script will lie.
    """
    return Script(process, source, folder).text()


@dataclass
class ScriptFunction:
    """The lines of one function; its values by where they come out of the process."""

    names: Names
    lines: list[str] = field(default_factory=list)
    values: dict[End, str] = field(default_factory=dict)

    def remark(self, text: str) -> None:
        """Write a comment."""
        for paragraph in text.splitlines():
            self.lines += [f"# {line}" for line in textwrap.wrap(paragraph, WIDTH - 10)]

    def finish(self, returned: str) -> None:
        """Write the return statement; a name assigned just before is left out."""
        named = f"{returned} = "
        if self.lines and self.lines[-1].startswith(named):
            returned = self.lines.pop().removeprefix(named)
        self.lines.append(f"return {returned}")

    def at(self, end: End) -> str:
        """Return the expression for a value; None if no operator returns it."""
        return self.values.get(end, NOTHING)


class Script:
    """A script in the making."""

    PROMISE = "it gives the same results, bit for bit."
    RESERVED = frozenset(RESERVED)

    def __init__(self, process: Process, source: str, folder: str) -> None:
        self.process = process
        self.source = source
        self.folder = folder
        nodes = list(process.walk())
        self.known: Propagated = propagate(process) if _has_disabled(nodes) else Propagated()
        self.texts = " ".join(str(node.parameters) for node in nodes)
        self.imports: dict[str, set[str]] = {}
        self.functions: dict[str, str] = {}
        """Names of the functions so far, by their code."""
        self.called = _names_of_functions(nodes, self.RESERVED)
        """Local names of the operators' functions, by module and name."""
        self.names = Names(self.RESERVED | set(self.called.values()))
        self.uses_partial = False

    def text(self) -> str:
        """Return the whole script."""
        inputs = self.takes_inputs()
        main = self.main(inputs)
        functions = [f"def {name}{content}" for content, name in self.functions.items()]
        parts = [self._head(), self._import_lines(), *functions, main]
        if not inputs:
            parts.append(f'if __name__ == "__main__":\n    {self.shown()}')
        return "\n\n\n".join(parts).replace("\n\n\n", "\n\n", 1) + "\n"

    def shown(self) -> str:
        """Return the main part of the script."""
        return "for result in main():\n        print(result)"

    def _head(self) -> str:
        described = self.process.description.text if self.process.description else ""
        source = f" from {self.source}" if self.source else ""
        written = f"Written by fsops{source}; {self.PROMISE}"
        if self.takes_inputs():
            written += "\nCall main with the inputs of the process."
        words = [f"{self.process.name}.", described, written]
        paragraphs = [textwrap.fill(line, WIDTH) for text in words for line in [*text.splitlines()]]
        quoted = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', r"\"\"\"")
        return f'"""{quoted}\n"""'

    def _import_lines(self) -> str:
        lines = ["from functools import partial"] if self.uses_partial else []
        lines += ["from pathlib import Path"] if self._needs_folder() else []
        lines += [""] if lines else []
        foreign = sorted(module for module in self.imports if not module.startswith("fsops."))
        lines += [*map(self._import_line, foreign), ""] if foreign else []
        lines.append("import fsops")
        lines += map(self._import_line, sorted(self.imports.keys() - set(foreign)))
        return "\n".join(lines)

    def _import_line(self, module: str) -> str:
        names = sorted(self.imports[module])
        return bracketed(f"from {module} import ", "(", names, ")", plain=True)

    def takes_inputs(self) -> bool:
        """Return whether the process uses its inputs."""
        return bool(self.process.used_outputs(SOURCE))

    def main(self, inputs: bool) -> str:
        """Return the function that does all."""
        function = ScriptFunction(self.names.inside())
        if inputs:
            function.names.new("inputs")
        for port in self.process.used_outputs(SOURCE):
            function.values[SOURCE, port] = f"inputs[{port_order(port)[1] - 1}]"
        self.level(self.process, function)
        fed = self.process.incoming(SINK)
        results = [function.at(fed[port]) for port in sorted(fed, key=port_order)]
        function.lines.append(bracketed("return ", "[", results, "]"))
        run = bracketed("with fsops.running", "(", self.settings(), "):")
        body = textwrap.indent("\n".join(function.lines), "    ")
        block = textwrap.indent(f"{run}\n{body}", "    ")
        doc = '    """Return the results of the process."""'
        return f"def main({'*inputs' if inputs else ''}):\n{doc}\n{block}"

    def settings(self) -> list[str]:
        """Return the arguments of the run."""
        settings = [f"seed={self.process.seed}"]
        if self.process.macros:
            settings.append(f"macros={literal(self.process.macros)}")
        if self._needs_folder():
            inside = f" / {literal(self.folder)}" if self.folder not in ("", ".") else ""
            settings.append(f"folder=Path(__file__).parent{inside}")
        if "%{process_name}" in self.texts:
            settings.append(f"name={literal(self.process.name)}")
        return settings

    def _needs_folder(self) -> bool:
        return "%{process_path}" in self.texts or any(
            _is_relative_file(node, name, value)
            for node in self.process.walk()
            for name, value in canonical(node).items()
        )

    # --- one level ---------------------------------------------------------------------------

    def level(self, process: Process, function: ScriptFunction, but: Node | None = None) -> None:
        """Write the calls of one level, in the order in which a run makes them."""
        for note in process.notes:
            function.remark(note.text)
        for node in [node for node in process.order() if node is not but]:
            if node.enabled:
                check_installed(node)
                self._call(node, function)
            else:
                self._left_out(node, function)

    def _left_out(self, node: Node, function: ScriptFunction) -> None:
        """Pass on the inputs, as a disabled operator does."""
        function.remark(f"{node.name} is disabled.")
        known = self.known.inputs.get(node.name, {})
        fed = node.process.incoming(node.name)
        given = {
            port: (known.get(port, MetaData()), function.at(start))
            for port, start in fed.items()
            if function.at(start) != NOTHING
        }
        for port, (_, value) in passed_through(node, given, lambda pair: pair[0].type).items():
            function.values[node.name, port] = value

    def _call(self, node: Node, function: ScriptFunction) -> None:
        if node.note:
            function.remark(node.note.text)
        spec, used = node.operator, sorted(node.process.used_outputs(node.name), key=port_order)
        if spec.key == "multiply":  # in Python a value may be read any number of times
            fed = function.at(node.process.incoming(node.name).get("input", (node.name, "")))
            if fed == NOTHING:
                raise _missing("input", node)
            function.values.update({(node.name, port): fed for port in used})
            return
        arguments = self._arguments(node, function)
        reading = {port: _reading(spec, port) for port in used}
        assigned, read = "", ""
        if len(used) == 1:
            name = function.names.new(*_wanted_names(node, find_port(spec.outputs, used[0])))
            assigned, read = f"{name} = ", reading[used[0]]
            function.values[node.name, used[0]] = name
        elif used:
            name = function.names.new(*_wanted_names(node))
            assigned = f"{name} = "
            function.values.update({(node.name, port): name + reading[port] for port in used})
        call = bracketed(f"{assigned}{self.function(spec)}", "(", arguments, f"){read}")
        function.lines.append(call)

    def function(self, spec: Operator) -> str:
        """Return the name of the operator's function, and see that it is imported."""
        module, name = home = _home(spec)
        if "<locals>" in getattr(spec.function, "__qualname__", "") or module == "__main__":
            raise UsageError(
                f'"{spec.key}" is declared where no other script can import it.',
                hint="Move it into a module.",
            )
        called = self.called[home]
        imported = name if called == name else f"{name} as {called}"
        self.imports.setdefault(module, set()).add(imported)
        return called

    def _arguments(self, node: Node, function: ScriptFunction) -> list[str]:
        fed = node.process.incoming(node.name)
        values = {port: function.at(start) for port, start in fed.items()}
        given: list[str] = []
        in_order = True
        for port in node.operator.inputs:
            value = _listed(port, values) if port.many else values.get(port.name, NOTHING)
            if value in (NOTHING, "[]"):
                if not port.optional:
                    raise _missing(port.name, node)
                in_order = False
            else:
                given.append(value if in_order else f"{port.name}={value}")
        given += self._inner_arguments(node, function)
        return [*given, *self.parameters(node)]

    def parameters(self, node: Node) -> list[str]:
        """Return the parameters that differ from their defaults, and the name where it counts."""
        given = [
            f"{name}={_value(node, name, value)}"
            for name, value in canonical(node).items()
            if not _is_default(node, name, value)
        ]
        spec = node.operator
        if spec.key == "compare_feature_selections" and METHODS not in node.parameters:
            ends = [inner.incoming(SINK).get("weights") for inner in node.subprocesses[1:]]
            given.append(f"{METHODS}={literal([end[0] if end else '' for end in ends])}")
        # Whoever has a context may draw random numbers, which depend on the name.
        counts = spec.context or spec.subprocesses or node.name in self.texts
        if node.name == spec.title or not counts:
            return given
        return [*given, f"{NAME}={literal(node.name)}"]

    # --- inner processes ---------------------------------------------------------------------

    def _inner_arguments(self, node: Node, function: ScriptFunction) -> list[str]:
        many: dict[str, list[str]] = {}
        arguments = []
        for index, inner in enumerate(node.subprocesses):
            declared = node.declared_inner(index)
            if declared is None:
                continue
            value = self._as_operator(inner, declared, function) or self._inner(inner, declared)
            if declared.many:
                many.setdefault(declared.name, []).append(value)
            else:
                arguments.append(f"{declared.name}={value}")
        listed = [bracketed(f"{name}=", "[", given, "]") for name, given in many.items()]
        return [*arguments, *listed]

    def _as_operator(
        self, inner: Process, declared: SubprocessPort, function: ScriptFunction
    ) -> str | None:
        """Return an inner process of one operator as that operator itself, where that will do.

        Only so can an ensemble compute its weights on all resamples at once, as a run does.
        """
        node = next(iter(inner), None)
        if node is None or not _stands_for(inner, node, declared):
            return None
        for note in [*inner.notes, *([node.note] if node.note else [])]:
            function.remark(note.text)
        name, parameters = self.function(node.operator), self.parameters(node)
        if not parameters:
            return name
        self.uses_partial = True
        return f"partial({', '.join([name, *parameters])})"

    def _inner(self, inner: Process, declared: SubprocessPort) -> str:
        """Write an inner process as a function; return its name."""
        function = ScriptFunction(self.names.inside())
        arguments = []
        for port in declared.sources:
            argument = function.names.new(f"{port.name}s" if port.many else port.name)
            arguments.append(argument)
            for used in inner.used_outputs(SOURCE):
                if port.matches(used):
                    number = f"[{port_order(used)[1] - 1}]" if port.many else ""
                    function.values[SOURCE, used] = argument + number
        self.level(inner, function)
        function.finish(_returned(inner, declared, function))
        body = textwrap.indent("\n".join(function.lines), "    ")
        content = f"({', '.join(arguments)}):\n{body}"
        if content not in self.functions:
            owner = inner.owner.name if inner.owner else ""
            self.functions[content] = self.names.new(inner.name, f"{owner} {inner.name}")
        return self.functions[content]


def check_installed(node: Node) -> None:
    """Say so if there is no function for an operator."""
    if node.operator.is_placeholder:
        raise UsageError(
            f'"{node.operator.key}" is not installed, so there is no function to call.',
            hint="Install its plugin, or disable the operator.",
            path=node.path,
        )


def _missing(port: str, node: Node) -> PortError:
    return PortError(f'The input "{port}" is missing.', path=node.path)


def _has_disabled(nodes: Iterable[Node]) -> bool:
    return any(not node.enabled for node in nodes)


def _home(spec: Operator) -> tuple[str, str]:
    """Return the module that an operator's function is imported from, and its name there."""
    module = getattr(spec.function, "__module__", "")
    ours = module.startswith(f"{OPERATORS}.")
    return OPERATORS if ours else module, getattr(spec.function, "__name__", spec.key)


def _names_of_functions(nodes: Iterable[Node], reserved: Set[str]) -> dict[tuple[str, str], str]:
    """Return a name for each function; of several with the same, ours keeps it."""
    homes = {_home(node.operator) for node in nodes if not node.operator.is_placeholder}
    names = Names(reserved | {name for _, name in homes})
    found: dict[tuple[str, str], str] = {}
    for module, name in sorted(homes, key=lambda home: (home[0] != OPERATORS, home)):
        is_free = name not in reserved and name not in found.values()
        found[module, name] = name if is_free else names.new(f"{module} {name}")
    return found


def _is_relative_file(node: Node, name: str, value: Any) -> bool:
    parameter = _parameter(node, name)
    if parameter.kind != "file" or not isinstance(value, str) or not value:
        return False
    is_sample = slug(value) in {slug(sample) for sample in plugins().samples}
    return not is_sample and not value.startswith(("//", "~")) and not Path(value).is_absolute()


def _parameter(node: Node, name: str) -> Parameter:
    try:
        return node.operator.parameter(name)
    except KeyError:
        raise ParameterError(f'There is no parameter "{name}".', path=node.path) from None


def _checked(node: Node, name: str, value: Any) -> Any:
    try:
        return _parameter(node, name).check(value)
    except FsopsError as error:
        raise error.at(node.path) from None


def _is_default(node: Node, name: str, value: Any) -> bool:
    if has_macro(value):
        return False
    checked, default = _checked(node, name, value), _parameter(node, name).default
    return type(checked) is type(default) and bool(checked == default)


def _value(node: Node, name: str, value: Any) -> str:
    """Return the value of a parameter as Python; macros are left for the run."""
    if not has_macro(value):
        return literal(_checked(node, name, value))
    pairs = isinstance(value, list | tuple) and isinstance(_parameter(node, name).default, dict)
    return literal(dict(value) if pairs else value)


def _reading(spec: Operator, port: str) -> str:
    """Return how an output is read from the result of the function."""
    declared = find_port(spec.outputs, port)
    number = f"[{port_order(port)[1] - 1}]" if declared.many else ""
    if not spec.has_named_outputs or spec.function is None:
        return number
    fields = get_type_hints(spec.function)["return"]._fields
    return f".{fields[spec.outputs.index(declared)]}{number}"


def _wanted_names(node: Node, port: Port | None = None) -> list[str]:
    """Return names for a value, or for all an operator gives, the best first."""
    own = re.sub(r" \(\d+\)$", "", node.name)
    if slug(own) != slug(node.operator.title):
        return [own]
    if port is not None:
        return [port.name]
    words = slug(node.operator.key).split("_")
    return [words[-1] if len(words) > 1 else f"{words[0]}_results"]


def _listed(port: Port, values: Mapping[str, str]) -> str:
    """Return the inputs of ``name 1``, ``name 2``, … as a list."""
    numbers = {port_order(name)[1]: v for name, v in values.items() if port.matches(name)}
    if port.gaps:
        found = [numbers.get(n, NOTHING) for n in range(1, max(numbers, default=0) + 1)]
    else:
        found = [numbers[n] for n in sorted(numbers) if numbers[n] != NOTHING]
    return f"[{', '.join(found)}]"


def _returned(inner: Process, declared: SubprocessPort, function: ScriptFunction) -> str:
    """Return the results of an inner process: one value, or one for each port up to the last."""
    fed = inner.incoming(SINK)
    values = {port: function.at(start) for port, start in fed.items()}
    found = [_listed(p, values) if p.many else values.get(p.name, NOTHING) for p in declared.sinks]
    while len(found) > 1 and found[-1] in (NOTHING, "[]"):
        found.pop()
    return ", ".join(found) or NOTHING


def _stands_for(inner: Process, node: Node, declared: SubprocessPort) -> bool:
    """Return whether an inner process does just what its only operator does."""
    spec = node.operator
    wires = {(c.from_node, c.from_port, c.to_node, c.to_port) for c in inner.connections}
    straight = {
        (SOURCE, source.name, node.name, port.name)
        for source, port in zip(declared.sources, spec.inputs, strict=False)
    }
    plain = not any(port.many for port in (*spec.inputs, *spec.outputs, *declared.sources))
    return (
        len(inner) == 1
        and node.enabled
        and not spec.is_placeholder
        and not spec.subprocesses
        and plain
        and len(spec.outputs) == 1
        and len(declared.sources) <= len(spec.inputs)
        and wires == straight | {(node.name, spec.outputs[0].name, SINK, declared.sinks[0].name)}
    )
