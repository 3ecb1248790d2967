"""Learners that RapidMiner keeps in one inner process, and fsops in one each."""

from __future__ import annotations

import copy

from lxml import etree

from fsops.core.declare.ports import port_order
from fsops.storage.rapidminer.adapters import Adaptation
from fsops.storage.rapidminer.settings import ForeignSettings


def divided_learners(settings: ForeignSettings, task: Adaptation) -> None:
    """Give each learner its own inner process: the operators that lead to ``base model i``."""
    _divide(task, "base model")


def divided_models(settings: ForeignSettings, task: Adaptation) -> None:
    """Give each learner its own inner process: the operators that lead to ``model i``."""
    _divide(task, "model")


def divided_stacking(settings: ForeignSettings, task: Adaptation) -> None:
    """Put the last learner first, and give each base learner its own inner process."""
    processes = task.element.findall("process")
    if len(processes) != 2:
        return
    base, last = processes
    _divide(task, "base model", base)
    first = task.element.find("process")
    if first is not None and first is not last:
        first.addprevious(last)
    for connection in last.iterchildren("connect"):
        if connection.get("from_op") is None and connection.get("from_port") == "stacking examples":
            connection.set("from_port", "stacking_examples")
        if connection.get("to_op") is None and connection.get("to_port") == "stacking model":
            connection.set("to_port", "model")


def _divide(task: Adaptation, model: str, whole: etree._Element | None = None) -> None:
    processes = task.element.findall("process")
    if whole is None and len(processes) != 1:
        return
    whole = processes[0] if whole is None else whole
    sinks = [c for c in whole.iterchildren("connect") if c.get("to_op") is None]
    orders = [port_order(connection.get("to_port", "")) for connection in sinks]
    numbers = sorted({number for base, number in orders if base == model})
    parts = [_part(whole, f"{model} {number}") for number in numbers]
    used = {child.get("name") for part in parts for child in part.iterchildren("operator")}
    spare = [c for c in whole.iterchildren("operator") if c.get("name") not in used]
    if not parts or spare or _shared(parts):
        return  # the validator names the ports that do not fit
    for part in parts:
        whole.addprevious(part)
    task.element.remove(whole)


def _part(whole: etree._Element, sink: str) -> etree._Element:
    """Return a process with the operators that lead to one sink."""
    connections = list(whole.iterchildren("connect"))
    names: set[str | None] = set()
    ends: list[str | None] = [
        c.get("from_op") for c in connections if c.get("to_op") is None and c.get("to_port") == sink
    ]
    while ends:
        name = ends.pop()
        if name is not None and name not in names:
            names.add(name)
            ends += [c.get("from_op") for c in connections if c.get("to_op") == name]
    part = etree.Element("process", {str(k): str(v) for k, v in whole.attrib.items()})
    part.extend([c for c in whole.iterchildren("operator") if c.get("name") in names])
    for connection in connections:
        if connection.get("to_op") in names or connection.get("to_port") == sink:
            part.append(_renamed(connection))
    return part


def _renamed(connection: etree._Element) -> etree._Element:
    """Return a connection with the names that ports have in a process with one learner."""
    made = copy.deepcopy(connection)
    if made.get("from_op") is None:
        made.set("from_port", "training set")
    if made.get("to_op") is None:
        made.set("to_port", "model")
    return made


def _shared(parts: list[etree._Element]) -> bool:
    """Return whether an operator leads to several models."""
    names = [child.get("name") for part in parts for child in part.iterchildren("operator")]
    return len(names) != len(set(names))
