"""No operator loops in Python over attributes, or makes Python objects for each of them.

Every operator runs on a table with 200,000 attributes and few rows, while executed lines of fsops
and allocated blocks of memory are counted. Counts, unlike seconds, are the same on every machine.
"""

import gc
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import fsops
from fsops import ExampleSet
from fsops.core import Operator
from fsops.data.attribute_groups import AttributeGroups
from fsops.data.categories import Categories
from fsops.data.schema import Schema
from fsops.plugins import plugins
from fsops.testing.cases import Subject, TableKind, subject_of
from fsops.testing.data import AttributeKind, make_examples

P = 200_000
FEW = 60
VERY_FEW = 6
ROWS = 24
LINES_PER_ATTRIBUTE = 0.1
OBJECTS_PER_ATTRIBUTE = 2.0
FOLDER = str(Path(fsops.__file__).parent)

PAIRS = "compares every pair of attributes"
TRIES = "runs its inner process for each attribute, or for sets of them"
LINE_EACH = "the format has a line or an element for each attribute, and is read one by one"
COLUMN_EACH = "the format stores each attribute apart, with its name, and is read one by one"
# Operators whose work, by their nature, grows faster than the number of attributes, or which make
# an object for each of them. They run at `VERY_FEW` attributes, so that a wrong name here is noticed.
COPIES = "each copy depends on the copies before it: a step of linear algebra for each attribute"
BY_NATURE = {
    "friedman_test": "takes each attribute for a method and compares every pair of them",
    "knockoff_filter": COPIES,
    "loop_attributes": "runs its inner process once for each attribute",
    "optimize_by_generation_yagga": TRIES,
    "optimize_selection": TRIES,
    "optimize_selection_backward": TRIES,
    "optimize_selection_brute_force": TRIES,
    "optimize_selection_evolutionary": TRIES,
    "optimize_selection_floating": TRIES,
    "optimize_selection_forward": TRIES,
    "optimize_selection_hill_climbing": TRIES,
    "optimize_selection_weight_guided": TRIES,
    "optimize_weights_evolutionary": "a generation holds a weight of each attribute per candidate",
    "select_by_knockoffs": COPIES,
    "performance_cfs": PAIRS,
    "performance_mrmr": PAIRS,
    "remove_correlated_attributes": PAIRS,
    "weight_by_drop_column": "runs its inner process once for each attribute",
    "weight_by_permutation_importance": "predicts once for each shuffled attribute",
    "read_arff": LINE_EACH,
    "write_arff": LINE_EACH,
    "read_weights": LINE_EACH,
    "describe_attributes": "returns a table with a row of texts and numbers for each attribute",
    "anova_matrix": PAIRS,
    "correlation_matrix": "compares every pair of attributes",
    "order_attributes": "sorts the names, which are texts",
    "rename_by_replacing": "makes a new text of each name",
    "rename_by_generic_names": "makes a new text of each name",
    "cartesian_product": "makes a new text of each name of the second table",
    "pivot": "makes several attributes of each, with new names",
    "de_pivot": "compares each name with a regular expression",
    "read_geo_series_matrix": LINE_EACH,
    "read_r": COLUMN_EACH,
    "read_statistics_file": COLUMN_EACH,
    "read_excel": "a sheet holds at most 16,384 columns",
    "polynomial_regression": "has a term for each pair of attributes",
    "read_constructions": LINE_EACH,
    "write_constructions": LINE_EACH,
    "write_special_format": "makes a text of each value of a row",
    "write_excel": "a sheet holds at most 16,384 columns",
    "read_parquet": COLUMN_EACH,
    "transpose": "each attribute becomes a row, and its values texts beside a nominal label",
}
# Inputs are made from the declaration. These need more, or do less work than by default: the number
# of iterations does not matter here.
PARAMETERS: dict[str, dict[str, Any]] = {
    "stability_selection": {"k": 5},  # the search for k takes log p steps of many lines
    "aggregate": {"use_default_aggregation": True},
    "join": {"use_id_attribute_as_key": False, "key_attributes": {"label": "label"}},
    "intersect": {"key_attributes": ["label"]},
    "set_minus": {"key_attributes": ["label"]},
    "add_value": {"attribute": "label"},
    "pivot": {"group_by_attributes": ["label"]},
    "de_pivot": {"series": {"value": ".*1"}},
    "compare_feature_selections": {
        "method_names": ["one", "two"],
        "number_of_folds": 3,
        "number_of_splits": 5,
    },
    "choose_number_of_features": {"number_of_folds": 3, "sizes": [1, 5, 20]},
    "compare_rocs": {"number_of_folds": 2},
    "adaboost": {"iterations": 2},
    "metacost": {"cost_matrix": "[0 1; 5 0]", "iterations": 2},
    "expectation_maximization_clustering": {"restarts": 1, "correlated_attributes": False},
    "k_means": {"number_of_clusters": 2, "restarts": 1},
    "k_medoids": {"number_of_clusters": 2, "restarts": 1},
    "detect_outlier_lof": {"min_points_lower_bound": 2, "min_points_upper_bound": 3},
    "generalized_hebbian_algorithm": {"number_of_components": 1, "iterations": 2},
    "self_organizing_map": {"net_size": 2, "iterations": 1},
    "group_enrichment": {"max_size": P},
    "gradient_boosting": {"number_of_trees": 2},
    "knife_convergence": {"restarts": 1, "max_iterations": 3},
    "knife_path": {"max_steps": 3, "max_iterations": 3, "steps": 3},
    "optimize_selection_brute_force": {"limit_attributes": True, "max_attributes": 1},
    "optimize_selection_evolutionary": {"max_generations": 2},
    "optimize_selection_hill_climbing": {"restarts": 1, "max_generations": 2},
    "optimize_weights_evolutionary": {"max_generations": 2},
    "loop_values": {"attribute": "label"},
    "measure_chance": {"permutations": 19, "resamples": 5, "number_of_folds": 3},
    "permutation_baseline": {"permutations": 3},
    "permutation_test_of_weights": {"permutations": 3},
    "select_by_boruta": {"number_of_trees": 2, "iterations": 2},
    "select_by_cox_path": {"steps": 3, "number_of_folds": 2},
    "select_by_group_lasso_path": {"steps": 3, "number_of_folds": 2},
    "random_forest": {"number_of_trees": 2},
    "recursive_feature_elimination": {"fraction": 0.5},
    "repeated_random_split": {"number_of_splits": 5},
    "sklearn_transformer": {"transformer": "sklearn.preprocessing.StandardScaler"},
    "weight_by_iterative_sis": {"k": 2},
    "weight_by_knife": {"restarts": 1, "max_iterations": 3},
    "weight_by_mkl": {"tolerance": 0.1},
    "weight_by_lasso": {"penalty": 0.1},
    "weight_by_random_forest": {"number_of_trees": 2},
}
# The most used operators. The walk through all of them takes minutes, so the others are slow tests.
USUAL = {
    "apply_model",
    "average",
    "cross_validation",
    "normalize",
    "select_by_weights",
    "select_top_k",
    "split_data",
    "weight_by_f_test",
    "weight_by_sam",
}
# Files of wide tables take long to write: these read a table with fewer rows.
READ_ROWS = 4
# These read what another operator has left in the run, and are tested together with it.
# Throw Exception never returns, Set Parameters needs the best values of a search, and Execute
# Process the file of another process.
NOT_ALONE = {"log_to_data", "recall", "throw_exception", "set_parameters", "execute_process"}
# These change one attribute: a date, or one with categories that tables made here do not have.
OF_ONE = {"date_to_numerical", "date_to_nominal", "nominal_to_date", "merge_values"}
# Weights made here have no p-values.
OF_P_VALUES = {"adjust_p_values"}
# These refuse negative numbers.
OF_COUNTS = {"normalize_library_size", "tf_idf"}
# These need groups of attributes, which tables generated from the declaration do not have.
OF_GROUPS = {"group_enrichment"}
# These refuse equal risks. The generated model has two, and more rows with the one of small values
# of the first attribute, so that this one has to be the smaller one.
OF_RISKS = {"form_risk_groups"}
OPERATORS = {
    spec.key: spec
    for spec in plugins().registry
    if not spec.prefix and spec.key not in NOT_ALONE | OF_ONE | OF_P_VALUES
}


# --- counting -----------------------------------------------------------------------------------


class TooManyLinesError(BaseException):
    """Ends an operator that loops; not an `Exception`, so that nothing handles it."""


class Count:
    """Executed lines of fsops, and the most blocks of memory allocated at one of them.

    Blocks are counted where a line is executed for the first time, and at every `LINES_APART` lines:
    to count them takes longer than most lines.
    """

    LINES_APART = 50

    def __init__(self, most_lines: int) -> None:
        self.most_lines = most_lines
        self.lines = 0
        self.blocks = 0
        self.at: Counter[tuple[str, int]] = Counter()
        self.largest_at = ("", 0)
        self._before = sys.getallocatedblocks()

    def trace(self, frame: FrameType, event: str, _: object) -> Any:
        """Return what counts the lines of a function, if it belongs to fsops."""
        return self._line if frame.f_code.co_filename.startswith(FOLDER) else None

    def _line(self, frame: FrameType, event: str, _: object) -> Any:
        if event == "line":
            self.lines += 1
            place = frame.f_code.co_filename, frame.f_lineno
            self.at[place] += 1
            if self.at[place] == 1 or self.lines % self.LINES_APART == 0:
                self._count_blocks(place)
            if self.lines > self.most_lines:
                raise TooManyLinesError
        return self._line

    def _count_blocks(self, place: tuple[str, int]) -> None:
        blocks = sys.getallocatedblocks() - self._before
        if blocks > self.blocks:
            self.blocks, self.largest_at = blocks, place

    def __str__(self) -> str:
        often = ", ".join(
            f"{short(place)} {times} times" for place, times in self.at.most_common(4)
        )
        return f"{self.lines} lines ({often}); {self.blocks} blocks of memory at {short(self.largest_at)}"


def short(place: tuple[str, int]) -> str:
    file, line = place
    return f"{file.removeprefix(FOLDER)}:{line}"


@contextmanager
def counted(most_lines: int) -> Iterator[Count]:
    count, before = Count(most_lines), sys.gettrace()
    gc.disable()  # what others have left behind must not be freed meanwhile
    sys.settrace(count.trace)
    try:
        yield count
    except TooManyLinesError:
        pass
    finally:
        sys.settrace(before)
        gc.enable()


# --- tables -------------------------------------------------------------------------------------


@cache
def names(p: int) -> list[str]:
    return [f"gene{number:07d}" for number in range(p)]


def label_of(kind: str | None, n: int) -> Any:
    if kind is None:
        return None
    if kind == "numerical":
        return np.linspace(-1.0, 1.0, n)
    classes = "abc" if kind == "polynominal" else "ab"
    return np.array(list(classes))[np.arange(n) % len(classes)]


@cache
def numbers(n: int, p: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(n, p))


def wide_table(kind: TableKind, n: int, p: int) -> ExampleSet:
    # The numbers are shared by all tests, but not what a table caches about its names.
    table = ExampleSet.from_numpy(numbers(n, p), label_of(kind.label, n), names=names(p))
    if kind.attributes == "nominal":
        codes = (np.digitize(numbers(n, p), [-0.4, 0.4])).astype(np.int32)
        schema = Schema.nominal(names(p), Categories.same(("x", "y", "z"), p))
        table = ExampleSet.of_matrix(schema, codes).beside(table.select(table.schema.roles))
    table = kind.finish(table)
    assert not table.missing_by_attribute  # counted once, as in any process
    return table


def with_groups(table: ExampleSet) -> ExampleSet:
    """Return the table with three groups, which have all of its attributes."""
    parts = np.array_split(table.schema.regular, 3)
    return table.with_groups(AttributeGroups.of(dict(zip("abc", parts, strict=True))))


def case_of(subject: Subject, kind: TableKind, p: int) -> Any:
    reads = any(parameter.file is not None for parameter in subject.spec.parameters)
    table = wide_table(kind, READ_ROWS if reads else ROWS, p)
    if subject.spec.key in OF_COUNTS:
        table = table.with_numbers(table.schema.regular_numerical, np.abs(table.numeric()))
    if subject.spec.key in OF_GROUPS:
        table = with_groups(table)
    if subject.spec.key in OF_RISKS:
        table = table.with_columns([(table.label, table.numeric()[:, 0])])
    return subject.case(table)


def counts_of(subject: Subject, kind: TableKind, p: int, most_lines: int) -> Count:
    case = case_of(subject, kind, p)
    with warnings.catch_warnings(action="ignore"), counted(most_lines) as count:
        subject.call(case)
    return count


def measured(spec: Operator, attributes: AttributeKind, p: int = P) -> Count:
    """Return the counts of a call; lines that a small table needs too are left out."""
    given = {"examples": with_groups(make_examples())} if spec.key in OF_GROUPS else {}
    subject = subject_of(spec, inputs=given, parameters=PARAMETERS.get(spec.key, {}))
    kind = TableKind(subject.kind.label, attributes, subject.kind.predicted)
    small = counts_of(subject, kind, FEW, sys.maxsize)
    most = small.lines + int(LINES_PER_ATTRIBUTE * p)
    count = counts_of(subject, kind, p, most)
    if count.blocks > OBJECTS_PER_ATTRIBUTE * p:  # a first call may load modules, or compile
        count = counts_of(subject, kind, p, most)
    count.lines -= small.lines
    return count


def takes_only_nominal(key: str) -> bool:
    return any(accepts.attributes == "nominal" for accepts in OPERATORS[key].accepts.values())


# --- the walk -----------------------------------------------------------------------------------


def walked() -> Iterator[Any]:
    for key in OPERATORS:
        if key not in BY_NATURE:
            yield pytest.param(key, marks=() if key in USUAL else pytest.mark.slow)


@pytest.mark.parametrize("key", list(walked()))
def test_an_operator_does_nothing_for_each_attribute(key: str) -> None:
    count = measured(OPERATORS[key], "nominal" if takes_only_nominal(key) else "numerical")
    assert count.lines <= LINES_PER_ATTRIBUTE * P, count
    assert count.blocks <= OBJECTS_PER_ATTRIBUTE * P, count


@pytest.mark.parametrize("key", BY_NATURE)
def test_an_operator_that_is_left_out_runs_on_few_attributes(key: str) -> None:
    subject = subject_of(OPERATORS[key], parameters=PARAMETERS.get(key, {}))
    kind = TableKind(subject.kind.label, "numerical", subject.kind.predicted)
    with warnings.catch_warnings(action="ignore"):
        subject.call(case_of(subject, kind, VERY_FEW))


def test_a_loop_over_attributes_is_noticed() -> None:
    with counted(1000) as count:
        for _ in wide_table(TableKind(None, "numerical"), 2, 2000).schema:
            pass
    assert count.lines > 1000


@pytest.mark.slow
def test_objects_for_each_attribute_are_noticed() -> None:
    table = wide_table(TableKind(None, "numerical"), 2, 20_000)
    with counted(sys.maxsize) as count:
        attributes = table.attributes
        assert len(table.schema) == len(attributes)
    assert count.blocks > 19_000
