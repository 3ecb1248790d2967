"""A whole process as one estimator of scikit-learn."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, Tags, TransformerTags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from fsops.core import Process
from fsops.core.frame.services import WARNING
from fsops.core.graph.targets import find_target
from fsops.data import (
    AttributeWeights,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
    PreprocessingModel,
)
from fsops.data.columns import category_text
from fsops.data.model import confidence_role
from fsops.data.schema import PREDICTION
from fsops.errors import OperatorWarning, ParameterError
from fsops.runs.run import run
from fsops.sklearn.declared import LABEL_TYPE, label_kind
from fsops.sklearn.errors import UnsuitableData, refuse_arguments, value_errors
from fsops.sklearn.graphs import accepted_by, delivered_types, standing_alone
from fsops.sklearn.selectors import LARGEST_SEED
from fsops.sklearn.tables import LabelType, names_in, read_rows, read_table
from fsops.sklearn.transforms import KeptColumns, PreparedColumns
from fsops.storage import read_process

Purpose = Literal["classifier", "regressor"]
Method = TypeVar("Method", bound=Callable[..., Any])


def _predicts(self: ProcessEstimator) -> bool:
    kinds = self._delivered()
    return any(issubclass(k, Model) and not issubclass(k, PreprocessingModel) for k in kinds)


def _predicts_classes(self: ProcessEstimator) -> bool:
    if hasattr(self, "n_features_in_"):
        return _predicts(self) and hasattr(self, "classes_")
    return _predicts(self) and self._purpose() != "regressor"


def _transforms(self: ProcessEstimator) -> bool:
    kinds = (AttributeWeights, ExampleSet, PreprocessingModel)
    return any(issubclass(kind, kinds) for kind in self._delivered())


def _if(condition: Callable[[ProcessEstimator], bool]) -> Callable[[Method], Method]:
    """Give the estimator a method only if its process supports it."""
    decorate: Callable[[Method], Method] = available_if(condition)
    return decorate


class ProcessEstimator(BaseEstimator):  # type: ignore[misc]
    """A process that takes a table, as an estimator.

    Its methods follow from the results of the process: with a model it predicts, with weights,
    a table or a preprocessing model it transforms. Parameters of its operators are parameters of
    the estimator, named ``"SVM__C"``, so that a search can try them.

    Parameters
    ----------
    process : Process, or path of a process file
        Takes a table at its first input. It may be an inner process: ``node.inner("training")``.
    settings : dict, default=None
        Other values for parameters of its operators, by ``"SVM.C"``; `set_params` fills it.
    data : str, default=None
        Name of an operator that loads data and whose place X and y take, for a process without an
        input.
    label_type : {"auto", "nominal", "numerical"}, default="auto"
        What y is: classes, or numbers. By itself it follows from the operators that take the table;
        where they take both, real numbers are numbers and all else are classes.
    random_state : int or RandomState, default=None
        Takes the place of the seed of the process.

    Attributes
    ----------
    results_ : list
        Results of the process.
    model_, weights_, performance_
        The first result of each kind; None if there is none.
    classes_ : array
        The classes in sorted order; only if y are classes.
    n_features_in_, feature_names_in_
        Number and names of the columns seen, as everywhere in scikit-learn.
    """

    def __init__(
        self,
        process: Process | str | os.PathLike[str],
        *,
        settings: Mapping[str, Any] | None = None,
        data: str | None = None,
        label_type: LabelType = "auto",
        random_state: Any = None,
    ) -> None:
        self.process = process
        self.settings = settings
        self.data = data
        self.label_type = label_type
        self.random_state = random_state

    # --- parameters -------------------------------------------------------------------------

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with ``deep`` those of the operators, too."""
        params: dict[str, Any] = super().get_params(deep=False)
        if deep:
            for node in self._loaded().walk():
                for parameter in node.operator.parameters:
                    default = None if parameter.required else parameter.default
                    value = node.parameters.get(parameter.name, default)
                    params[f"{node.name}__{parameter.name}"] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of operators: ``set_params(SVM__C=10)``."""
        own = self._get_param_names()
        for name in [name for name in params if name in own]:
            setattr(self, name, params[name])
        # "Filter.s0" for "Filter__s0"; a name without an operator is refused below.
        inner = {".".join(n.rsplit("__", 1)): v for n, v in params.items() if n not in own}
        if inner:
            with value_errors():
                loaded = self._loaded()
                for target in inner:
                    find_target([loaded], target)
            self.settings = {**(self.settings or {}), **inner}
        return self

    def _loaded(self) -> Process:
        """Return the process as it will run: fed at its first input, with the settings."""
        if isinstance(self.process, Process):
            process = self.process.clone()
        elif isinstance(self.process, str | os.PathLike):
            process = read_process(self.process)
        else:
            raise ParameterError(
                f"process is {self.process!r}, but must be a Process, or the path "
                "of a process file."
            )
        process = standing_alone(process, self.data)
        for target, value in (self.settings or {}).items():
            node, parameter = find_target([process], target)
            node.set_parameter(parameter.name, value)
        return process

    def _delivered(self) -> list[type[FlowObject]]:
        if hasattr(self, "results_"):
            return [type(result) for result in self.results_]
        with value_errors():
            return delivered_types(self._loaded())

    # --- what scikit-learn asks -------------------------------------------------------------

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        with value_errors():
            accepts = accepted_by(self._loaded())
        tags.target_tags.required = accepts.label != "none"
        tags.input_tags.allow_nan = accepts.missing
        tags.input_tags.sparse = True
        tags.input_tags.categorical = accepts.attributes != "numerical"
        if _predicts(self):
            tags.estimator_type = self._purpose()
        if tags.estimator_type == "regressor":
            tags.regressor_tags = RegressorTags()
        if tags.estimator_type == "classifier" or accepts.label == "binominal":
            tags.classifier_tags = ClassifierTags(multi_class=accepts.label != "binominal")
        if _transforms(self):
            tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    def _purpose(self) -> Purpose | None:
        """Return the kind of its predictions, as far as known before the run."""
        return {"nominal": "classifier", "numerical": "regressor"}.get(self._label_type())  # type: ignore[return-value]

    def _label_type(self) -> LabelType:
        with value_errors():
            kind: LabelType = LABEL_TYPE.check(self.label_type)
            return label_kind(kind, accepted_by(self._loaded()))

    def set_output(
        self, *, transform: Literal["default", "pandas", "polars"] | None = None
    ) -> Self:
        """Say what `transform` gives: arrays, or data frames."""
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}
        return self

    # --- learning ---------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, **unknown: Any) -> Self:
        """Run the process on X, with y as its label.

        Parameters
        ----------
        X : array, data frame, sparse matrix of scipy or AnnData of shape (rows, columns)
        y : array of shape (rows,), optional
            Classes, or numbers. With an AnnData object it may be the name of a column of ``obs``.
        """
        refuse_arguments("The process", unknown)
        with value_errors():
            process = self._loaded()
            accepts, kind = accepted_by(process), self._label_type()
            table, target = read_table(self, X, y, accepts=accepts, label_type=kind)
            found = run(process, table, seed=self._seed(), engine="serial", summarize=False)
        for message in found.messages:
            if message.name == WARNING:
                warnings.warn(str(message.value), OperatorWarning, stacklevel=2)
        self.results_ = found.results
        self.model_ = self._first(Model)
        self.weights_ = self._first(AttributeWeights)
        self.performance_ = self._first(PerformanceVector)
        self._accepted, self._first_row = accepts, table.take([0])
        if target is not None and target.classes is not None:
            self.classes_ = target.classes
        elif hasattr(self, "classes_"):
            del self.classes_
        return self

    def _seed(self) -> int | None:
        state = self.random_state
        if state is None or isinstance(state, int | np.integer):
            return None if state is None else int(state)
        return int(check_random_state(state).randint(LARGEST_SEED))

    def _first(self, kind: type[FlowObject]) -> Any:
        return next((result for result in self.results_ if isinstance(result, kind)), None)

    # --- using it ---------------------------------------------------------------------------

    @_if(_predicts)
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction of the model for each row."""
        predicted = self._applied(X)
        attribute = predicted.schema.special(PREDICTION)
        if attribute is None:
            raise UnsuitableData("The model of the process does not predict anything.")
        values = predicted.column(attribute.name)
        if not attribute.value_type.is_nominal or not hasattr(self, "classes_"):
            return np.array(values)
        place = {category_text(value): i for i, value in enumerate(self.classes_.tolist())}
        lookup = np.array([place[category] for category in attribute.categories])
        chosen: npt.NDArray[Any] = self.classes_[lookup[values]]
        return chosen

    @_if(_predicts_classes)
    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the confidence of the model in each class, in the order of ``classes_``."""
        predicted = self._applied(X)
        texts = [str(category_text(value)) for value in self.classes_.tolist()]
        return np.column_stack([predicted.column(confidence_role(text)) for text in texts])

    @_if(_predicts)
    def score(self, X: Any, y: Any) -> float:
        """Return the accuracy, or for numbers the coefficient of determination."""
        measure: Callable[..., float] = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(measure(y, self.predict(X)))

    def _applied(self, X: Any) -> ExampleSet:
        check_is_fitted(self)
        with value_errors():
            applied: ExampleSet = self.model_.apply(read_rows(self, X, accepts=self._accepted))
        return applied

    @_if(_transforms)
    def transform(self, X: Any) -> Any:
        """Return the columns that the process keeps, or prepares by its preprocessing model."""
        with value_errors():
            return self._transformer().transform(X)

    @_if(_transforms)
    def fit_transform(self, X: Any, y: Any = None, **unknown: Any) -> Any:
        """Run the process and return X transformed."""
        return self.fit(X, y, **unknown).transform(X)

    @_if(_transforms)
    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the names of the columns that `transform` gives."""
        names: npt.NDArray[np.object_] = self._transformer().get_feature_names_out(input_features)
        return names

    @_if(_transforms)
    def get_support(self, indices: bool = False) -> npt.NDArray[Any]:
        """Return which columns are kept, as a mask or as positions."""
        mask: npt.NDArray[Any] = self._transformer().get_support(indices)
        return mask

    def _transformer(self) -> Any:
        check_is_fitted(self)
        model, table = self._first(PreprocessingModel), self._first(ExampleSet)
        seen = names_in(self)
        made: Any
        if model is not None:
            made = PreparedColumns(
                model, self._accepted, model.apply(self._first_row).schema.regular_names
            )
        elif table is not None:
            made = KeptColumns(table.schema.regular_names, self._accepted)
        else:
            made = KeptColumns(self.weights_.selected(), self._accepted)
        made.n_features_in_ = len(seen)
        if hasattr(self, "feature_names_in_"):
            made.feature_names_in_ = self.feature_names_in_
        config = getattr(self, "_sklearn_output_config", {})
        return made.set_output(**config) if config else made
