"""From a process of RapidMiner to one of ours, as elements of the file."""

from __future__ import annotations

import contextlib
import re
from typing import Any

from lxml import etree

from fsops.core.declare.parameters import Parameter
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.errors import ParameterError
from fsops.storage.files import StrPath, read_bytes
from fsops.storage.foreign import is_rapidminer, parse_process_xml
from fsops.storage.messages import shown
from fsops.storage.process_grammar import DEFAULT_NAMES, ROOT_CLASS
from fsops.storage.rapidminer.adapters import Adaptation, version_of
from fsops.storage.rapidminer.categories import CATEGORIES
from fsops.storage.rapidminer.file_objects import read_paths_directly
from fsops.storage.rapidminer.ports import rename_ports
from fsops.storage.rapidminer.report import MAY_CHANGE, ConversionReport, Mapped, Remark
from fsops.storage.rapidminer.rule import MappingRule
from fsops.storage.rapidminer.rules import (
    CLASSES,
    EXTENSION,
    HARMLESS,
    IGNORED,
    MODULES,
    RULES,
    WEIGHTING,
)
from fsops.storage.rapidminer.settings import ForeignSettings
from fsops.storage.rapidminer.wiring import ImportedLevel, move_behind
from fsops.storage.safe_xml import MAX_BYTES

NO_RULE = MappingRule()
TEMPLATE = ("title", "description", "template-group", "template-parameters")
"""The part after the process in a template of RapidMiner 5."""
REFERENCES = ("parameters", "log")
"""Lists that name settings of other operators."""

_WHOLE = re.compile(r"([+-]?[0-9]{1,18})\.0*")
_INDEX = re.compile(r"[0-9]{1,3}")


def import_report(path: StrPath, registry: Registry) -> ConversionReport | None:
    """Return what reading a file of RapidMiner does; None for a file of ours."""
    root = parse_process_xml(read_bytes(path, MAX_BYTES))
    return translate(root, registry) if is_rapidminer(root) else None


def translate(root: etree._Element, registry: Registry) -> ConversionReport:
    """Convert a process of RapidMiner in place, and return a report.

    Unknown parts stay as they are: the reader or the validator reports them.
    """
    report = ConversionReport(root.get("version", "") if root.tag == "process" else "")
    return _Importer(root, registry, report).run()


def known_as(theirs: str, registry: Registry) -> Operator | None:
    """Return our operator for a key of RapidMiner; None if it becomes a placeholder."""
    importer = _Importer(etree.Element("process"), registry, ConversionReport())
    _, operator = importer.found(theirs)
    return None if operator.is_placeholder else operator


class _Importer:
    def __init__(self, root: etree._Element, registry: Registry, report: ConversionReport) -> None:
        self.root = root
        self.registry = registry
        self.report = report
        self.rules: dict[str, tuple[MappingRule, Operator]] = {}
        self.tasks: dict[etree._Element, Adaptation] = {}
        self.names = {element.get("name", "") for element in root.iter("operator")}

    def run(self) -> ConversionReport:
        _forget_template(self.root)
        read_paths_directly(self.root, self.report)
        elements = [e for e in self.root.iter("operator") if e.get("class") != ROOT_CLASS]
        for element in elements:
            self._operator(element)
        for element in elements:
            self._references(ForeignSettings(element))
        for task in [*self.tasks.values()]:
            if task.operator.key == "performance_min_max":
                self._move_behind_validation(task)
        for process in [*self.root.iter("process")]:
            self._level(process)
        self._context()
        return self.report

    def _context(self) -> None:
        """Report data that RapidMiner reads and writes beside the process."""
        for context in self.root.iterchildren("context"):
            for side, advice in (("input", "Retrieve"), ("output", "Store")):
                for place, found in enumerate(context.iterfind(f"{side}/location"), start=1):
                    if (found.text or "").strip():
                        text = (
                            f"{shown((found.text or '').strip())} at the port {side} {place} of "
                            f"the process is left out: put {advice} there."
                        )
                        self.report.remarks.append(Remark("Process", text, changes=True))

    # --- operators --------------------------------------------------------------------------

    def _operator(self, element: etree._Element) -> None:
        theirs, name = element.get("class"), element.get("name")
        if not theirs or not name:
            return
        rule, operator = self.found(theirs)
        self.rules.setdefault(name, (rule, operator))
        if operator.is_placeholder:
            self.report.missing.append(Mapped(name, theirs, theirs))
            return
        element.set("class", operator.key)
        self.report.mapped.append(Mapped(name, theirs, operator.key))
        task = Adaptation(name, element, operator, self.report, self.names)
        self.tasks[element] = task
        self._settings(ForeignSettings(element), rule, task)
        rename_ports(element, rule.ports)

    def found(self, theirs: str) -> tuple[MappingRule, Operator]:
        """Return the rule of a class, and our operator or a placeholder."""
        key = CLASSES.get(theirs, theirs)
        prefix, _, bare = key.rpartition(":")
        rule = RULES.get(key) or (RULES.get(bare) if prefix in ("", *MODULES) else None)
        if rule is None:
            plain = prefix in ("", *MODULES) and bare.startswith(("weight_by_", "data_to_weights"))
            rule = WEIGHTING if plain else NO_RULE
        wanted = [rule.becomes] if rule.becomes else [key]
        if prefix in ("", *MODULES):
            wanted += [bare, bare.removeprefix("parallel_")]
        if bare in EXTENSION:
            wanted.append(EXTENSION[bare])
        found = [self.registry.find(name) for name in wanted]
        return rule, next((o for o in found if not o.is_placeholder), self.registry.find(theirs))

    def _settings(self, settings: ForeignSettings, rule: MappingRule, task: Adaptation) -> None:
        self._mend_seed(settings)
        for name in settings:
            self._words_for_number(settings, name, rule)
        for name, value in rule.defaults.items():
            if name not in settings:
                settings.set(name, value)
        for adapt in rule.adapt:
            adapt(settings, task)
        for name in settings:
            self._value(settings, name, rule, task)
        for name, ours in rule.renamed.items():
            settings.rename(name, ours)
        known = {p.name: p for p in task.operator.parameters}
        for name in settings:
            parameter = known.get(task.operator.aliases.parameters.get(name, name))
            if parameter is None:
                task.ignore(settings, name, _effect(name, settings.shown(name), rule))
            else:
                _tidy(settings, name, parameter)
        _drop_unused_names(settings, task.operator)

    def _mend_seed(self, settings: ForeignSettings) -> None:
        """Enable the operator's own seed where an old file only sets it."""
        if "local_random_seed" in settings and "use_local_random_seed" not in settings:
            old = version_of(self.report.version) < (6,)
            if old and settings.get("local_random_seed") != "-1":
                settings.set("use_local_random_seed", "true")
        if settings.get("local_random_seed") == "-1":
            settings.remove("local_random_seed")

    def _words_for_number(self, settings: ForeignSettings, name: str, rule: MappingRule) -> None:
        """Replace the number of a category, as RapidMiner 5.0 writes it, by its name."""
        values = rule.categories.get(name) or CATEGORIES.get(name, ())
        text = settings.get(name)
        if values and _INDEX.fullmatch(text) and int(text) < len(values):
            settings.set(name, values[int(text)])

    def _value(
        self, settings: ForeignSettings, name: str, rule: MappingRule, task: Adaptation
    ) -> None:
        value = settings.get(name)
        same = rule.values.get(name, {}).get(value)
        closest = rule.substitutes.get(name, {}).get(value)
        if same is not None:
            settings.set(name, same)
        elif closest is not None:
            settings.set(name, closest)
            task.remark(f'{name} is "{value}", which is not known; "{closest}" comes closest.')

    # --- the rest ---------------------------------------------------------------------------

    def _references(self, settings: ForeignSettings) -> None:
        """Rename settings of other operators where a list names them."""
        for name in REFERENCES:
            pairs = settings.pairs(name)
            if not pairs:
                continue
            if name == "log":
                renamed = [(key, self._logged(value)) for key, value in pairs]
            else:
                renamed = [(self._target(key), value) for key, value in pairs]
            if renamed != pairs:
                settings.set_pairs(name, renamed)

    def _target(self, text: str) -> str:
        operator, dot, parameter = text.rpartition(".")
        if operator not in self.rules:
            return text
        rule, spec = self.rules[operator]
        ours = rule.renamed.get(parameter, parameter)
        return f"{operator}{dot}{spec.aliases.parameters.get(ours, ours)}"

    def _logged(self, text: str) -> str:
        before, kind, parameter = text.rpartition(".parameter.")
        if not kind or not before.startswith("operator."):
            return text
        operator = before.removeprefix("operator.")
        return f"{before}{kind}{self._target(f'{operator}.{parameter}')[len(operator) + 1 :]}"

    def _move_behind_validation(self, task: Adaptation) -> None:
        """Let an operator work on all repetitions of the validation around it."""
        around = next(task.element.iterancestors("operator"), None)
        validation = None if around is None else self.tasks.get(around)
        if validation is not None and move_behind(task, validation):
            task.remark(f'It is placed after "{validation.name}", not in it.', changes=False)

    def _level(self, process: etree._Element) -> None:
        operators: dict[str, Operator] = {}
        tasks: list[Adaptation] = []
        for child in process.iterchildren("operator"):
            task = self.tasks.get(child)
            if task is not None and task.name not in operators:
                operators[task.name] = task.operator
                tasks.append(task)
        level = ImportedLevel(process, operators, self.report)
        level.number_further()
        level.reroute()
        level.insert(tasks, self.names)


def _forget_template(root: etree._Element) -> None:
    """Remove the parts of a template of RapidMiner 5; its title becomes the name of the process."""
    operator = root.find("operator")
    if root.find("template-parameters") is None and root.find("template-group") is None:
        return
    for part in [child for child in root if child.tag in TEMPLATE]:
        title = (part.text or "").strip() if part.tag == "title" else ""
        if title and operator is not None and operator.get("name") in DEFAULT_NAMES:
            operator.set("name", title)
        root.remove(part)


def _effect(name: str, value: str, rule: MappingRule) -> str:
    """Return the effect of ignoring a setting; empty if none."""
    if name in rule.harmless:
        return ""
    condition = rule.ignored.get(name) or IGNORED.get(name)
    if condition is not None:
        return condition.of(value)
    return "" if name in HARMLESS else MAY_CHANGE


def _drop_unused_names(settings: ForeignSettings, operator: Operator) -> None:
    """Leave out names of attributes that are not in use: they may be of another table."""
    values: dict[str, Any] = {p.name: p.default for p in operator.parameters if not p.required}
    places = {operator.aliases.parameters.get(name, name): name for name in settings}
    for parameter in operator.parameters:
        text = settings.get(places.get(parameter.name, ""))
        with contextlib.suppress(ParameterError):
            values |= {parameter.name: parameter.check(text)} if text else {}
    for parameter in operator.parameters:
        named = parameter.kind in ("attribute", "attributes") and parameter.name in places
        if named and parameter.when is not None and not parameter.when.holds(values):
            settings.remove(places[parameter.name])


def _tidy(settings: ForeignSettings, name: str, parameter: Parameter) -> None:
    """Leave out the empty name of an attribute; write whole numbers without a fraction."""
    if parameter.kind in ("attribute", "attributes") and settings.shown(name) == "":
        settings.remove(name)
    whole = _WHOLE.fullmatch(settings.get(name))
    if parameter.kind == "integer" and whole:
        settings.set(name, whole[1])
