"""The contract of operators: what every one of them promises, checked on any of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from fsops.core import Operator
from fsops.core.declare.row_weights import works_inside
from fsops.testing.cases import Subject, subject_of
from fsops.testing.data import degenerate_names
from fsops.testing.rules import (
    behaviour,
    bound_attributes as bound,
    declaration,
    inputs,
    multiclass,
    roles,
    row_weights,
    sparse,
    stopping,
    vocabulary,
)

Check = Callable[[], None]


class ContractWarning(UserWarning):
    """An operator works, but could be kinder to its users."""


@dataclass(frozen=True)
class Rule:
    """One promise."""

    name: str
    check: Callable[[Subject], None]
    advice: bool = False
    """Whether breaking it is only warned about, unless the check is strict."""
    hint: bool = False
    """Whether plugins are only warned, however strict the check is."""
    applies: Callable[[Subject], bool] = lambda subject: True


# Tables that hardly anybody has. A short operator may leave them to the engine, which tells users
# that the step failed and why; ours answer them.
EXTREME = ("no rows", "no attributes", "all missing", "infinite values", "huge values")

RULES: tuple[Rule, ...] = (
    Rule("help", declaration.check_help, advice=True),
    Rule("descriptions", declaration.check_descriptions, advice=True),
    Rule("one name per idea", vocabulary.check_parameter_names, hint=True),
    Rule("key follows the pattern", vocabulary.check_key, hint=True),
    Rule("plain words", vocabulary.check_words, hint=True, applies=lambda s: not s.is_built_in),
    Rule("role is declared", roles.check_role_declared, hint=True),
    Rule("role fits the ports", roles.check_role_fits),
    Rule("defaults", declaration.check_defaults),
    Rule("wrong values are refused", declaration.check_wrong_values),
    Rule("allowed values are answered", declaration.check_values),
    Rule("files keep parameters", declaration.check_files),
    Rule("inputs stay unchanged", behaviour.check_inputs_unchanged),
    Rule("same seed, same bytes", behaviour.check_repeatable),
    Rule("function and process agree", behaviour.check_process),
    Rule("order does not matter", behaviour.check_order),
    Rule("no traces", behaviour.check_traces),
    Rule("results travel", behaviour.check_pickling),
    Rule(
        "stops when asked",
        behaviour.check_cancelling,
        applies=lambda subject: subject.spec.context is not None,
    ),
    Rule("metadata", inputs.check_metadata),
    Rule("odd inputs", inputs.check_inputs, applies=lambda subject: bool(subject.spec.inputs)),
    Rule("names are kept", inputs.check_names, applies=lambda subject: subject.takes_tables),
    Rule("kinds of tables", inputs.check_table_kinds, applies=lambda s: s.takes_tables),
    Rule("tables in blocks", inputs.check_blocks, applies=lambda s: bool(s.block_ports)),
    Rule("sparse tables", sparse.check_sparse, applies=lambda s: bool(s.sparse_ports)),
    Rule("row weights", row_weights.check_row_weights, applies=row_weights.computes_from_rows),
    Rule(
        "rows with the weight 0",
        row_weights.check_weightless_rows,
        applies=lambda subject: works_inside(subject.spec),
    ),
    Rule("more classes", multiclass.check_multiclass, applies=multiclass.takes_more_classes),
    Rule("must keep", bound.check_must_keep, applies=bound.weighs_or_chooses),
    Rule("size", bound.check_size, hint=True, applies=bound.has_size),
    Rule("forbidden", bound.check_forbidden, applies=bound.weighs_or_chooses),
    Rule("stops early", stopping.check_stopping, hint=True, applies=stopping.searches),
    Rule("bound groups", bound.check_bound_groups, applies=bound.chooses),
    *(
        Rule(
            f"table: {name}",
            partial(inputs.check_table, name=name),
            advice=name in EXTREME,
            applies=lambda s: s.takes_tables,
        )
        for name in degenerate_names()
    ),
)


def operator_checks(
    operator: Callable[..., Any] | Operator,
    *,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    strict: bool = False,
    values_per_parameter: int | None = None,
) -> Iterator[tuple[str, Check]]:
    """Return the name and the check of every rule that applies to an operator.

    Made for ``pytest.mark.parametrize``; the arguments are those of `check_operator`.
    """
    subject = subject_of(
        operator,
        inputs=inputs or {},
        parameters=parameters or {},
        strict=strict,
        values_per_parameter=values_per_parameter,
    )
    for rule in RULES:
        if rule.applies(subject):
            yield rule.name, partial(_check, rule, subject)


def _check(rule: Rule, subject: Subject) -> None:
    try:
        rule.check(subject)
    except Exception as error:
        said = "" if isinstance(error, AssertionError) else f"{type(error).__name__}: "
        message = f'{subject.spec.key} breaks the rule "{rule.name}": {said}{error}'
        if (rule.advice and not subject.strict) or (rule.hint and not subject.is_built_in):
            warnings.warn(message, ContractWarning, stacklevel=3)
            return
        raise AssertionError(message) from error


def check_operator(
    operator: Callable[..., Any] | Operator,
    *,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    strict: bool = False,
    values_per_parameter: int | None = None,
) -> None:
    """Check that an operator keeps the contract; AssertionError says which rules it breaks.

    Inputs are generated from the ports and from the accepted data.

    Parameters
    ----------
    operator : callable
        The decorated function.
    inputs : mapping of str to value, optional
        Inputs of ports, by name, where generated ones do not fit. Inner processes are
        functions.
    parameters : mapping of str to value, optional
        Parameters to set in all calls.
    strict : bool
        Whether help, descriptions and answers to extreme tables are required too, and no warning
        of any library is let through; otherwise missing parts raise a `ContractWarning`.
    values_per_parameter : int, optional
        How many values of each parameter are tried at most, to save time. By default all are.
    """
    broken: list[AssertionError] = []
    for _, check in operator_checks(
        operator,
        inputs=inputs,
        parameters=parameters,
        strict=strict,
        values_per_parameter=values_per_parameter,
    ):
        try:
            check()
        except AssertionError as error:
            broken.append(error)
    if broken:
        raise AssertionError("\n".join(map(str, broken))) from broken[0]
