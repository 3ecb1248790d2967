"""Operators that may come next: ranked by the port, by ready processes and by the user's habits."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fsops.core.declare.ports import Port, fits
from fsops.core.declare.roles import Role
from fsops.core.operator import Operator
from fsops.core.registry import Registry
from fsops.errors import FsopsError
from fsops.storage.safe_xml import parse_xml

EDGE = ""
"""Stands for the source of a level."""
LAST = frozenset(("control", "utility", "plugin"))
"""Roles that come last where no process uses them."""
USUAL: Mapping[str, Sequence[Role]] = {
    "examples": (
        Role.PREPARATION, Role.VALIDATION, Role.WEIGHTING, Role.SELECTION, Role.LEARNER,
        Role.SEARCH, Role.ROWS,
    ),
    "weights": (Role.SELECTION, Role.WEIGHTING),
    "model": (Role.MODEL_APPLICATION,),
    "performance": (Role.PERFORMANCE, Role.VALIDATION),
}  # fmt: skip
"""By the name of a port, the roles that usually follow."""
BY_PORT, BY_NAME, BY_USER, COMMON = 2.5, 1.0, 10.0, 1.5
"""Weights of steps after the same operator, after such a port, of the user, and of `FIRST`."""
NEEDS_MORE = 2.5
"""Subtracted for each further input that must be connected."""
FIRST = frozenset((
    "cross_validation", "normalize", "replace_missing_values", "select_attributes",
    "weight_by_sam", "select_by_mrmr_cfs", "naive_bayes", "random_forest", "performance",
    "apply_model", "select_top_k", "select_by_weights", "support_vector_machine", "k_nn",
    "logistic_regression", "weight_by_t_test", "weight_by_welch_test", "weight_by_relieff",
    "weight_by_random_forest", "ensemble_feature_selection", "read_excel", "read_parquet",
))  # fmt: skip
"""Operators that most processes begin with."""
READERS = ("read_", "generate_", "create_exampleset", "retrieve")


@dataclass(frozen=True)
class NextSteps:
    """How often an operator followed another one, and how often one followed a kind of port."""

    after: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Key of the operator before, its port, key of the operator after."""
    kind: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Name of the port, key of the operator after."""


def steps_of(files: Iterable[Path]) -> NextSteps:
    """Return the steps in process files; only their text is looked at, which is quick."""
    found = NextSteps()
    for file in files:
        try:
            root = parse_xml(file.read_bytes())
        except (OSError, FsopsError):
            continue
        seen: set[tuple[str, str, str]] = set()
        for level in root.iter("process"):
            keys = {o.get("name"): str(o.get("class")) for o in level.findall("operator")}
            for wire in level.findall("connect"):
                after = keys.get(wire.get("to_op"))
                port = _kind(str(wire.get("from_port")))
                if after is not None:
                    seen.add((_pooled(keys.get(wire.get("from_op"), EDGE)), port, after))
        found.after.update(seen)  # once for each process, however often it repeats a step
        found.kind.update({(port, after) for _, port, after in seen})
    return found


def _pooled(key: str) -> str:
    """Return one key for all operators that read a table."""
    return "retrieve" if key.startswith(READERS) else key


def _kind(port: str) -> str:
    """Return the name of a port without its number; all tables are alike."""
    name = port.rstrip("0123456789 ")
    tables = ("training_set", "test_set", "input", "original", "labelled")
    return "examples" if name in tables or name.startswith("examples") else name


def ranked(
    registry: Registry,
    start: Port,
    before: str,
    steps: NextSteps,
    own: Mapping[tuple[str, str], int],
) -> list[Operator]:
    """Return the operators that an output can go to, the likeliest first.

    ``before`` is the key of the operator that has the output, ``own`` how often the user put one
    operator after another.
    """
    found = [spec for spec in registry if any(fits(start.type, port) for port in spec.inputs)]
    return _sorted(found, lambda spec: _score(spec, start.name, before, steps, own))


def ranked_before(registry: Registry, end: Port, after: str, steps: NextSteps) -> list[Operator]:
    """Return the operators that can feed an input, the likeliest first."""
    found = [spec for spec in registry if any(fits(port.type, end) for port in spec.outputs)]

    def score(spec: Operator) -> float:
        mine = _pooled(spec.key)
        counts = sum(n for (b, _, a), n in steps.after.items() if (b, a) == (mine, after))
        score = BY_PORT * math.log1p(counts) + COMMON * (spec.key in FIRST)
        return score - 4.0 * (spec.role in LAST)

    return _sorted(found, score)


def replacements(
    registry: Registry, old: Operator, steps: NextSteps | None = None
) -> list[Operator]:
    """Return the operators that can take the place of another one, the most similar first.

    Among equally similar ones, those that processes use most come first.
    """
    used: Counter[str] = Counter()
    for (_port, key), times in (steps.kind if steps is not None else Counter()).items():
        used[key] += times

    def score(spec: Operator) -> float:
        ports = _ports(spec.inputs) == _ports(old.inputs)
        ports = ports and _ports(spec.outputs) >= _ports(old.outputs)
        shared = len(_ports(spec.outputs) & _ports(old.outputs))
        same_group = spec.group == old.group
        near = spec.group.partition("/")[0] == old.group.partition("/")[0]
        role = spec.role == old.role
        unlike = bool(spec.subprocesses) != bool(old.subprocesses)
        score = 1.5 * ports + shared + 3.0 * role + 0.5 * same_group + near - 2.0 * unlike
        score += min(COMMON, 0.3 * math.log1p(used[spec.key]))
        return score + COMMON * (spec.key in FIRST) - 4.0 * (spec.role in LAST and not role)

    return _sorted((spec for spec in registry if spec is not old), score)


def _ports(ports: Iterable[Port]) -> set[tuple[str, str]]:
    return {(port.name, str(port.type)) for port in ports}


def _score(
    spec: Operator,
    port: str,
    before: str,
    steps: NextSteps,
    own: Mapping[tuple[str, str], int],
) -> float:
    kind = _kind(port)
    score = BY_PORT * math.log1p(steps.after[_pooled(before), kind, spec.key])
    score += BY_NAME * math.log1p(steps.kind[kind, spec.key])
    score += BY_USER * math.log1p(own.get((before, spec.key), 0))
    roles = USUAL.get(kind, ())
    if spec.role in roles:
        score += 1.0 - 0.1 * list(roles).index(spec.role)
    further = sum(not port.optional for port in spec.inputs) - 1
    score -= NEEDS_MORE * max(further, 0)
    return score + COMMON * (spec.key in FIRST) - 4.0 * (spec.role in LAST)


def _sorted(found: Iterable[Operator], score: object) -> list[Operator]:
    assert callable(score)
    return sorted(found, key=lambda spec: (-score(spec), spec.title))
