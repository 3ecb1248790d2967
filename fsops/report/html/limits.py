"""The section "What this page cannot show", from the facts of a run."""

from __future__ import annotations

from collections.abc import Sequence

from fsops.core.graph.process import Process
from fsops.data import AttributeDescriptions, AttributeWeights, FlowObject, SizeCurves, StudyAnswer

FILLED = frozenset({"replace_missing_values", "impute_missing_values"})
FEW_ROWS = 100


def limits_of(
    process: Process, results: Sequence[FlowObject], rows: int | None
) -> list[tuple[str, str]]:
    """Return conclusions that are not justified: a heading and a sentence each."""

    def has(kind: type[FlowObject]) -> bool:
        return any(isinstance(value, kind) for value in results)

    found = [
        (
            "Whether it is a cause",
            "An attribute that is related to the label need not be its cause. Age, batch or "
            "treatment can be behind both.",
        ),
        (
            "Whether it holds elsewhere",
            "All numbers are valid only for rows like these. Another hospital, device or year "
            "needs a separate test.",
        ),
    ]
    if has(AttributeDescriptions) or has(AttributeWeights):
        found.append(
            (
                "Which attributes matter that are not listed",
                "If attributes carry the same information, a selection keeps only some of them. "
                "An attribute that is missing here can matter as much.",
            )
        )
    if has(AttributeDescriptions):
        found.append(
            (
                "How large the effects will be next time",
                "The same rows chose the attributes and measured their effects. Effects of chosen "
                "attributes are optimistic; expect smaller ones.",
            )
        )
    if has(SizeCurves) and not has(StudyAnswer):
        found.append(
            (
                "Whether chance could give the same",
                "No shuffled labels were computed here. Noise gives curves and lists, too.",
            )
        )
    if any(node.operator.key in FILLED and node.enabled for node in process):
        found.append(
            (
                "The true values of missing ones",
                "They were filled from all rows, including the test rows. That makes errors "
                "slightly optimistic.",
            )
        )
    if rows is not None and rows < FEW_ROWS:
        found.append(
            (
                "Whether there are weak effects",
                f"With {rows} rows only strong effects can be seen. Not found does not "
                "mean absent.",
            )
        )
    return found
