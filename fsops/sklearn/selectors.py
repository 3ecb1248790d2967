"""Every operator that weighs or selects attributes, as a selector of scikit-learn."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, reduce
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import ClassifierTags, Tags, check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from fsops import operators
from fsops.core import Accepts, Context
from fsops.core.declare.macros import expand
from fsops.core.declare.parameters import Parameter, has_macro
from fsops.core.declare.renames import present_key, warn_renamed
from fsops.core.declare.seeds import SEED_PARAMETERS
from fsops.core.declare.vocabulary import KEYS
from fsops.core.frame.frame import current_state
from fsops.core.frame.invoke import invoke_here
from fsops.core.operator import Operator, operator_of
from fsops.data import AttributeWeights, ExampleSet
from fsops.errors import (
    ParameterError,
    UsageError,
    did_you_mean,
    enumerate_names,
    unknown_argument,
)
from fsops.operators import select_top_k
from fsops.sklearn.declared import (
    LABEL_TYPE,
    MISSING,
    accepts_of_learner,
    accepts_of_operator,
    arguments_of,
    both,
    choices_of,
    chooses_itself,
    class_name,
    constant_default,
    described_parameters,
    is_selector,
    label_kind,
    marks_of,
    own_parameters,
    weights_output,
    weights_ports,
)
from fsops.sklearn.errors import UnsuitableData, refuse_arguments, value_errors
from fsops.sklearn.tables import (
    chosen_columns,
    is_anndata,
    names_in,
    read_table,
    require_numbers,
    with_groups,
    with_row_weights,
)

MODULE = "fsops.sklearn"
LARGEST_SEED = np.iinfo(np.int32).max


class OperatorSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """The base of the selectors; each is made from the declaration of its operator."""

    _spec: ClassVar[Operator]

    # --- scikit-learn asks ------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, groups: Any = None, **unknown: Any) -> Self:
        """Weigh the columns of X and choose among them.

        Parameters
        ----------
        X : array, data frame, sparse matrix of scipy or AnnData of shape (rows, columns)
            Columns of a data frame that are categories or text are nominal attributes. A sparse
            matrix stays sparse if the operator takes sparse tables.
        y : array of shape (rows,), optional
            Classes, or numbers. With an AnnData object it may be the name of a column of ``obs``.
            Censored times are a structured array with a boolean field (event) and a number (time).
        groups : array of shape (rows,), optional
            Rows with the same value, such as samples of a patient, are never separated where the
            operator splits or resamples rows. Pass it on by ``set_fit_request(groups=True)``.
        """
        refuse_arguments(self._spec.title, unknown, ("groups",))
        return self._fitted(X, y, groups, None)

    def _fitted(self, X: Any, y: Any, groups: Any, sample_weight: Any) -> Self:
        with value_errors(), self._missing_values_explained():
            accepts = self._accepted()
            kind = LABEL_TYPE.check(getattr(self, LABEL_TYPE.name, LABEL_TYPE.default))
            table, _ = read_table(self, X, y, accepts=accepts, label_type=label_kind(kind, accepts))
            if groups is not None:
                table = with_groups(table, groups)
            if sample_weight is not None:
                table = with_row_weights(table, sample_weight)
            if accepts.attributes == "numerical":
                require_numbers(table)
            self._check_marks(table)
            found = self._run(table, {})
            weights = self._weights_in(found)
            chosen = set(self._choice(weights).selected())
        names = names_in(self)
        own = dict(zip(weights.names, weights.scores.tolist(), strict=True))
        scores = AttributeWeights(names, [own.get(name, np.nan) for name in names])
        self.weights_ = weights
        self.scores_ = scores.values.copy()
        self.ranking_ = scores.ranking()
        self.support_ = np.array([name in chosen for name in names], dtype=bool)
        self.results_ = {k: v for k, v in found.items() if k != self._spec.inputs[0].name}
        return self

    def _check_marks(self, table: ExampleSet) -> None:
        """Refuse unknown columns, and columns that are both to be kept and forbidden."""
        named: list[str] = []
        for mark in marks_of(self._spec):
            names = mark.check(getattr(self, mark.name, None)) or []
            table.schema.positions(names)
            named += dict.fromkeys(names)
        twice = sorted({name for name in named if named.count(name) > 1})
        if twice:
            raise ParameterError(
                f"Both must_keep and forbidden name {enumerate_names(twice)}.",
                hint="Name each column in one of them only.",
            )

    def transform(self, X: Any) -> Any:
        """Return the chosen columns: of a sparse matrix or an AnnData object a sparse matrix."""
        if is_anndata(X):
            return chosen_columns(self, X, self._get_support_mask())
        return super().transform(X)

    def _get_support_mask(self) -> npt.NDArray[np.bool_]:
        check_is_fitted(self)
        mask: npt.NDArray[np.bool_] = self.support_
        return mask

    @property
    def pvalues_(self) -> npt.NDArray[np.float64]:
        """P-values in the order of the columns; only where the weights have them."""
        check_is_fitted(self)
        if "p_value" not in self.weights_.details:
            raise AttributeError(f"The weights of {type(self).__name__} have no p-values.")
        values = np.asarray(self.weights_.details["p_value"], dtype=np.float64)
        own = dict(zip(self.weights_.names, values.tolist(), strict=True))
        return np.array([own.get(name, np.nan) for name in names_in(self)])

    @contextmanager
    def _missing_values_explained(self) -> Iterator[None]:
        """Add to scikit-learn's error about NaN how the operator can leave missing values out."""
        try:
            yield
        except ValueError as error:
            allowed = next((p.choices for p in self._spec.parameters if p.name == MISSING), None)
            if "contains NaN" not in str(error) or "X" not in str(error) or not allowed:
                raise
            others = [f'{MISSING}="{choice}"' for choice in allowed if choice != "error"]
            raise UnsuitableData(
                str(error).splitlines()[0], hint=f"Set {' or '.join(others)}, or impute the values."
            ) from None

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """The weights in the order of the columns, 0 where there is none."""
        check_is_fitted(self)
        return np.nan_to_num(self.scores_, nan=0.0, posinf=np.inf, neginf=-np.inf)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        accepts = self._accepted()
        tags.target_tags.required = accepts.label != "none"
        tags.input_tags.allow_nan = accepts.missing
        tags.input_tags.sparse = True
        tags.input_tags.categorical = accepts.attributes != "numerical"
        if accepts.label == "binominal":
            tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    # --- the operator answers ---------------------------------------------------------------

    def as_function(self) -> Callable[..., AttributeWeights]:
        """Return a function from a table to weights, to replace an inner process.

        With k, p or threshold it gives 1 for chosen attributes and 0 for all others.
        """
        return self._weigh

    def _weigh(self, examples: ExampleSet, **settings: Any) -> AttributeWeights:
        weights = self._weights_in(self._run(examples, settings))
        return self._choice(weights) if self._given_choices() else weights

    def _run(self, examples: ExampleSet, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Return the results of the operator, as if it were called as a function."""
        spec = self._spec
        for mark in marks_of(spec):
            named = mark.check(getattr(self, mark.name, None)) or []
            present = [name for name in named if name in examples.schema]
            examples = examples.with_mark(present, mark.name) if present else examples
        inputs: dict[str, Any] = {spec.inputs[0].name: examples}
        for port in weights_ports(spec):
            inputs[port] = self._given_weights(port, examples)
        if spec.subprocesses:
            inputs |= self._inner_functions()
        parameters = self._parameters() | self._seed() | dict(settings)
        return spec.split(invoke_here(spec, inputs, parameters))

    def _inner_functions(self) -> dict[str, Any]:
        """Return the replacements of the inner processes."""
        from fsops.sklearn.inner import inner_function

        inner = self._spec.subprocesses
        return {sub.name: inner_function(getattr(self, sub.name), sub) for sub in inner}

    def _parameters(self) -> dict[str, Any]:
        """Return the operator's own parameters."""
        values = [(p, getattr(self, p.name)) for p in own_parameters(self._spec)]
        return {
            p.name: value
            for p, value in values
            # What cannot be a default in scikit-learn, such as {}, is None there.
            if value is not None or constant_default(p) is not None or p.optional or p.required
        }

    def _given_weights(self, port: str, examples: ExampleSet) -> Any:
        """Return weights that the operator takes beside the table, or what computes them."""
        value = getattr(self, port)
        if isinstance(value, Mapping):
            return AttributeWeights(list(value), list(value.values()))
        if hasattr(value, "as_function"):
            return value.as_function()(examples)
        return value(examples) if callable(value) else value

    def _seed(self) -> dict[str, Any]:
        state = getattr(self, "random_state", None)
        if state is None:
            return {}
        seed = state
        if not isinstance(state, int | np.integer):
            seed = check_random_state(state).randint(LARGEST_SEED)
        if seed < 0:
            raise ParameterError(f"random_state is {seed}, but must be at least 0.")
        use, number = (parameter.name for parameter in SEED_PARAMETERS)
        return {use: True, number: int(seed)}

    def _weights_in(self, found: Mapping[str, Any]) -> AttributeWeights:
        weights: AttributeWeights = found[weights_output(self._spec)]
        return weights

    def _given_choices(self) -> dict[str, Any]:
        values = [(c, getattr(self, c.name)) for c in choices_of(self._spec)]
        given = {c.name: c.check(_resolved(v)) for c, v in values if v is not None}
        if len(given) > 1:
            raise ParameterError(f"Only one of {' and '.join(given)} can be given.")
        return given

    def _choice(self, weights: AttributeWeights) -> AttributeWeights:
        """Return 1 for the attributes to keep, and 0 for all others."""
        given = self._given_choices()
        if not given:
            given = {"k": "selected" if chooses_itself(self._spec) else 10}
        how, value = next(iter(given.items()))
        ctx = Context(path=(self._spec.title,))
        if how == "p":
            return select_top_k(weights, method="top p%", p=value, ctx=ctx)
        if how == "threshold":
            return weights.with_values(weights.values >= value)
        if value == "all":
            return weights.with_values(np.ones(len(weights)))
        if value == "selected":
            known = np.nan_to_num(weights.values, nan=0.0)
            return weights.with_values(known != 0)
        return select_top_k(weights, k=value, ctx=ctx)

    def _accepted(self) -> Accepts:
        """Return the accepted data of the operator and of the replacements of inner processes."""
        inner = [getattr(self, sub.name) for sub in self._spec.subprocesses]
        items = [
            v for value in inner for v in (value if isinstance(value, list | tuple) else [value])
        ]
        own = accepts_of_operator(self._spec, getattr(self, MISSING, None))
        return reduce(both, filter(None, map(_accepts_of, items)), own)


class WeightedSelector(OperatorSelector):
    """A selector whose operator uses row weights; scikit-learn looks for them in ``fit``."""

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        groups: Any = None,
        **unknown: Any,
    ) -> Self:
        """Weigh the columns of X and choose among them.

        Parameters
        ----------
        X : array, data frame, sparse matrix of scipy or AnnData of shape (rows, columns)
            Categorical and text columns of a data frame are nominal attributes. A sparse matrix
            stays sparse if the operator takes sparse tables.
        y : array of shape (rows,), optional
            Classes, or numbers. With an AnnData object it may be the name of a column of ``obs``.
            Censored times are a structured array with a boolean field (event) and a number (time).
        sample_weight : array of shape (rows,), optional
            How often each row counts: 2 is the same as the row twice, 0 as without it. Methods on
            ranks and distances need whole numbers.
        groups : array of shape (rows,), optional
            Rows with the same value are never separated where the operator splits or resamples.
        """
        refuse_arguments(self._spec.title, unknown, ("groups", "sample_weight"))
        return self._fitted(X, y, groups, sample_weight)


@dataclass(frozen=True)
class _Page:
    """The help of a selector, which is written when it is read."""

    spec: Operator
    arguments: Mapping[str, inspect.Parameter]
    described: Sequence[Parameter]

    def __get__(self, instance: object, owner: type) -> str:
        from fsops.sklearn.pages import page_of

        return page_of(self.spec, self.arguments, self.described)


@cache
def selector_class(spec: Operator) -> type[OperatorSelector]:
    """Return the selector made from an operator's declaration."""
    arguments = arguments_of(spec)
    name = class_name(spec.key)
    this = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature([this, *arguments.values()])

    def __init__(*args: Any, **kwargs: Any) -> None:  # noqa: N807 - it becomes the method
        unknown = next((each for each in kwargs if each not in arguments), None)
        if unknown in spec.aliases.parameters:
            kwargs = spec.renamed(kwargs)
            unknown = next((each for each in kwargs if each not in arguments), None)
        if unknown is not None:
            raise unknown_argument(name, unknown, arguments)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        for each in arguments:
            setattr(args[0], each, bound.arguments[each])

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    __init__.__qualname__, __init__.__module__ = f"{name}.__init__", MODULE
    described = described_parameters(spec)
    members = {
        "__init__": __init__,
        "__doc__": _Page(spec, arguments, described),
        "__module__": MODULE,
        "_spec": spec,
    }
    weighted = not spec.subprocesses and spec.row_weights in ("used", "whole numbers")
    return type(name, (WeightedSelector if weighted else OperatorSelector,), members)


def _resolved(value: Any) -> Any:
    """Return the value; inside a loop a macro such as %{k} has one."""
    return expand(value, current_state().macros) if has_macro(value) else value


def _accepts_of(value: Any) -> Accepts | None:
    """Return the accepted data of a selector, a learner or an operator's function."""
    if isinstance(value, OperatorSelector):
        accepts: Accepts = value._accepted()
        return accepts
    if hasattr(value, "__sklearn_tags__"):
        return accepts_of_learner(get_tags(value))
    spec = getattr(value, "operator", None)
    if not isinstance(spec, Operator) or not spec.inputs:
        return None
    defaults = {parameter.name: parameter.default for parameter in spec.parameters}
    return accepts_of_operator(spec, defaults.get(MISSING))


# --- selectors by name ----------------------------------------------------------------------


def selector(key: str, /, *args: Any, **parameters: Any) -> OperatorSelector:
    """Return the selector of an operator by its key: ``selector("weight_by_sam", k=20)``."""
    if present_key(key) != key:
        warn_renamed("", key, present_key(key))
    key = present_key(key)
    spec = _built_in(key) or _of_plugins(key)
    if spec is None or not is_selector(spec):
        raise UsageError(
            f'"{key}" does not weigh or select attributes.',
            hint=did_you_mean(key, [spec.key for spec in _all_selectors()]),
        )
    return selector_class(spec)(*args, **parameters)


def selector_named(name: str) -> type[OperatorSelector] | None:
    """Return the selector whose class has this name, or had it earlier."""
    earlier = next((old for old in KEYS if class_name(old) == name), None)
    if earlier is not None:
        warn_renamed("", name, class_name(KEYS[earlier]), stacklevel=5)
        name = class_name(KEYS[earlier])
    key = next((key for key in dir(operators) if class_name(key) == name), None)
    specs = _all_selectors() if key is None else [operator_of(getattr(operators, key))]
    fitting = (spec for spec in specs if class_name(spec.key) == name and is_selector(spec))
    spec = next(fitting, None)
    return None if spec is None else selector_class(spec)


def selector_names() -> list[str]:
    """Return the class names of all selectors, also of those from plugins."""
    return [class_name(spec.key) for spec in _all_selectors()]


def _built_in(key: str) -> Operator | None:
    """Return an operator of fsops itself, without loading any other operator or plugin."""
    return operator_of(getattr(operators, key)) if key in dir(operators) else None


def _of_plugins(key: str) -> Operator | None:
    from fsops.plugins import plugins

    spec = plugins().registry.find(key)
    return None if spec.is_placeholder else spec


def _all_selectors() -> list[Operator]:
    from fsops.plugins import plugins

    return [spec for spec in plugins().registry if is_selector(spec)]
