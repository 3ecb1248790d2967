"""The machine that needs no tuning."""

from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest

from fsops import Context, ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    hard_margin_svm,
    normalize,
    select_by_weights,
    weight_by_lal_score,
)
from fsops.report.terminal import show
from fsops.storage.results import as_json

DATA = Path(__file__).resolve().parents[3].parent / "shared" / "data"


def parted(name):
    """Return training and validation rows of a challenge data set, on the scale of the first."""
    file = DATA / f"{name}.parquet"
    if not file.exists():
        pytest.skip("the shared data folder is not on this machine")
    table = pyarrow.parquet.read_table(file)
    names = [name for name in table.column_names if name not in ("label", "split")]
    X = np.column_stack([table[name].to_numpy() for name in names]).astype(float)
    examples = ExampleSet.from_numpy(X, table["label"].to_pylist())
    part = np.array(table["split"].to_pylist())
    train = normalize(examples.take(part == "train"), method="average norm")
    return train.examples, train.model.apply(examples.take(part == "valid"))


def balanced_error(model, examples):
    applied = model.apply(examples)
    true = examples.label_values()
    guess = applied.column(f"prediction({examples.label.name})")
    return np.mean([(guess[true == c] != c).mean() for c in np.unique(true)])


def best(examples, k):
    return select_by_weights(examples, weight_by_lal_score(examples), weight_relation="top k", k=k)


def clouds(n=60, p=3, noise=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X**2).sum(axis=1) + noise * rng.normal(size=n) > p
    return ExampleSet.from_numpy(X, np.where(y, "far", "near"))


def test_width_and_margin_on_madelon_are_those_of_the_paper():
    train, valid = parted("madelon")
    model = hard_margin_svm(best(train, 20), kernel_type="gaussian", scaling=False)
    assert model.predictor.sigma == pytest.approx(0.0112, abs=5e-5)  # 0.011 in print
    assert model.predictor.machine.separable
    assert balanced_error(model, valid) == pytest.approx(0.1417, abs=5e-4)


def test_no_errors_on_arcene():
    train, valid = parted("arcene")
    for k, cost, largest, error in ((1000, 1e4, 3284.6, 0.205), (4700, 1e3, 149.5, 0.199)):
        model = hard_margin_svm(best(train, k), scaling=False)
        machine = model.predictor.machine
        assert cost == machine.C
        assert np.abs(machine.dual).max() == pytest.approx(largest, rel=0.01)
        assert balanced_error(model, valid) == pytest.approx(error, abs=0.006)


def test_a_curved_border_needs_the_gaussian_kernel(listening):
    train, test = clouds(80, 2), clouds(150, 2, seed=1)
    curved = hard_margin_svm(train, kernel_type="gaussian")
    assert balanced_error(curved, train) == 0
    assert balanced_error(curved, test) < 0.15
    ctx = listening()
    assert balanced_error(hard_margin_svm(train, ctx=ctx), test) > 0.3
    assert ctx.warnings == [
        "No border of this kernel separates the classes, so training rows are on the wrong side. "
        "Use a soft margin, class_ridge, or other attributes."
    ]


def test_the_scale_is_that_of_the_training_rows():
    X = np.array([[3.0, 4], [0, 5], [1, 0]])
    model = hard_margin_svm(ExampleSet.from_numpy(X, ["a", "a", "b"]))
    assert model.predictor.scale == pytest.approx(np.sqrt(17))
    assert X[0] / model.predictor.scale == pytest.approx([0.7276069, 0.9701425])


@pytest.mark.parametrize("factor", [1e-30, 1e30])
def test_huge_and_tiny_numbers_change_nothing(factor):
    train = clouds()
    scaled = ExampleSet.from_numpy(train.numeric() * factor, np.array(["far", "near"])[
        train.label_values()])  # fmt: skip
    one, two = (hard_margin_svm(t, kernel_type="gaussian") for t in (train, scaled))
    assert one.predictor.sigma == pytest.approx(two.predictor.sigma)


def test_normalizing_does_not_move_the_border_of_a_hard_margin():
    train, test = clouds(60, 80), clouds(60, 80, seed=1)
    for kernel in ("linear", "gaussian"):
        one, two = (
            hard_margin_svm(train, kernel_type=kernel, scaling=n).apply(test) for n in (True, False)
        )
        assert np.array_equal(one.column("prediction(label)"), two.column("prediction(label)"))


def test_the_ridge_lets_the_larger_class_err_more():
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(size=(90, 2)), rng.normal(size=(10, 2)) + 1.5]
    examples = ExampleSet.from_numpy(X, ["many"] * 90 + ["few"] * 10)
    ridge = hard_margin_svm(examples, class_ridge=True)
    soft = hard_margin_svm(examples, margin="soft", C=1.0)
    found = [
        (m.apply(examples).column("prediction(label)")[90:] == examples.label_values()[90:]).mean()
        for m in (ridge, soft)
    ]
    assert found[0] > found[1]
    assert ridge.predictor.ridge


def test_the_cost_is_chosen_by_cross_validation():
    examples = clouds(80, 2, noise=1.0)
    model = hard_margin_svm(examples, kernel_type="gaussian", margin="soft", number_of_folds=5)
    assert model.predictor.machine.C in [10.0**power for power in range(-3, 5)]
    given = hard_margin_svm(examples, kernel_type="gaussian", margin="soft", C=0.5)
    assert given.predictor.machine.C == 0.5


def test_classes_keep_their_places():
    train = clouds()
    confidences = hard_margin_svm(train, kernel_type="gaussian").apply(train)
    for name in train.classes:
        sure = confidences.column(f"confidence({name})")
        is_it = np.array(train.nominal_values("label")) == name
        assert (sure[is_it] > 0.5).all()
        assert (sure[~is_it] < 0.5).all()


def test_rows_that_are_all_the_same_have_no_width():
    same = ExampleSet.from_numpy(np.ones((6, 2)), ["a", "b"] * 3)
    with pytest.raises(DataError, match="All rows are equal in the selected attributes"):
        hard_margin_svm(same, kernel_type="gaussian")


def test_three_classes_are_refused():
    examples = ExampleSet.from_numpy(np.eye(3), ["a", "b", "c"])
    with pytest.raises(DataError, match="Exactly two classes are needed") as refused:
        hard_margin_svm(examples)
    assert refused.value.hint == "Use Support Vector Machine for more classes."


def test_doubles_in_both_classes_do_not_make_the_width_0():
    X = np.random.default_rng(0).normal(size=(30, 7))
    examples = ExampleSet.from_numpy(np.r_[X, X], np.repeat(["a", "b"], 30))
    sigma = hard_margin_svm(examples, kernel_type="gaussian").predictor.sigma
    assert 1 < sigma < 2


@pytest.mark.parametrize("n", [3, 10])
def test_the_cost_can_be_chosen_with_one_row_of_a_class(n, listening):
    X, ctx = np.random.default_rng(0).normal(size=(n, 3)), listening()
    examples = ExampleSet.from_numpy(X, ["a"] * (n - 1) + ["b"])
    assert hard_margin_svm(examples, margin="soft", ctx=ctx).predictor.machine.C > 0
    assert ctx.warnings == [
        "A class has only one row, so C is chosen by the errors on the other class alone."
    ]


def test_the_cost_cannot_be_chosen_from_two_rows():
    examples = ExampleSet.from_numpy(np.eye(2), ["a", "b"])
    with pytest.raises(DataError, match="no row of it is left for training") as refused:
        hard_margin_svm(examples, margin="soft")
    assert refused.value.hint == "Give each class at least two rows, or set C."
    assert hard_margin_svm(examples, margin="soft", C=1.0).predictor.machine.C == 1


def test_the_model_shows_sigma_cost_and_solution():
    examples = clouds()
    model = hard_margin_svm(examples, kernel_type="gaussian")
    details = model.details
    assert list(details) == ["sigma", "C", "support vectors", "separable", "margin"]
    X = examples.numeric()
    X = X / np.sqrt((X**2).sum(axis=1).mean())
    positive = examples.binary_label() == 1
    apart = np.linalg.norm(X[:, None] - X, axis=2)
    nearest = np.where(positive[:, None] != positive, apart, np.inf).min(axis=1)
    assert details["sigma"] == pytest.approx(nearest.mean())
    assert details["support vectors"] == len(model.predictor.machine.support)
    # Without errors the multipliers add up to the squared length of the normal.
    assert details["separable"]
    total = np.abs(model.predictor.machine.dual).sum()
    assert details["margin"] == pytest.approx(1 / np.sqrt(total), rel=1e-2)
    shown = repr(model)
    assert f"sigma={details['sigma']:.6g}" in shown
    assert "separable=yes" in shown
    assert as_json(model)["details"]["C"] == details["C"]


def test_the_linear_model_has_no_sigma_and_shows_the_chosen_cost():
    model = hard_margin_svm(clouds(noise=0.5), margin="soft", ctx=Context(seed=1))
    assert "sigma" not in model.details
    assert model.details["C"] in [10.0**power for power in range(-3, 5)]
    printed = [str(part) for part in show(model).renderables]
    assert any("support vectors=" in part for part in printed)


def test_sigma_can_be_taken_before_the_selection(refused):
    examples = clouds(p=6)
    few = examples.select_regular(examples.schema.regular_names[:2])
    after = hard_margin_svm(few, kernel_type="gaussian", scaling=False)
    before = hard_margin_svm(few, examples, kernel_type="gaussian", scaling=False)
    whole = hard_margin_svm(examples, kernel_type="gaussian", scaling=False)
    assert before.details["sigma"] == pytest.approx(whole.details["sigma"])
    assert before.details["sigma"] > after.details["sigma"]
    with refused("before_selection has 5 rows", "same rows"):
        hard_margin_svm(few, examples.take(np.arange(5)), kernel_type="gaussian")
