"""Training rows and test rows, for every validation."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from fsops import Attribute, Context, ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    apply_model,
    bootstrapping_validation,
    cross_validation,
    naive_bayes,
    performance,
    repeated_random_split,
    split_validation,
)
from fsops.operators.validation.splits import bootstraps, folds, holdouts, sizes


def table(codes, batch=None, seed=1):
    rng = np.random.default_rng(seed)
    codes = np.asarray(codes)
    examples = ExampleSet.from_numpy(rng.normal(size=(len(codes), 3)) + codes[:, None], codes)
    if batch is None:
        return examples
    return examples.with_columns([(Attribute("patient", role="batch"), np.asarray(batch, float))])


def numbers(n):
    return ExampleSet.from_numpy(np.arange(2.0 * n).reshape(n, 2), np.arange(float(n)))


def in_folds(examples, ctx, number=5, sampling="automatic", loo=False, on_batch=False):
    return folds(
        examples, number=number, leave_one_out=loo, on_batch=on_batch, sampling=sampling, ctx=ctx
    )


def test_folds_of_a_single_class_are_told(listening):
    ctx = listening()
    in_folds(table([0, 0, 1, 1]), ctx, loo=True)
    in_folds(table([0, 0, 1, 1], batch=[1, 1, 2, 2]), ctx, on_batch=True)
    assert [text.partition(" folds")[0] for text in ctx.warnings] == ["4 of 4", "2 of 2"]
    assert "Judge by the accuracy and the confusion matrix" in ctx.warnings[0]


def test_nothing_is_told_where_folds_have_several_classes_or_the_table_has_one(listening):
    ctx = listening()
    in_folds(table([0, 1] * 10), ctx)
    in_folds(table([0, 0, 0, 0]), ctx, loo=True)
    in_folds(numbers(6), ctx, loo=True)
    assert ctx.warnings == []


def test(model, rows):
    return performance(apply_model(model, rows))


test.__test__ = False


@pytest.fixture
def ctx(listening):
    return listening()


# --- folds ----------------------------------------------------------------------------------


def test_batches_are_never_torn_apart(ctx):
    batch = [3, 3, 1, 7, 7, 7, 1, 3, 7, 1]
    found = in_folds(table([0, 1] * 5, batch), ctx, on_batch=True)
    assert [rows.test.tolist() for rows in found] == [[2, 6, 9], [0, 1, 7], [3, 4, 5, 8]]
    for split in found:
        assert set(split.train) | set(split.test) == set(range(10))
        assert set(np.array(batch)[split.train]).isdisjoint(np.array(batch)[split.test])


def test_batches_may_be_nominal(ctx):
    examples = table([0, 1] * 3)
    codes = np.array([2, 0, 2, 0, 2, 0], dtype=np.int32)
    ward = Attribute.nominal("ward", ["a", "never", "z"], "batch")
    found = in_folds(examples.with_columns([(ward, codes)]), ctx, on_batch=True)
    assert [rows.test.tolist() for rows in found] == [[1, 3, 5], [0, 2, 4]]


def test_folds_on_batches_need_several_complete_batches(ctx, refused):
    with refused("role", '"batch"', "Set Role"):
        in_folds(table([0, 1] * 3), ctx, on_batch=True)
    with refused("one batch", '"patient"', "no row is left"):
        in_folds(table([0, 1] * 3, [4] * 6), ctx, on_batch=True)
    with refused('"patient"', "missing in 2 rows", "row 2"):
        in_folds(table([0, 1] * 3, [1, np.nan, 2, np.nan, 1, 2]), ctx, on_batch=True)


def test_a_cross_validation_on_batches_tests_each_batch_once(ctx):
    examples = table([0, 1] * 6, np.repeat([1, 2, 3], 4))
    result = cross_validation(
        examples, naive_bayes, test, split_on_batch_attribute=True, number_of_folds=10, ctx=ctx
    )
    assert result.performance.main.count == 3


# --- random splits --------------------------------------------------------------------------


@given(st.integers(8, 60), st.floats(0.2, 0.8), st.integers(0, 1000))
@settings(deadline=None, max_examples=30)
def test_a_split_keeps_every_class_share_within_one_row(n, ratio, seed):
    codes = np.random.default_rng(seed).permutation(np.arange(n) % 3)
    examples = table(codes)
    ctx = Context(seed)
    train, test = sizes(examples, "relative", ratio, -1, -1)
    assert train == int(ratio * n + 1e-9)
    for split in holdouts(examples, 3, train=train, test=test, sampling="automatic", ctx=ctx):
        assert sorted([*split.train, *split.test]) == list(range(n))
        exact = np.bincount(codes, minlength=3) * train / n
        assert (np.abs(np.bincount(codes[split.train], minlength=3) - exact) < 1).all()


def test_repeated_splits_differ_and_are_the_same_for_the_same_seed(listening):
    def rows(seed):
        found = holdouts(
            table([0, 1] * 10), 4, train=18, test=2, sampling="automatic", ctx=listening(seed)
        )
        return [split.test.tolist() for split in found]

    assert rows(1) == rows(1) != rows(2)
    assert len({tuple(test) for test in rows(1)}) > 1


def test_linear_splits_test_the_last_rows(ctx):
    (split,) = holdouts(numbers(10), 1, train=6, test=3, sampling="linear sampling", ctx=ctx)
    assert split.train.tolist() == [0, 1, 2, 3, 4, 5]
    assert split.test.tolist() == [6, 7, 8]


@pytest.mark.parametrize(
    ("training", "test", "expected"), [(30, -1, (30, 10)), (-1, 15, (25, 15)), (10, 5, (10, 5))]
)
def test_absolute_sizes(training, test, expected):
    assert sizes(numbers(40), "absolute", 0.7, training, test) == expected


def test_impossible_sizes_are_refused(refused):
    with refused("100 training rows", "0 test rows", "from 40 rows", "training_set_size"):
        sizes(numbers(40), "absolute", 0.7, 100, -1)
    with refused("30 training rows", "20 test rows", "from 40 rows"):
        sizes(numbers(40), "absolute", 0.7, 30, 20)
    with refused("both be -1", error=ParameterError):
        sizes(numbers(40), "absolute", 0.7, -1, -1)
    with refused("0.1 of 5 rows", "no row to train on", "training_fraction"):
        sizes(numbers(5), "relative", 0.1, -1, -1)
    with refused("at least two rows"):
        sizes(numbers(1), "relative", 0.7, -1, -1)


def test_a_split_validation_measures_once_on_the_rows_set_aside(ctx):
    seen = {}

    def training(rows):
        seen["train"] = len(rows)
        return naive_bayes(rows)

    def testing(model, rows):
        seen["test"] = len(rows)
        return test(model, rows)

    quiet = type(ctx)(wanted={"performance"})
    result = split_validation(table([0, 1] * 20), training, testing, ctx=quiet)
    assert seen == {"train": 28, "test": 12}
    assert result.performance.main.count == 1
    split_validation(
        table([0, 1] * 20),
        training,
        testing,
        split="absolute",
        training_set_size=10,
        test_set_size=6,
        ctx=quiet,
    )
    assert seen == {"train": 10, "test": 6}


def test_two_hundred_splits_of_nine_to_one(ctx):
    found = []

    def testing(model, rows):
        found.append(np.bincount(rows.label_values(), minlength=2).tolist())
        return test(model, rows)

    quiet = type(ctx)(wanted={"performance"})
    result = repeated_random_split(
        table([0, 1] * 20), naive_bayes, testing, number_of_splits=200, ctx=quiet
    )
    assert result.performance.main.count == 200
    assert found == [[2, 2]] * 200


# --- bootstrap ------------------------------------------------------------------------------


def test_a_bootstrap_tests_exactly_the_rows_that_were_not_drawn(ctx):
    n = 60
    shares = []
    for split in bootstraps(table([0, 1] * 30), 50, 1.0, ctx):
        assert len(split.train) == n
        assert set(split.test) == set(range(n)) - set(split.train)
        shares.append(len(split.test) / n)
    assert np.mean(shares) == pytest.approx((1 - 1 / n) ** n, abs=0.03)


def test_a_bootstrap_that_leaves_nothing_to_test_is_refused(ctx, refused):
    with refused("all 4 rows", "none is left", "sample_fraction"):
        bootstraps(table([0, 1, 0, 1]), 2, 100.0, ctx)


def test_a_bootstrapping_validation_counts_the_rows_left_out(ctx):
    quiet = type(ctx)(wanted={"performance"})
    result = bootstrapping_validation(
        table([0, 1] * 15), naive_bayes, test, repetitions=6, ctx=quiet
    )
    left_out = sum(len(s.test) for s in bootstraps(table([0, 1] * 15), 6, 1.0, quiet))
    assert result.performance.main.count == 6
    assert result.performance.confusion.counts.sum() == left_out
