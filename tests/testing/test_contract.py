"""The kit finds what is wrong with an operator, says it in words, and lets good ones pass."""

import importlib.util
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pytest
from pydantic import Field

from fsops import (
    AttributeName,
    AttributeNames,
    AttributeWeights,
    Collection,
    Context,
    ExampleSet,
    Expert,
    File,
    FlowObject,
    Model,
    Named,
    PerformanceVector,
    Subprocess,
    operator,
)
from fsops.errors import DataError
from fsops.testing import ContractWarning, check_operator, make_examples, operator_checks
from fsops.testing.contract import RULES
from fsops.testing.rules import behaviour


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of the operators here write files where they are."""
    monkeypatch.chdir(tmp_path)


def load_module(name: str) -> Any:
    """Import a module beside this one, so that its operators can be pickled."""
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


bad = load_module("bad_operators")

BROKEN = [
    # operator, rule, part of the message, needs strict
    (bad.no_help, "help", "nothing but a title", True),
    (bad.help_without_sentence, "help", "no sentence", True),
    (bad.undescribed_parameter, "descriptions", "no description: k", True),
    (bad.undescribed_ports, "descriptions", "one, two", True),
    (bad.weighs_nothing, "role fits the ports", "returns attribute weights", False),
    (
        bad.learns_without_rows,
        "role fits the ports",
        "takes a data table and returns a model",
        False,
    ),
    (bad.source_with_input, "role fits the ports", "needs no input", False),
    (bad.hidden_validation, "role fits the ports", 'has the role "validation"', False),
    (bad.changed_default, "defaults", "becomes 2.0", False),
    (bad.never_applies, "defaults", "k never applies", False),
    (bad.accepts_anything, "wrong values are refused", "is accepted", False),
    (bad.stops_at_a_value, "allowed values are answered", "k=-1: stopped with ValueError", False),
    (bad.stops_at_a_choice, "allowed values are answered", "how='badly'", False),
    (bad.changes_its_input, "inputs stay unchanged", "changes its inputs: weights", False),
    (bad.uses_global_random_numbers, "same seed, same bytes", "called twice", False),
    (bad.uses_global_random_numbers, "no traces", "global random numbers", False),
    (bad.remembers_calls, "same seed, same bytes", "differs", False),
    (bad.knows_where_it_runs, "function and process agree", "in a process", False),
    (bad.counts_in_a_loop, "order does not matter", "in reverse order", False),
    (bad.random_in_order, "order does not matter", "in reverse order", False),
    (bad.loops_with_a_lock, "order does not matter", "cannot be sent to a worker", False),
    (bad.needs_all_rows, "tables in blocks", "refuses every table in blocks: The table", False),
    (bad.looks_at_the_first_rows, "tables in blocks", "other weights", False),
    (bad.forgets_the_zeros, "sparse tables", "other weights", False),
    (bad.ignores_row_weights, "row weights", "other weights", False),
    (bad.counts_rows_of_lists, "rows with the weight 0", "another result", False),
    (bad.compares_the_first_class_only, "more classes", "not the largest weights", False),
    (bad.takes_the_first, "must keep", "is not in the table", False),
    (bad.weighs_the_forbidden, "forbidden", "has a weight", False),
    (bad.takes_the_first, "bound groups", "only one attribute of the group", False),
    (bad.refuses_what_it_accepts, "sparse tables", "refused: No zeros.", False),
    (bad.prints, "no traces", "prints: 'Hello", False),
    (bad.writes_a_file, "no traces", "cache.txt", False),
    (bad.sets_numpy, "no traces", "np.seterr", False),
    (bad.leaves_a_thread, "no traces", "leaves threads behind", False),
    (bad.cannot_travel, "results travel", "cannot be pickled", False),
    (bad.loses_something, "results travel", "another after pickling", False),
    (bad.does_not_stop, "stops when asked", "must not be caught", False),
    (bad.describes_others, "metadata", "described attributes ('nobody',)", False),
    (bad.loses_a_row, "metadata", "described rows", False),
    (bad.learns_less, "metadata", "described attributes", False),
    (bad.describes_the_known_only, "metadata", "describe stops with AttributeError", False),
    (bad.describes_other_ports, "metadata", "which are not outputs", False),
    (bad.describes_another_type, "metadata", "described as Model", False),
    (bad.strips_names, "names are kept", "which no input has", False),
    (bad.strips_names, "table: odd names", "which no input has", False),
    (bad.judges_by_names, "names are kept", "other names give other weights", False),
    (bad.renames, "names are kept", "are not kept", False),
    (bad.divides_by_zero, "table: constant column", "RuntimeWarning", False),
    (bad.gives_nan, "table: constant column", "are NaN though no value is missing", False),
    (bad.needs_two_rows, "table: single row", "IndexError", False),
    (bad.needs_two_classes, "kinds of tables", "polynominal label", False),
    (bad.needs_all_weights, "odd inputs", "of some attributes", False),
    (bad.needs_an_optional_input, "odd inputs", "no input", False),
    (bad.needs_several, "odd inputs", 'at "examples" no input', False),
    (bad.takes_the_strange, "results travel", "inputs={'strange'", False),
]


def failure(declared: Any, rule: str, **given: Any) -> str:
    check = dict(operator_checks(declared, **given))[rule]
    with pytest.raises(AssertionError) as error:
        check()
    return str(error.value)


@pytest.mark.parametrize(
    ("declared", "rule", "message", "strict"),
    BROKEN,
    ids=[f"{declared.__name__}-{rule}" for declared, rule, *_ in BROKEN],
)
def test_broken_rule_is_named(declared: Any, rule: str, message: str, strict: bool) -> None:
    said = failure(declared, rule, strict=strict)
    assert said.startswith(f'{declared.operator.key} breaks the rule "{rule}": ')
    assert message in said


def test_every_rule_has_an_operator_that_breaks_it() -> None:
    # Files: an operator cannot break what the core does with declared parameters.
    # Hints: plugins, as these operators here, only get a warning.
    warned = {rule.name for rule in RULES if rule.hint} | {"files keep parameters"}
    broken = {rule for _, rule, *_ in BROKEN} | warned
    assert {rule.name for rule in RULES if not rule.name.startswith("table: ")} <= broken


def test_operator_that_cannot_be_stopped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(behaviour, "SECONDS_TO_STOP", 0.05)
    assert "can be stopped" in failure(bad.cannot_be_stopped, "stops when asked")


def test_leaving_the_program_is_no_answer() -> None:
    with pytest.raises(SystemExit):
        dict(operator_checks(bad.leaves))["table: single row"]()


def test_missing_help_is_a_warning_unless_strict() -> None:
    with pytest.warns(ContractWarning, match="nothing but a title"):
        dict(operator_checks(bad.no_help))["help"]()


@pytest.mark.parametrize("strict", [False, True])
def test_a_plugin_without_a_role_is_only_warned(strict: bool) -> None:
    check = dict(operator_checks(bad.no_help, strict=strict))["role is declared"]
    with pytest.warns(ContractWarning, match='"weighting" is assumed: declare it'):
        check()


def test_a_plugin_gets_hints_on_its_key_its_parameters_and_its_words() -> None:
    def spread(examples: ExampleSet, *, maximal_size: int = 3) -> AttributeWeights:
        """Spread

        Tells nobody about the spread.
        """
        return examples.weights(np.ptp(examples.numeric(), axis=0))

    checks = dict(operator_checks(operator(group="Mine", role="weighting")(spread)))
    with pytest.warns(ContractWarning, match='the key does not begin with "weight_by_"'):
        checks["key follows the pattern"]()
    with pytest.warns(ContractWarning, match=r"maximal_size \(use max_size\)"):
        checks["one name per idea"]()
    with pytest.warns(ContractWarning, match="words that readers stumble over"):
        checks["plain words"]()


@pytest.mark.parametrize("strict", [False, True])
def test_an_operator_of_fsops_must_declare_its_role(strict: bool) -> None:
    def without_role(examples: ExampleSet) -> ExampleSet:
        """Without role"""
        return examples

    without_role.__module__ = "fsops.operators.preparation.rows"
    said = failure(operator(group="Test")(without_role), "role is declared", strict=strict)
    assert 'no role is declared, so "preparation" is assumed' in said


def test_all_broken_rules_are_told_at_once() -> None:
    with pytest.raises(AssertionError) as error, warnings.catch_warnings(action="ignore"):
        check_operator(bad.strips_names)
    said = str(error.value)
    assert '"names are kept"' in said
    assert '"table: odd names"' in said


def test_local_function_cannot_be_sent_to_workers() -> None:
    @operator(group="Bad")
    def local(examples: ExampleSet) -> ExampleSet:
        """Local"""
        return examples

    assert "top of a module" in failure(local, "results travel")


def test_what_is_no_operator_is_refused() -> None:
    with pytest.raises(Exception, match="is not an operator"):
        check_operator(print)


# --- good operators -------------------------------------------------------------------------


class Parts(NamedTuple):
    examples: Annotated[ExampleSet, Named(description="The rows that were kept.")]
    weights: AttributeWeights | None
    models: list[Model]


class Trained(NamedTuple):
    model: Model
    weights: AttributeWeights | None


class Pathway(FlowObject):
    title = "Pathway"

    def __init__(self, steps: int = 3) -> None:
        self.steps = steps

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pathway) and other.steps == self.steps

    __hash__ = None  # type: ignore[assignment]


@operator(group="Good", role="validation")
def everything(
    examples: ExampleSet,
    weights: Annotated[AttributeWeights, Named(description="The weights that count.")],
    model: Model,
    performance: PerformanceVector,
    collection: Collection[PerformanceVector],
    anything: FlowObject,
    more: Annotated[list[AttributeWeights], Named(description="Weights beside them.")],
    training: Subprocess[[ExampleSet], Trained],
    testing: Subprocess[[Model, ExampleSet], PerformanceVector],
    steps: list[Subprocess[[ExampleSet], ExampleSet]],
    *,
    text: Annotated[str, Field(description="A text.")],
    number: Annotated[float, Field(gt=0, lt=1, description="A share.")],
    count: Annotated[int, Field(ge=3, description="A count.")],
    how: Annotated[Literal["well", "badly"], Field(description="How.")],
    flag: Annotated[bool, Field(description="Whether.")],
    column: Annotated[str, AttributeName(), Field(description="An attribute.")],
    columns: Annotated[list[str], AttributeNames(), Field(description="Attributes.")],
    items: Annotated[list[int], Field(description="Numbers.")],
    pairs: Annotated[dict[str, float], Expert(), Field(description="Numbers by name.")],
    file: Annotated[str, File((".tsv",)), Field(description="A table.")],
    target: Annotated[str, File(write=True), Field(description="Where to write.")],
    sample: Annotated[str, Field(description="A word.", examples=["iris"])] = "iris",
    ctx: Context,
) -> Parts:
    """Everything

    Takes and gives whatever an operator can take and give.
    """
    assert isinstance(collection[0], PerformanceVector)
    if not Path(file).is_file():
        raise DataError(f'There is no file "{file}".')
    for name in (column, *columns):
        examples.schema.position(name)
    models = ctx.map(lambda part: training(examples.take(part)).model, [[0, 1], [1, 0]], "Parts")
    for step in steps:
        examples = step(examples)
    testing(models[0], examples)
    rows = ctx.rng().permutation(len(examples))[: count if flag else None]
    return Parts(examples.take(np.sort(rows)), weights if how == "well" else None, models)


def test_an_operator_with_all_kinds_of_ports_and_parameters_passes() -> None:
    sys.modules.setdefault(__name__, sys.modules[everything.__module__])
    found = {name: check for name, check in operator_checks(everything, strict=True)}
    for name, check in found.items():
        if not name.startswith("table: ") and name != "odd inputs":
            check()


@operator(group="Good", role="preparation")
def lengthen(pathway: Pathway) -> Pathway:
    """Lengthen

    Makes a pathway longer.
    """
    return Pathway(pathway.steps + 1)


@operator(group="Good", role="search")
def try_once(
    examples: ExampleSet, evaluation: Subprocess[[ExampleSet], PerformanceVector]
) -> PerformanceVector:
    """Try once

    Runs its inner process on the table.
    """
    return evaluation(examples)


def test_a_search_of_a_plugin_that_cannot_be_stopped_is_warned_about() -> None:
    with pytest.warns(ContractWarning, match="no parameter tolerance, patience, max_seconds"):
        dict(operator_checks(try_once))["stops early"]()


def test_author_gives_what_cannot_be_made_up() -> None:
    check_operator(lengthen, inputs={"pathway": Pathway()}, strict=True)


@operator(group="Good", role="rows")
def only_positive(examples: ExampleSet, *, column: str) -> ExampleSet:
    """Only positive

    Keeps the rows in which a column is above zero.
    """
    return examples.take(examples.column(column) > 0)


def test_author_gives_table_and_parameters() -> None:
    table = make_examples(10, 1, 0).rename({"num1": "mine"})
    checks = dict(
        operator_checks(only_positive, inputs={"examples": table}, parameters={"column": "mine"})
    )
    for name in ("same seed, same bytes", "table: single row", "function and process agree"):
        checks[name]()


TRIED: list[tuple[str, bool]] = []


@operator(group="Good")
def remember(examples: ExampleSet, *, text: str = "default", flag: bool = False) -> ExampleSet:
    """Remember

    Notes the parameters of every call.
    """
    TRIED.append((text, flag))
    return examples


def tried_values(**given: Any) -> list[tuple[str, bool]]:
    check = dict(operator_checks(remember, inputs={"examples": make_examples(4)}, **given))
    TRIED.clear()
    check["allowed values are answered"]()
    return list(TRIED)


def test_every_value_is_tried_and_the_defaults_only_once() -> None:
    tried = tried_values()
    assert len(tried) > 15
    assert len(tried) == len(set(tried))
    assert ("default", True) in tried


def test_at_most_so_many_values_of_each_parameter_are_tried_always_the_same() -> None:
    tried = tried_values(values_per_parameter=3)
    assert len({text for text, _ in tried} - {"default"}) in (2, 3)
    assert {flag for _, flag in tried} == {False, True}
    assert tried == tried_values(values_per_parameter=3)


def test_the_plugin_of_the_documentation_passes() -> None:
    folder = Path(__file__).parents[1] / "fixtures" / "plugins" / "fsops-range"
    code = (
        "import warnings\n"
        "from fsops.testing import ContractWarning, check_operator\n"
        "from fsops_range import weight_by_range\n"
        "warnings.simplefilter('ignore', ContractWarning)\n"
        "check_operator(weight_by_range)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
