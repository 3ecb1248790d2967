"""Statistics asked of a table: the same from all rows in memory and from blocks of rows."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, strategies as st

from fsops import Context, ExampleSet
from fsops.algorithms.base.moments import ClassMoments
from fsops.algorithms.filters.univariate import f_test_from
from fsops.algorithms.statistics.information import Contingency
from fsops.core.frame.services import Services
from fsops.data import Attribute
from fsops.data.columns import nominal_column
from fsops.data.passes import SerialRunner
from fsops.data.schema import Schema
from fsops.data.streamed import StreamedExampleSet
from fsops.errors import Cancelled, DataError


@dataclass(frozen=True)
class Rows:
    """A source over a table in memory; it yields empty groups as blocks without rows."""

    table: ExampleSet
    group_rows: tuple[int, ...]
    read: list
    reads_ahead: bool = False

    @property
    def schema(self) -> Schema:
        return self.table.schema

    def blocks(self, names, groups, rows):
        ends = np.cumsum([0, *self.group_rows])
        for group in groups:
            for start in range(ends[group], max(ends[group + 1], ends[group] + 1), rows):
                stop = min(start + rows, ends[group + 1])
                self.read.append(tuple(names))
                yield self.table.select(names).take(np.arange(start, stop))

    def fingerprint(self):
        return "rows"


def in_blocks(table, group_rows=None, limit=1000):
    """Return the same table, too large for its memory limit, in groups of rows."""
    return StreamedExampleSet(Rows(table, tuple(group_rows or (len(table),)), []), limit)


def mixed_table(n=40, numbers=5, nominal=3, classes=3, holes=0.0, seed=0):
    """Return attributes of both kinds in turns, a label of classes, and some missing values."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(classes), rng.integers(0, classes, n))[:n]
    columns = []
    for j in range(max(numbers, nominal)):
        if j < numbers:
            x = rng.normal(size=n) + codes * rng.normal() + rng.normal(scale=1000)
            x[rng.random(n) < holes] = np.nan
            columns.append((Attribute(f"x{j}"), x))
        if j < nominal:
            values = rng.integers(0, 2 + j, n).astype(np.int32)
            values[rng.random(n) < holes] = -1
            categories = [f"v{k}" for k in range(3 + j)]  # the last one does not occur
            columns.append((Attribute.nominal(f"n{j}", categories), values))
    label = nominal_column("label", [f"c{code}" for code in codes], "label")
    return ExampleSet.from_columns([*columns, label], n)


def numbers_of(table):
    """Return the numerical attributes of a mixed table alone, with its label."""
    return table.select([*table.schema.names_at(table.schema.regular_numerical), "label"])


def assert_same(found, expected, **tolerance):
    tolerance = {"rtol": 1e-10, "atol": 1e-9} | tolerance
    assert type(found) is type(expected)
    if isinstance(expected, Contingency):
        np.testing.assert_allclose(found.counts, expected.counts)
        np.testing.assert_array_equal(found.starts, expected.starts)
        return
    means = "mean" if isinstance(expected, ClassMoments) else "mean_x"
    other = ("count", "ss") if means == "mean" else ("count", "mean_y", "ss_x", "ss_y", "cross")
    for name in (means, *other):
        a, b = np.broadcast_arrays(getattr(found, name), getattr(expected, name))
        where = np.broadcast_to(expected.count, a.shape) > 0
        np.testing.assert_allclose(a[where], b[where], **tolerance, err_msg=name)


GROUPS = {
    "one": (40,),
    "some": (13, 20, 7),
    "one row each": (1,) * 40,
    "empty ones": (0, 0, 11, 0, 29, 0),
}


# --- in memory and in blocks ----------------------------------------------------------------


@pytest.mark.parametrize("holes", [0.0, 0.25])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("limit", [700, 10**6])
@pytest.mark.parametrize("groups", GROUPS)
def test_blocks_agree_with_memory(groups, limit, weighted, holes):
    table = mixed_table(holes=holes)
    blocks = in_blocks(table, GROUPS[groups], limit)
    rng = np.random.default_rng(1)
    asked = {"row_weights": rng.integers(0, 3, 40) if weighted else None, "missing": "pairwise"}
    assert_same(blocks.moments(**asked), table.moments(**asked))
    assert_same(blocks.counts(**asked), table.counts(**asked))
    target = rng.normal(size=40)
    assert_same(blocks.cross_moments(target, **asked), table.cross_moments(target, **asked))
    asked["missing"] = "category"
    assert_same(blocks.counts(**asked), table.counts(**asked))
    assert not blocks.is_loaded


@given(
    rows=st.integers(3, 30),
    numbers=st.integers(0, 4),
    nominal=st.integers(0, 3),
    holes=st.sampled_from([0.0, 0.5, 1.0]),
    group=st.integers(1, 12),
    limit=st.integers(300, 4000),  # the label must fit
    seed=st.integers(0, 99),
)
def test_any_table_agrees_with_its_blocks(rows, numbers, nominal, holes, group, limit, seed):
    table = mixed_table(rows, numbers, nominal, holes=holes, seed=seed)
    sizes = [min(group, rows - start) for start in range(0, rows, group)]
    blocks = in_blocks(table, sizes, limit)
    weights = np.random.default_rng(seed).random(rows)
    for row_weights in (None, weights):
        asked = {"row_weights": row_weights, "missing": "pairwise"}
        assert_same(blocks.moments(**asked), table.moments(**asked))
        assert_same(blocks.counts(**asked), table.counts(**asked))
        assert_same(blocks.cross_moments(weights, **asked), table.cross_moments(weights, **asked))


@pytest.mark.parametrize("numerical_label", [False, True])
@pytest.mark.parametrize("limit", [700, 3000, 10**6])
def test_correlations_in_blocks_agree_with_memory(limit, numerical_label):
    table = mixed_table(numbers=6)
    if numerical_label:
        y = np.random.default_rng(3).normal(size=40)
        table = table.drop(["label"]).with_columns([(Attribute("y", role="label"), y)])
    blocks = in_blocks(table, GROUPS["empty ones"], limit)
    found = []
    for source in (table, blocks):
        moments = source.cross_moments() if numerical_label else source.moments()
        correlations = source.correlations(moments, np.arange(6.0))
        found.append(np.stack([correlations.column(j) for j in range(6)]))
    np.testing.assert_allclose(found[1], found[0], atol=1e-10)
    np.testing.assert_allclose(found[0], np.abs(np.corrcoef(table.numeric().T)), atol=1e-10)


# --- definitions ----------------------------------------------------------------------------


def test_moments_are_those_of_the_classes():
    table = mixed_table()
    codes, classes = table.class_codes()
    moments = table.moments()
    for code in range(len(classes)):
        rows = table.numeric()[codes == code]
        np.testing.assert_allclose(moments.mean[code], rows.mean(axis=0))
        np.testing.assert_allclose(moments.ss[code], rows.var(axis=0) * len(rows))


@pytest.mark.parametrize("storage", [lambda table: table, in_blocks])
def test_weights_repeat_rows(storage):
    table = mixed_table(holes=0.2)
    drawn = np.random.default_rng(2).integers(0, 40, 40)
    counts = np.bincount(drawn, minlength=40)
    sample = table.take(drawn)
    asked = {"missing": "pairwise", "row_weights": counts}
    assert_same(storage(table).moments(**asked), sample.moments(missing="pairwise"))
    found = storage(table).counts(**asked)
    np.testing.assert_allclose(found.counts, sample.counts(missing="pairwise").counts)


@pytest.mark.parametrize("storage", [lambda table: table, in_blocks])
def test_moments_of_folds_and_classes_merge_into_those_of_every_training_set(storage):
    table = mixed_table(n=60)
    codes, classes = table.class_codes()
    folds = np.arange(60) % 4
    parts = storage(table).moments(folds * len(classes) + codes)
    assert parts.n_classes == 12
    for left_out in range(4):
        training = None
        for fold in set(range(4)) - {left_out}:
            own = slice(3 * fold, 3 * fold + 3)
            part = ClassMoments(
                np.broadcast_to(parts.count, parts.ss.shape)[own],
                parts.origin,
                parts.offset[own],
                parts.ss[own],
            )
            training = part if training is None else training.merge(part)
        expected = table.take(folds != left_out).moments()
        np.testing.assert_allclose(
            f_test_from(training).statistic, f_test_from(expected).statistic, rtol=1e-9
        )


def test_cross_moments_are_those_with_the_label():
    table = mixed_table(classes=2)
    y = table.binary_label().astype(float)
    moments = table.cross_moments()
    X = table.numeric()
    expected = ((X - X.mean(axis=0)) * (y - y.mean())[:, None]).sum(axis=0)
    np.testing.assert_allclose(moments.cross, expected, rtol=1e-9)


def test_counts_have_a_line_for_every_category_and_one_for_missing_values():
    table = mixed_table(holes=0.3)
    found = table.counts(missing="category")
    assert len(found.counts) == int((table.category_counts() + 1).sum())
    codes, classes = table.class_codes()
    first = table.nominal()[:, 0]
    for value in (-1, 0, 1, 2):
        line = found.starts[0] + (value if value >= 0 else 3)
        expected = np.bincount(codes[first == value], minlength=len(classes))
        np.testing.assert_array_equal(found.counts[line], expected)


@pytest.mark.parametrize("storage", [lambda table: table, in_blocks])
def test_attributes_of_the_other_kind_are_not_looked_at(storage):
    table = mixed_table(holes=0.0)
    gaps = table.column("n0").copy()
    gaps[3] = -1
    table = table.with_values([(table.schema.attribute("n0"), gaps)])
    assert storage(table).moments().n_features == 5
    X = np.array(table.numeric())
    X[2, 1] = np.nan
    table = mixed_table().with_numbers(table.schema.regular_numerical, X)
    assert storage(table).counts().starts.size == 3


@pytest.mark.parametrize("storage", [lambda table: table, in_blocks])
def test_without_attributes_of_a_kind_the_statistic_is_empty(storage):
    table = mixed_table(numbers=0)
    assert storage(table).moments().n_features == 0
    assert storage(table).cross_moments(np.arange(40.0)).cross.size == 0
    assert storage(mixed_table(nominal=0)).counts().starts.size == 0


@pytest.mark.parametrize("groups", [(), (0,), (0, 0, 0)])
def test_a_table_without_rows_has_moments_without_rows(groups):
    table = mixed_table().take([])
    zeros = np.zeros(0, dtype=int)
    assert_same(in_blocks(table, groups).moments(zeros), table.moments(zeros))
    assert in_blocks(table, groups).moments(zeros).count.sum() == 0


def test_only_the_attributes_needed_are_read():
    blocks = in_blocks(mixed_table())
    blocks.moments(np.zeros(40, dtype=int))
    read = {name for names in blocks.source.read for name in names}
    assert read == {f"x{j}" for j in range(5)}


# --- values that cannot be used -------------------------------------------------------------


def raised(call):
    with pytest.raises(DataError) as caught:
        call()
    return str(caught.value)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("groups", GROUPS)
def test_missing_values_are_refused_in_the_same_words(groups, weighted):
    table = mixed_table(holes=0.1)
    blocks = in_blocks(table, GROUPS[groups])
    weights = np.zeros(40) if weighted else None  # rows that do not count are looked at too
    target = np.arange(40.0)
    for ask in (
        lambda t: t.moments(row_weights=weights),
        lambda t: t.cross_moments(target, row_weights=weights),
        lambda t: t.counts(row_weights=weights),
        lambda t: t.moments(row_weights=weights, otherwise="set missing to pairwise"),
    ):
        assert raised(lambda ask=ask: ask(blocks)) == raised(lambda ask=ask: ask(table))
    assert "or set missing to pairwise" in raised(lambda: ask(blocks))


@pytest.mark.parametrize("value", [np.inf, -1e39])
def test_numbers_that_are_too_large_are_refused_in_the_same_words(value):
    table = mixed_table()
    X = np.array(table.numeric())
    X[17, 2] = X[30, 4] = value
    table = table.with_numbers(table.schema.regular_numerical, X)
    for ask in (lambda t: t.moments(), lambda t: t.cross_moments(np.arange(40.0))):
        message = raised(lambda ask=ask: ask(table))
        assert '"x2", "x4"' in message or '"x2" and "x4"' in message
        assert raised(lambda ask=ask: ask(in_blocks(table, GROUPS["some"]))) == message


@pytest.mark.parametrize("storage", [lambda table: table, in_blocks])
def test_groups_and_weights_need_a_value_for_each_row(storage):
    table = storage(mixed_table())
    for call in (
        lambda: table.moments(np.zeros(39, dtype=int)),
        lambda: table.moments(row_weights=np.ones(41)),
        lambda: table.counts(np.zeros(39, dtype=int)),
        lambda: table.cross_moments(np.zeros(39)),
    ):
        with pytest.raises(ValueError, match="per row"):
            call()


# --- where the work is done -----------------------------------------------------------------


def test_the_context_of_an_operator_runs_the_parts():
    class Noting(Services):
        def map(self, function, items, context, label, paired, *, here=False):
            asked.append((label, len(items)))
            return super().map(function, items, context, label, paired, here=here)

    asked = []
    table = numbers_of(mixed_table())
    blocks = in_blocks(table, GROUPS["some"], 10**6)
    found = blocks.moments(ctx=Context(services=Noting()))
    assert asked == [("Parts of the file", 3)]
    assert np.array_equal(found.ss, blocks.moments().ss)


def test_a_pass_stops_between_blocks_when_the_run_does():
    class Stopping(SerialRunner):
        def check_cancelled(self):
            if len(blocks.source.read) == 3:
                raise Cancelled("The run was stopped.")

    blocks = in_blocks(numbers_of(mixed_table()), GROUPS["one row each"], limit=700)
    assert len(blocks.pieces(result_bytes=10**6)) < 10
    with pytest.raises(Cancelled):
        blocks.moments(np.zeros(40, dtype=int), ctx=Stopping())
    assert len(blocks.source.read) == 3


def test_a_table_in_memory_is_its_own_loaded_form():
    table = mixed_table()
    assert table.loaded() is table
    assert table.values_known
    blocks = in_blocks(table, limit=10**6)
    assert not blocks.values_known
    assert blocks.loaded().equals(table)
    assert blocks.values_known


def test_statistics_of_blocks_do_not_depend_on_earlier_operators():
    blocks = in_blocks(numbers_of(mixed_table()), GROUPS["some"], 10**6)
    before = blocks.moments()
    blocks.loaded()
    after = blocks.moments()
    assert np.array_equal(before.ss, after.ss)
    assert np.array_equal(before.mean, after.mean)
