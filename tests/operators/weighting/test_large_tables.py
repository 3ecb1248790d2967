"""Filters over a Parquet file in blocks: the numbers and the errors of a table in memory."""

import pickle
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from fsops import Context, ExampleSet, operators as ops
from fsops.core.frame.services import Services
from fsops.core.operator import operator_of
from fsops.data import Attribute, ValueType
from fsops.data.columns import nominal_column
from fsops.data.streamed import STREAMING
from fsops.plugins import plugins

TWO_CLASSES = [
    ops.weight_by_sam,
    ops.weight_by_welch_test,
    ops.weight_by_t_test,
    ops.weight_by_lal_score,
    ops.weight_by_entropy,
]
NUMERICAL = [
    *TWO_CLASSES,
    ops.weight_by_f_test,
    ops.weight_by_fisher_score,
    ops.weight_by_correlation,
]
NOMINAL = [
    ops.weight_by_information_gain,
    ops.weight_by_information_gain_ratio,
    ops.weight_by_symmetric_uncertainty,
    ops.weight_by_gini_index,
    ops.weight_by_chi_squared,
    ops.weight_by_mutual_information,
]
RANKS = [ops.weight_by_auc, ops.weight_by_wilcoxon]
OTHERS = [
    ops.lasso_regression,
    ops.elastic_net,
    ops.weight_by_lasso,
    ops.normalize,
    ops.select_by_mrmr_cfs,
    ops.ensemble_feature_selection,
    ops.feature_selection_stability_validation,
]
TINY = 2000  # bytes: too little for the tables here, so that blocks have a few rows


def context(limit=TINY):
    services = Services()
    services.memory_limit = limit
    return Context(services=services)


@pytest.fixture
def stream(tmp_path):
    """Return a function that writes a table and reads it as one too large for memory."""
    import pyarrow.parquet as pq

    def write(examples, limit=TINY, group_rows=7, files=1):
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for number, rows in enumerate(np.array_split(np.arange(len(examples)), files)):
            table = examples.take(rows).to_arrow()
            pq.write_table(table, folder / f"{number}.parquet", row_group_size=group_rows)
        return ops.read_parquet(path=str(folder), streaming=True, ctx=context(limit))

    return write


def in_memory(streamed):
    """Return the same table, read at once."""
    return ops.read_parquet(path=str(streamed.source.parts[0].path.parent))


def numbers_with_classes(n=61, p=9, classes=2, holes=0.0, seed=1):
    """Return attributes far from 0 and in different units, two of them constant."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(classes), rng.integers(0, classes, n - classes))
    X = rng.normal(size=(n, p)) * np.exp(rng.normal(size=p)) + codes[:, None] * rng.normal(size=p)
    X += rng.normal(scale=100, size=p)
    X[:, 1], X[:, 2] = 1 / 3, 0.0
    X[rng.random(X.shape) < holes] = np.nan
    return ExampleSet.from_numpy(X, np.array(list("dbca"))[codes])


def nominal_with_classes(n=61, holes=0.0, seed=2):
    rng = np.random.default_rng(seed)
    columns = []
    for j, size in enumerate((2, 3, 5, 1, 12)):
        values = rng.integers(0, size, n).tolist()
        texts = [None if rng.random() < holes else f"v{v}" for v in values]
        columns.append(nominal_column(f"n{j}", texts))
    label = [f"c{v}" for v in rng.integers(0, 3, n)]
    return ExampleSet.from_columns([*columns, nominal_column("label", label, "label")], n)


def assert_same(found, expected):
    assert found.names == expected.names
    assert found.origin == expected.origin
    assert found.values == pytest.approx(expected.values, rel=1e-10, abs=1e-13)
    assert set(found.details) == set(expected.details)
    for name, values in expected.details.items():
        assert found.details[name] == pytest.approx(values, rel=1e-10, abs=1e-13, nan_ok=True)


# --- the same numbers -----------------------------------------------------------------------


@pytest.mark.parametrize("operator", NUMERICAL)
def test_numbers_in_blocks_weigh_as_in_memory(operator, stream):
    examples = numbers_with_classes()
    streamed = stream(examples)
    assert len(list(streamed.row_blocks())) > 20
    assert_same(operator(streamed), operator(examples))
    assert not streamed.is_loaded


@pytest.mark.parametrize("operator", NUMERICAL)
def test_missing_numbers_are_left_out_as_in_memory(operator, stream):
    examples = numbers_with_classes(holes=0.2)
    assert_same(
        operator(stream(examples), missing="pairwise"), operator(examples, missing="pairwise")
    )


@pytest.mark.parametrize("operator", [ops.weight_by_f_test, ops.weight_by_fisher_score])
def test_classes_that_some_blocks_lack_are_counted(operator, stream):
    examples = numbers_with_classes(classes=4)
    assert_same(operator(stream(examples)), operator(examples))


def test_correlation_with_a_number(stream):
    rng = np.random.default_rng(5)
    examples = ExampleSet.from_numpy(rng.normal(size=(50, 8)) + 1e4, rng.normal(size=50) - 1e4)
    for settings_ in ({}, {"signed": True}, {"squared_correlation": True}):
        expected = ops.weight_by_correlation(examples, **settings_)
        assert_same(ops.weight_by_correlation(stream(examples), **settings_), expected)


@pytest.mark.parametrize("s0", [0.1, "auto", "median"])
def test_s0_is_chosen_from_the_merged_errors(s0, stream):
    examples = numbers_with_classes(p=40)
    assert_same(
        ops.weight_by_sam(stream(examples, 4000), s0=s0), ops.weight_by_sam(examples, s0=s0)
    )


@pytest.mark.parametrize("operator", NOMINAL)
@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_categories_in_blocks_are_counted_as_in_memory(operator, missing, stream):
    examples = nominal_with_classes(holes=0.2)
    expected = operator(examples, missing=missing)
    assert_same(operator(stream(examples, 1000), missing=missing), expected)


@pytest.mark.parametrize(("group_rows", "files"), [(1, 1), (3, 4), (1000, 1), (1000, 3)])
def test_layout_of_the_files_does_not_matter(group_rows, files, stream):
    examples = numbers_with_classes()
    streamed = stream(examples, group_rows=group_rows, files=files)
    assert_same(ops.weight_by_welch_test(streamed), ops.weight_by_welch_test(examples))
    nominal = nominal_with_classes()
    streamed = stream(nominal, 1000, group_rows, files)
    assert_same(ops.weight_by_chi_squared(streamed), ops.weight_by_chi_squared(nominal))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.integers(6, 40),
    group_rows=st.integers(1, 45),
    limit=st.integers(700, 20_000),
    files=st.integers(1, 3),
    holes=st.sampled_from([0.0, 0.3]),
    seed=st.integers(0, 1000),
)
def test_any_cut_into_blocks_gives_the_same(stream, rows, group_rows, limit, files, holes, seed):
    examples = numbers_with_classes(rows, 5, holes=holes, seed=seed)
    streamed = stream(examples, limit, group_rows, files)
    expected = ops.weight_by_sam(examples, missing="pairwise")
    assert_same(ops.weight_by_sam(streamed, missing="pairwise"), expected)
    expected = ops.weight_by_correlation(examples, missing="pairwise")
    assert_same(ops.weight_by_correlation(streamed, missing="pairwise"), expected)


# --- some attributes with all rows at a time --------------------------------------------------


def parts_read(streamed, monkeypatch):
    """Return a list that notes how many attributes are read at a time."""
    sizes, read = [], type(streamed).read_part

    def noted(table, positions):
        sizes.append(len(positions))
        return read(table, positions)

    monkeypatch.setattr(type(streamed), "read_part", noted)
    return sizes


def tied(examples):
    """Return the same table with many equal values."""
    numbers = examples.schema.regular
    return examples.with_numbers(numbers, np.round(examples.values(numbers)))


@pytest.mark.parametrize("operator", RANKS)
@pytest.mark.parametrize("holes", [0.0, 0.2])
def test_ranks_of_a_table_in_a_file_are_exact(operator, holes, stream, monkeypatch):
    examples = tied(numbers_with_classes(holes=holes))
    streamed = stream(examples)
    sizes = parts_read(streamed, monkeypatch)
    missing = "pairwise" if holes else "error"
    found, expected = operator(streamed, missing=missing), operator(examples, missing=missing)
    assert found.equals(expected)
    assert len(sizes) > 3  # no part has more than an eighth of the limit, or one attribute
    assert not streamed.is_loaded


@pytest.mark.parametrize("adjustment", ["holm", "benjamini_hochberg"])
def test_p_values_are_adjusted_for_all_attributes_of_a_file(adjustment, stream):
    examples = tied(numbers_with_classes(p=20))
    settings_ = {"transformation": "neg_log10_p", "adjustment": adjustment}
    found = ops.weight_by_wilcoxon(stream(examples), **settings_)
    assert found.equals(ops.weight_by_wilcoxon(examples, **settings_))


@pytest.mark.parametrize("operator", NOMINAL)
@pytest.mark.parametrize("discretization", ["best split", "equal frequency", "equal width"])
def test_bins_of_a_table_in_a_file_are_those_in_memory(operator, discretization, stream):
    numbers, texts = tied(numbers_with_classes(classes=3)), nominal_with_classes()
    label = texts.label.name
    columns = [(a, texts.column(a.name)) for a in texts.attributes if a.name != label]
    mixed = numbers.with_columns(columns)
    expected = operator(mixed, discretization=discretization)
    assert operator(stream(mixed), discretization=discretization).equals(expected)


def test_counts_of_a_table_in_a_file(stream):
    rng = np.random.default_rng(3)
    examples = ExampleSet.from_numpy(rng.poisson(2, (61, 9)).astype(float), list("ab") * 30 + ["a"])
    found = ops.weight_by_chi_squared(stream(examples), discretization="counts")
    assert found.equals(ops.weight_by_chi_squared(examples, discretization="counts"))


def test_an_attribute_that_does_not_fit_is_refused(stream, refused):
    streamed = stream(numbers_with_classes(n=500), limit=4000)
    with refused("of memory", "limit is 4 kB"):
        ops.weight_by_auc(streamed)


def test_missing_values_of_a_part_are_named(stream, refused):
    with refused("missing", "pairwise"):
        ops.weight_by_auc(stream(numbers_with_classes(holes=0.1)))
    with refused("infinite", "att3"):
        ops.weight_by_auc(stream(with_value(np.inf)))


# --- the same errors ------------------------------------------------------------------------


def error_of(operator, examples, **parameters):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - compared with that of the other road
        operator(examples, **parameters)
    return type(caught.value), str(caught.value)


def with_value(value):
    X = np.random.default_rng(0).normal(size=(40, 6))
    X[33, 4] = X[5, 2] = value
    return ExampleSet.from_numpy(X, ["x", "y"] * 20)


@pytest.mark.parametrize("value", [np.nan, np.inf, -1e39])
@pytest.mark.parametrize("operator", [ops.weight_by_sam, ops.weight_by_correlation])
def test_bad_values_are_told_as_in_memory(operator, value, stream):
    examples = with_value(value)
    assert error_of(operator, stream(examples)) == error_of(operator, examples)


def test_large_numbers_that_are_allowed_pass(stream):
    examples = with_value(9e37)
    assert_same(ops.weight_by_t_test(stream(examples)), ops.weight_by_t_test(examples))


def test_missing_categories_are_told_as_in_memory(stream):
    examples = nominal_with_classes(holes=0.1)
    operator = ops.weight_by_gini_index
    assert error_of(operator, stream(examples, 1000)) == error_of(operator, examples)


def test_wrong_labels_are_told_as_in_memory(stream):
    examples = numbers_with_classes(classes=3)
    two_only = partial(ops.weight_by_sam, multiclass="refuse")
    assert error_of(two_only, stream(examples)) == error_of(two_only, examples)
    bare = examples.drop(["label"])
    assert error_of(ops.weight_by_sam, stream(bare)) == error_of(ops.weight_by_sam, bare)


def test_methods_that_need_all_rows_say_what_to_do(stream, refused):
    streamed = stream(numbers_with_classes())
    words = ("4.64 kB of memory", "limit is 2 kB", "Select by Weights", "Weight by SAM")
    for call in (
        lambda: ops.weight_by_relief(streamed),
        lambda: ops.weight_by_sam(streamed, permutations=10),
        lambda: ops.weight_by_svm(streamed),
    ):
        with refused(*words):
            call()


def test_methods_that_need_all_rows_load_what_fits(stream):
    examples = numbers_with_classes()
    for operator, parameters in (
        (ops.weight_by_auc, {}),
        (ops.weight_by_sam, {"permutations": 10}),
        (ops.weight_by_information_gain, {}),
    ):
        streamed = stream(examples, limit=10_000)
        expected = operator(in_memory(streamed), **parameters)
        assert operator(streamed, **parameters).equals(expected), operator


def test_values_are_checked_when_a_table_is_loaded_late(stream):
    examples = with_value(np.inf)
    for parameters in ({"permutations": 10}, {}):
        streamed = stream(examples, limit=100_000)
        operator = ops.weight_by_sam if parameters else ops.weight_by_information_gain
        assert error_of(operator, streamed, **parameters) == error_of(
            operator, examples, **parameters
        )


# --- who reads in blocks --------------------------------------------------------------------


def test_the_list_of_operators_in_messages_is_complete():
    streaming = [o for o in plugins().registry if any(a.blocks for a in o.accepts.values())]
    tested = {operator_of(o).key for o in [*NUMERICAL, *NOMINAL, *RANKS, *OTHERS]}
    assert tested <= {operator.key for operator in streaming}
    assert sorted(STREAMING) == sorted(operator.title for operator in streaming)
    about = " ".join(operator_of(ops.read_parquet).help.split())
    for operator in streaming:
        assert operator.title.removeprefix("Weight by ") in about


def test_what_a_filter_has_chosen_can_be_loaded(stream):
    examples = numbers_with_classes(p=30)
    streamed = stream(examples)
    weights = ops.select_top_k(ops.weight_by_sam(streamed), k=1)
    chosen = ops.select_by_weights(streamed, weights)
    expected = ops.select_by_weights(examples, weights)
    assert ops.weight_by_auc(chosen).equals(ops.weight_by_auc(expected))


def test_work_travels_to_other_processes_without_the_data(stream):
    streamed = stream(numbers_with_classes(n=5000, p=3), limit=100_000)
    streamed.label_values()
    assert len(pickle.dumps(streamed)) < 5000 * 4
    assert ops.weight_by_sam(pickle.loads(pickle.dumps(streamed))).values.shape == (3,)


def test_an_attribute_of_another_type_is_refused_before_reading(stream):
    examples = numbers_with_classes()
    date = np.full(len(examples), "2031-12-24", dtype="datetime64[us]")
    dated = examples.with_columns([(Attribute("day", ValueType.DATE), date)])
    assert error_of(ops.weight_by_sam, stream(dated)) == error_of(ops.weight_by_sam, dated)
