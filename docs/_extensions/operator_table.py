"""The table of all operators and their abilities, from their declarations, for docs/choosing.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from fsops.core import Accepts, Operator
from fsops.core.declare.bound_attributes import chooses_attributes, group_handling
from fsops.core.declare.row_weights import COMPUTING, handling
from fsops.data import ExampleSet

YES, NO, ANY = "yes", "–", ""
COLUMNS = (
    "classes",
    "numbers",
    "survival",
    "missing",
    "nominal",
    "sparse",
    "weights",
    "groups",
    "p-values",
    "streaming",
)
TESTED = {"adjustment", "permutations"}
"""Parameters of operators that compute p-values."""


def table_lines(operators: Iterable[Operator]) -> Iterator[str]:
    """Return the table as Markdown, a part for each role."""
    ordered = sorted(operators, key=lambda spec: (list(type(spec.role)).index(spec.role), spec.key))
    for role, members in groupby(ordered, key=lambda spec: spec.role):
        yield f"### {role.replace('_', ' ').capitalize()}\n"
        yield f"{role.meaning}\n"
        yield f"| operator | {' | '.join(COLUMNS)} |"
        yield "|---" * (len(COLUMNS) + 1) + "|"
        for spec in members:
            cells = " | ".join(abilities(spec).values())
            yield f"| [`{spec.key}`](operators/{spec.key}.md) | {cells} |"
        yield ""


def abilities(spec: Operator) -> dict[str, str]:
    """Return what an operator can do, by column; empty where the question does not apply."""
    port = next((port.name for port in spec.inputs if issubclass(port.type, ExampleSet)), None)
    if port is None:
        cells = dict.fromkeys(COLUMNS, ANY)
        return {**cells, "p-values": YES if "p-value" in spec.tags else ANY}
    accepts = spec.accepts.get(port)
    weights = handling(spec) if spec.role in COMPUTING and not spec.subprocesses else ANY
    tested = {parameter.name for parameter in spec.parameters} & TESTED
    return {
        **_of_label(accepts),
        **_of_values(accepts),
        "weights": weights,
        "groups": group_handling(spec) if chooses_attributes(spec) else ANY,
        "p-values": YES if tested or "p-value" in spec.tags else ANY,
        "streaming": _said(accepts is not None and accepts.blocks),
    }


def _of_label(accepts: Accepts | None) -> dict[str, str]:
    if accepts is None or accepts.label == "none":
        return dict.fromkeys(("classes", "numbers", "survival"), ANY)
    classes = {"any": YES, "nominal": YES, "binominal": "two"}.get(accepts.label, NO)
    return {
        "classes": classes,
        "numbers": _said(accepts.label in ("any", "numerical")),
        "survival": _said(getattr(accepts, "events", False)),
    }


def _of_values(accepts: Accepts | None) -> dict[str, str]:
    if accepts is None:  # it does not look at values
        return {"missing": YES, "nominal": YES, "sparse": ANY}
    return {
        "missing": _said(accepts.missing),
        "nominal": _said(accepts.attributes == "any" or "nominal" in accepts.attributes),
        "sparse": YES if accepts.sparse else "dense copy",
    }


def _said(can: bool) -> str:
    return YES if can else NO
