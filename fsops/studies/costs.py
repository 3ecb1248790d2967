"""The cost of a study before it runs: runs of each method, and a process that times one run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fsops.core import Process
from fsops.core.checks.plan import plan
from fsops.studies.methods import StudyMethod, methods_for
from fsops.studies.study import MY_TABLE

COMPARISON = "compare_feature_selections"


@dataclass(frozen=True, eq=False)
class StudyCosts:
    """The runs of each method in a study, and the process that runs each of them once."""

    classes: int
    """Of the label; 0 for numbers."""
    methods: tuple[StudyMethod, ...]
    runs: Mapping[str, int]
    """By key, the runs in the comparison."""
    sizes: tuple[str, ...]
    folds: int
    repetitions: int
    probe: Process
    """Runs each method once on the whole table; its operators have the names of the methods."""


def study_costs(process: Process, classes: int) -> StudyCosts:
    """Return the costs of a study that compares all methods that suit its label."""
    judged = next(node for node in process if node.operator.key == COMPARISON)
    found = plan(process)
    runs = {}
    compared = judged.subprocesses[1:]
    for planned in found.walk():
        is_method = any(planned.node.process is inner for inner in compared)
        if is_method and planned.runs.high is not None:
            runs[planned.node.operator.key] = int(planned.runs.high)
    values = {parameter.name: parameter.default for parameter in judged.operator.parameters}
    values |= judged.canonical_parameters()
    return StudyCosts(
        classes,
        tuple(methods_for(classes)),
        runs,
        tuple(map(str, values.get("sizes", ()))),
        int(values.get("number_of_folds", 10)),
        int(values.get("repetitions", 1)),
        _probe(process),
    )


def _probe(process: Process) -> Process:
    """Return a process that runs each method of a study once."""
    made = process.clone()
    judged = next(node for node in made if node.operator.key == COMPARISON)
    fed = made.incoming(judged.name)["examples"]
    methods = [next(iter(inner)) for inner in judged.subprocesses[1:]]
    before = {MY_TABLE, fed[0], *made.ancestors(judged.name)}
    for name in [node.name for node in made if node.name not in before]:
        made.remove(name)
    for method in methods:
        node = made.add(method.operator, made[fed[0]][fed[1]], name=method.operator.key)
        node.parameters.update(method.parameters)
        made.result(node["weights"])
    made.name = "Costs of the methods"
    return made
