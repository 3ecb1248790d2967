"""The rules about attributes that must be kept, are forbidden, or belong together."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterable, Iterator

import numpy as np

from fsops.core.declare.bound_attributes import chooses_attributes, group_handling
from fsops.core.declare.parameters import Parameter
from fsops.data import AttributeWeights, Collection, ExampleSet
from fsops.data.attribute_groups import AttributeGroups
from fsops.testing.cases import CannotMakeUp, Case, Subject
from fsops.testing.trial import Answer, answer, expect

GROUP = "pair of attributes"
SIZES = ("k", "max_attributes", "keep_best")
"""Parameters that are the size of a result."""
SIZE = 2
OTHER_SIZES = frozenset(
    {
        ("optimize_by_generation_yagga", "max_attributes"),  # mutations add none from there on
        ("optimize_selection", "keep_best"),  # the number of sets
        ("select_by_randomized_wrapper", "k"),  # the size at the start
        ("stability_selection", "k"),  # the size of the selection from each half of the rows
        ("weights_from_knife_path", "k"),  # chooses a penalty
    }
)
"""Operators and parameters of these names that are the size of something else."""


def chooses(subject: Subject) -> bool:
    """Return whether an operator chooses attributes of a table."""
    return chooses_attributes(subject.spec)


def weighs_or_chooses(subject: Subject) -> bool:
    """Return whether an operator gives attributes weights, or chooses some of them."""
    spec = subject.spec
    takes = any(issubclass(port.type, ExampleSet) for port in spec.inputs)
    gives = any(issubclass(port.type, AttributeWeights) for port in spec.outputs)
    if chooses_attributes(spec) or (takes and gives and spec.role == "weighting"):
        return True
    return takes and spec.role == "selection"  # candidate sets in a collection


def check_must_keep(subject: Subject) -> None:
    """Every selection keeps an attribute with the role must_keep, and weights carry the role."""
    for table, plain, situation in _tables(subject):
        for name in _preferred(subject, table, plain)[-1:]:
            case = _with_tables(subject, table, table.with_roles({name: "must_keep"}))
            found = answer(subject, case, f"must keep, {situation}")
            expect(found.refusal is None, f"must keep, {situation}: refused: {found.refusal}")
            _expect_kept(subject, found, name, f"must keep, {situation}")


def has_size(subject: Subject) -> bool:
    """Return whether a parameter of an operator is the number of attributes in its result."""
    spec = subject.spec
    gives = any(issubclass(port.type, AttributeWeights | ExampleSet) for port in spec.outputs)
    roles = ("selection", "search", "weighting")
    return gives and spec.role in roles and bool(_sizes(subject))


def check_size(subject: Subject) -> None:
    """Attributes to keep count among the k; if they are more, the result has only them."""
    for table, plain, situation in _tables(subject):
        names = _preferred(subject, table, plain)[::-1]
        for parameter, kept in itertools.product(_sizes(subject), range(1, SIZE + 2)):
            if kept >= len(names):
                continue
            case = _marked(_applying(subject.case(table), parameter), names[:kept])
            told = f"{parameter.name}={SIZE}, {kept} to keep, {situation}"
            found = answer(subject, case.with_parameter(parameter.name, SIZE), told)
            expect(found.refusal is None, f"{told}: refused: {found.refusal}")
            chosen = _selected(found)
            absent = sorted({*names[:kept]} - chosen)
            expect(not absent, f"{told}: {absent} are not selected")
            expect(len(chosen) <= max(SIZE, kept), f"{told}: {len(chosen)} are selected")


def check_forbidden(subject: Subject) -> None:
    """The result does not depend on a forbidden attribute, and never has it."""
    for table, plain, situation in _tables(subject):
        preferred = _preferred(subject, table, plain)
        if not preferred:
            continue
        name = preferred[0]
        changed = table.with_roles({name: "forbidden"})
        if not len(changed.schema.regular):
            continue
        without = answer(subject, subject.case(table.drop([name])), f"without one, {situation}")
        found = answer(
            subject, _with_tables(subject, table.drop([name]), changed), f"forbidden, {situation}"
        )
        expect(
            (found.refusal is None) == (without.refusal is None),
            f"forbidden, {situation}: {found.refusal or without.refusal}",
        )
        for one, two in zip(_flat(without.values), _flat(found.values), strict=True):
            if isinstance(two, AttributeWeights) and isinstance(one, AttributeWeights):
                expect(name not in two, f'forbidden, {situation}: "{name}" has a weight')
                same = np.array_equal(one.values, two.values, equal_nan=True)
                expect(same, f"forbidden, {situation}: other weights than without the attribute")
            if isinstance(two, ExampleSet):
                regular = two.schema.regular_names
                expect(name not in regular, f'forbidden, {situation}: "{name}" was selected')


def check_bound_groups(subject: Subject) -> None:
    """A bound group is selected as a whole, or refused by name."""
    for table, plain, situation in _tables(subject):
        if len(table.schema.regular) < 3:
            continue
        first, *_, last = _preferred(subject, table, plain)
        pair = table.schema.positions([first, last])
        bound = table.with_groups(AttributeGroups.of({GROUP: pair.tolist()}, bound=True))
        found = answer(subject, _with_tables(subject, table, bound), f"bound group, {situation}")
        if group_handling(subject.spec) == "refused":
            said = str(found.refusal or "")
            named = GROUP in said and "selected together" in said
            expect(named, f"bound group, {situation}: not refused by name: {said}")
            continue
        expect(found.refusal is None, f"bound group, {situation}: refused: {found.refusal}")
        if group_handling(subject.spec) != "unaffected":
            _expect_together(found, (first, last), f"bound group, {situation}")


# --- the tables -----------------------------------------------------------------------------


def _tables(subject: Subject) -> Iterator[tuple[ExampleSet, Answer, str]]:
    """Return tables that the operator takes, and its answers."""
    for kind in subject.table_kinds():
        with contextlib.suppress(CannotMakeUp):
            table = kind.table()
            situation = f"a table with {kind}"
            plain = answer(subject, subject.case(table), f"on {situation}")
            if plain.refusal is None and len(table.schema.regular) > 1:
                yield table, plain, situation


def _with_tables(subject: Subject, table: ExampleSet, changed: ExampleSet) -> Case:
    """Return the call for a table, in which the table has other roles or groups."""
    case = subject.case(table)
    for port, value in case.inputs.items():
        if isinstance(value, ExampleSet):
            case = case.with_input(port, changed)
    return case


def _preferred(subject: Subject, table: ExampleSet, plain: Answer) -> list[str]:
    """Return the regular attributes, first those that the operator prefers.

    A weighting may leave out attributes, such as nominal ones; only those with a weight count.
    """
    names = list(table.schema.regular_names)
    weights = next((v for v in plain.values if isinstance(v, AttributeWeights)), None)
    if weights is not None and not chooses(subject):
        weighed = set(weights.names)
        names = [name for name in names if name in weighed]
    if weights is not None and set(names) <= set(weights.names):
        places = weights.names.find(names)
        scores = np.nan_to_num(weights.scores[places], nan=-np.inf)
        return [names[i] for i in np.argsort(-scores, kind="stable")]
    selected = next((v for v in plain.values if isinstance(v, ExampleSet)), None)
    if selected is None:
        return names
    return sorted(names, key=lambda name: name not in selected.schema.regular_names)


def _sizes(subject: Subject) -> list[Parameter]:
    return [
        parameter
        for parameter in subject.spec.parameters
        if parameter.name in SIZES and (subject.spec.key, parameter.name) not in OTHER_SIZES
    ]


def _applying(case: Case, parameter: Parameter) -> Case:
    """Return a call changed so that a parameter applies."""
    for other, allowed in parameter.when.alternatives[0].items() if parameter.when else ():
        case = case.with_parameter(other, allowed[0])
    return case


def _marked(case: Case, names: list[str]) -> Case:
    """Return a call in which attributes of tables and weights must be kept."""

    def marked(value: object) -> object:
        if isinstance(value, list):
            return [marked(item) for item in value]
        if isinstance(value, ExampleSet):
            return value.with_mark(names, "must_keep")
        if isinstance(value, AttributeWeights):
            return value.with_details({"must_keep": np.isin([*value.names], names) * 1})
        return value

    for port, value in case.inputs.items():
        case = case.with_input(port, marked(value))
    return case


# --- the results ----------------------------------------------------------------------------


def _expect_kept(subject: Subject, found: Answer, name: str, situation: str) -> None:
    for value in _flat(found.values):
        if isinstance(value, AttributeWeights):
            expect(name in value.selected(), f'{situation}: "{name}" is not selected')
            expect(name in value.top(1), f'{situation}: "{name}" is not in the best one')
    if not chooses(subject):
        return
    table = found.outputs.get("examples", [None])[0]
    if isinstance(table, ExampleSet):
        expect(name in table.schema.regular_names, f'{situation}: "{name}" is not in the table')
    for value in found.values:
        if isinstance(value, AttributeWeights) and not value.smallest_is_best:
            expect(value[name] != 0, f'{situation}: the weight of "{name}" is 0')


def _selected(found: Answer) -> set[str]:
    """Return the names of the attributes that a result selects."""
    weights = next((v for v in found.values if isinstance(v, AttributeWeights)), None)
    if weights is not None:
        return set(weights.selected())
    table = next(value for value in found.values if isinstance(value, ExampleSet))
    return set(table.schema.regular_names)


def _flat(values: Iterable[object]) -> Iterator[object]:
    """Return values, and instead of collections their items."""
    for value in values:
        if isinstance(value, Collection):
            yield from value
        else:
            yield value


def _expect_together(found: Answer, pair: tuple[str, str], situation: str) -> None:
    for value in found.values:
        chosen: set[str] = set()
        if isinstance(value, AttributeWeights):
            chosen = {name for name, weight in value if weight != 0}
        elif value is found.outputs.get("examples", [None])[0] and isinstance(value, ExampleSet):
            chosen = set(value.schema.regular_names)
        count = len(chosen & set(pair))
        expect(count != 1, f"{situation}: only one attribute of the group was selected")
