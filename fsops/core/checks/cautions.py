"""Cautions: processes that run, but whose results would mislead."""

from __future__ import annotations

from collections.abc import Mapping

from fsops.core.checks.data_cautions import data_cautions
from fsops.core.checks.lineage import (
    Lineage,
    follow,
    inside_validation,
    is_validation,
    settings_of,
)
from fsops.core.checks.problems import Kind, Problem, QuickFix, SetParameter, Severity
from fsops.core.checks.propagation import Propagated
from fsops.core.declare.roles import Role
from fsops.core.graph.process import Node, Process
from fsops.core.registry import Registry
from fsops.data import ExampleSet, ExampleSetMetaData
from fsops.errors import enumerate_names

SPLIT_ON_BATCH = "split_on_batch_attribute"
MANY_TESTS = 20
"""Up to so many p-values one may look at without adjusting them."""
CHANCE = 0.05
"""The chance of one false finding among all tests that is taken to be small."""


def cautions(
    process: Process, known: Propagated, registry: Registry | None = None
) -> list[Problem]:
    """Return what would make the figures of a process misleading, as warnings.

    Parameters
    ----------
    process : Process
    known : Propagated
        Known facts about the results at every port.
    registry : Registry, optional
        Where fixes take operators from.
    """
    cautious = _Cautious(known)
    follow(process, known, cautious.look)
    few = {problem.path for problem in cautious.found if problem.kind is Kind.FEW_ROWS}
    further = data_cautions(process, known, registry or Registry())
    # Too few rows for the folds says more than a small sample.
    further = [p for p in further if p.kind is not Kind.SMALL_SAMPLE or p.path not in few]
    return [*cautious.found, *further]


class _Cautious:
    def __init__(self, known: Propagated) -> None:
        self.known = known
        self.found: list[Problem] = []

    def look(self, node: Node, inputs: Mapping[str, Lineage]) -> None:
        """Look at what arrives at an operator."""
        if is_validation(node.operator):
            self._few_rows(node)
        # Inside another validation the outer test rows are apart: the outer estimate is unbiased.
        if is_validation(node.operator) and not inside_validation(node):
            for port in node.operator.inputs:
                if issubclass(port.type, ExampleSet) and port.name in inputs:
                    self._leak(node, port.name, inputs[port.name])
        if node.operator.role is Role.PERFORMANCE and not inside_validation(node):
            self._self_test(node, inputs)
        if node.operator.key == "select_by_weights" and "weights" in inputs:
            self._raw_tests(node, sorted(inputs["weights"].raw_tests))

    def _warn(
        self, kind: Kind, node: Node, message: str, *fixes: QuickFix, parameter: str = ""
    ) -> None:
        self.found.append(Problem(kind, node.path, message, Severity.WARNING, fixes, parameter))

    def _leak(self, node: Node, port: str, given: Lineage) -> None:
        learners = given.influences(given.rows)
        if not learners:
            return
        from fsops.core.checks.leak_fix import into_training

        fix = into_training(node, port, learners)
        inner = node.subprocesses[0].name
        one = len(learners) == 1
        text = (
            f"{enumerate_names(learners)} {'has' if one else 'have'} seen the label of the rows "
            "that are tested here, so the performance will look better than it is. "
        )
        if fix is not None:
            text += f"Repeat the selection in the {inner} of each fold."
        else:
            text += (
                f"Move {'it' if one else 'them'} into the {inner}, with all that follows. "
                "An operator that changes values must also change the test rows: join its model "
                "and the learner's by Group Models."
            )
        self._warn(Kind.INFORMATION_LEAK, node, text, *([] if fix is None else [fix]))

    def _self_test(self, node: Node, inputs: Mapping[str, Lineage]) -> None:
        learners = sorted({name for lineage in inputs.values() for name in lineage.self_tests})
        if learners:
            trained = "it was" if len(learners) == 1 else "they were"
            self._warn(
                Kind.TRAINING_ROWS,
                node,
                f"This measures {enumerate_names(learners)} on rows that {trained} trained on, so "
                "it says little about other rows. Use Cross Validation, or keep rows apart by "
                "Split Data.",
            )

    def _few_rows(self, node: Node) -> None:
        settings, table = settings_of(node), self._table(node)
        folds = settings.get("number_of_folds")
        otherwise = any(_is_on(settings.get(n)) for n in ("leave_one_out", SPLIT_ON_BATCH))
        # `folds` may still be a macro.
        if table is None or table.rows is None or not str(folds).isdecimal() or otherwise:
            return
        label = table.schema.label if table.schema is not None else None
        classes = len(label.categories) if label is not None else 0
        counted = [count for count in table.counts() if count]
        # Where classes are not counted, this is the most that the smallest can have.
        smallest = min(counted) if counted else table.rows // max(classes, 1)
        if smallest >= int(str(folds)):
            return
        rows = "1 row" if smallest == 1 else f"{smallest} rows"
        if classes > 1:
            text = (
                f"There are {classes} classes in {table.rows} rows, and the smallest class has "
                f"{'' if counted else 'at most '}{rows}: some of the {folds} folds will lack it."
            )
        else:
            text = f"There are only {rows} for {folds} folds."
        fewer = QuickFix(
            f"Set number_of_folds to {smallest}",
            (SetParameter(node.name, "number_of_folds", smallest),),
        )
        fixes = [fewer] if smallest >= 2 else []
        self._warn(Kind.FEW_ROWS, node, text, *fixes, parameter="number_of_folds")

    def _table(self, node: Node) -> ExampleSetMetaData | None:
        inputs = self.known.inputs.get(node.name, {}).values()
        return next((meta for meta in inputs if isinstance(meta, ExampleSetMetaData)), None)

    def _raw_tests(self, node: Node, tests: list[str]) -> None:
        for name in tests:
            tested = node.process.root.find(name)
            table = self._table(tested)
            schema = table.schema if table is not None else None
            limit = _largest_p(node, tested)
            if schema is None or limit is None or len(schema.regular) <= MANY_TESTS:
                continue
            count = len(schema.regular)
            # The tolerance is for a Bonferroni limit set by hand: 10**-weight is not exact.
            if not CHANCE / count * (1 + 1e-6) < limit < 1:
                continue  # adjusted by hand, or no test at all
            adjust = QuickFix(
                f"Set the adjustment of {name} to benjamini_hochberg",
                (SetParameter(name, "adjustment", "benjamini_hochberg"),),
            )
            self._warn(
                Kind.RAW_P_VALUES,
                node,
                f'The p-values of "{name}" are compared with {limit:.3g}, one by one. If none of '
                f"the {count} attributes differed between the classes, about {limit * count:.3g} "
                "would still pass. Adjust the p-values, or take the top k.",
                adjust,
            )


def _is_on(value: object) -> bool:
    return str(value).lower() == "true"


def _largest_p(selection: Node, tested: Node) -> float | None:
    """Return the largest p-value that a selection lets pass, if it compares with a number."""
    settings = settings_of(selection)
    if settings.get("weight_relation") not in ("greater", "greater equals"):
        return None
    try:
        weight = float(str(settings.get("threshold")))
    except ValueError:  # a macro
        return None
    return 1 - weight if settings_of(tested).get("transformation") == "one_minus_p" else 10**-weight
