"""KNIFE as operators: what users get, and what they are told."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from fsops import Attribute, Context, ExampleSet
from fsops.errors import ParameterError
from fsops.operators import (
    generate_data,
    knife_convergence,
    knife_path,
    read_parquet,
    weight_by_kernel_machine,
    weight_by_knife,
    weights_from_knife_path,
)

COLON = Path(__file__).resolve().parents[4] / "shared" / "data" / "colon_alon.parquet"
KERNELS = ("linear", "gaussian", "polynomial")


@pytest.fixture(scope="module")
def orange():
    """Return rows of which the first four of six attributes matter, together."""
    data = generate_data(
        target_function="knife orange",
        number_of_rows=80,
        number_of_attributes=6,
        ctx=Context(seed=1),
    )
    return data.examples


@pytest.fixture(scope="module")
def sines():
    """Return rows of which the first five of seven attributes matter."""
    data = generate_data(target_function="knife sinus", number_of_attributes=7, ctx=Context(seed=1))
    return data.examples


@pytest.fixture(scope="module")
def numbers():
    """Return a numerical label that follows from the first of three attributes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    return ExampleSet.from_numpy(X, 3 * X[:, 0] + 0.1 * rng.normal(size=40), names="abc")


# --- weights --------------------------------------------------------------------------------


def test_only_attributes_that_matter_in_a_curved_way_have_a_weight(orange, sines):
    weights = weight_by_knife(orange, kernel_type="polynomial", penalty=0.2, restarts=1)
    assert set(weights.selected()) == {"att1", "att2", "att3", "att4"}
    assert set(weight_by_knife(sines).selected()) == {f"att{j}" for j in range(1, 6)}


@pytest.mark.parametrize("kernel", KERNELS)
def test_weights_lie_in_the_box_and_do_not_depend_on_the_scale(sines, kernel):
    weights = weight_by_knife(sines, kernel_type=kernel, restarts=1).values
    assert ((weights >= 0) & (weights <= 1)).all()
    X = sines.numeric() * np.logspace(-3, 3, 7) + 1000
    moved = ExampleSet.from_numpy(X, sines.column("label"))
    again = weight_by_knife(moved, kernel_type=kernel, restarts=1).values
    assert again == pytest.approx(weights, abs=1e-6)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_weights_of_few_attributes_lie_in_the_box(p):
    for seed in range(5):
        X = np.random.default_rng(seed).normal(size=(60, p))
        examples = ExampleSet.from_numpy(X, np.where(np.sin(4 * X[:, 0]) > 0, "b", "a"))
        weights = weight_by_knife(examples, ctx=Context(seed=seed))
        assert weights.values.max() <= 1


def test_details_describe_the_fit(numbers):
    weights = weight_by_knife(numbers, restarts=2)
    details = weights.details
    assert set(details) == {"gradient", "objective", "gap", "iterations"}
    inside = (weights.values > 0) & (weights.values < 1)
    assert np.abs(details["gradient"][inside]).max(initial=0) < 1e-3 * details["objective"][0]
    assert 0 <= details["gap"][0] < 1e-3
    assert details["iterations"][0] > 0
    linear = weight_by_knife(numbers, kernel_type="linear").details
    assert set(linear) == {"coefficient", "objective", "gap"}
    assert linear["gap"][0] < 1e-2


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial"])
def test_convergence_has_the_objective_after_each_iteration(numbers, kernel):
    common = {"kernel_type": kernel, "restarts": 3, "ctx": Context(seed=2)}
    history = knife_convergence(numbers, max_iterations=3, **common).to_pandas()
    weights = weight_by_knife(numbers, max_iterations=3, **common)
    assert history["start"].unique().tolist() == [1, 2, 3]
    assert set(history["method"]) == {"alternation", "quasi-Newton"}
    for _, one in history.groupby("start"):
        assert one["iteration"].tolist() == list(range(len(one)))
        assert (np.diff(one["objective"]) <= 0).all()
    assert history["objective"].min() == weights.details["objective"][0]


def test_convergence_of_a_label_that_does_not_vary_is_refused(refused):
    examples = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(9, 3)), np.ones(9))
    with refused("cannot be fitted"):
        knife_convergence(examples)


def test_without_a_penalty_the_linear_kernel_is_ridge_regression(numbers):
    weights = weight_by_knife(numbers, kernel_type="linear", penalty=0)
    X = numbers.numeric()
    peer = Ridge(alpha=1.0).fit((X - X.mean(axis=0)) / X.std(axis=0), numbers.column("label"))
    assert weights.details["coefficient"] == pytest.approx(peer.coef_, rel=1e-4)
    assert (weights.values == 1).all()


def test_a_relative_penalty_is_a_share_of_the_loss_of_a_constant(numbers):
    y = numbers.column("label")
    loss = ((y - y.mean()) ** 2).sum()
    relative = weight_by_knife(numbers, kernel_type="linear", penalty=0.1)
    absolute = weight_by_knife(
        numbers, kernel_type="linear", penalty=0.1 * loss, penalty_scale="absolute"
    )
    assert relative.values == pytest.approx(absolute.values)
    assert 0 < relative["a"] < 1


def test_more_starts_with_the_same_seed_give_the_same(numbers):
    one, other = (weight_by_knife(numbers, restarts=3, ctx=Context(seed=5)) for _ in range(2))
    assert one.values.tobytes() == other.values.tobytes()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize(
    "loss", ["squared error", "squared hinge", "huberized hinge", "binomial deviance"]
)
def test_three_classes_share_their_weights(kernel, loss):
    rng = np.random.default_rng(3)
    codes = np.arange(45) % 3
    X = rng.normal(size=(45, 4))
    X[:, 2] += 3 * codes
    examples = ExampleSet.from_numpy(X, np.array(["x", "y", "z"])[codes])
    weights = weight_by_knife(examples, kernel_type=kernel, loss=loss, penalty=0.05, restarts=1)
    assert weights.order()[0] == 2
    assert weights.values[2] > 0


def test_a_constant_attribute_has_no_weight_and_comes_last(two_classes):
    constant = np.full(len(two_classes), 3.3)
    examples = two_classes.with_columns([(Attribute("same"), constant)])
    assert weight_by_knife(examples, penalty=0.001, restarts=1)["same"] == 0
    found = knife_path(examples)
    assert found.weights.order()[-1] == 6
    assert np.isnan(found.weights.details["penalty"][6])
    assert not found.path.weights[:, 6].any()


def test_a_label_that_does_not_vary_leaves_all_weights_at_zero(listening):
    examples = ExampleSet.from_numpy(np.random.default_rng(0).normal(size=(9, 3)), np.ones(9))
    for kernel in KERNELS:
        ctx = listening()
        assert not weight_by_knife(examples, kernel_type=kernel, ctx=ctx).values.any()
        assert ctx.warnings == ["All weights are 0, because no attribute is related to the label."]
        found = knife_path(examples, kernel_type=kernel, ctx=listening())
        assert len(found.path) == 1
        assert not found.path.weights.any()


def test_a_penalty_that_is_too_large_is_told(two_classes, listening):
    ctx = listening()
    assert not weight_by_knife(two_classes, penalty=100, restarts=1, ctx=ctx).values.any()
    assert ctx.warnings == ["The penalty makes all weights 0: lower it."]


def test_iterations_that_were_too_few_are_told(two_classes, listening):
    ctx = listening()
    weight_by_knife(two_classes, max_iterations=1, restarts=1, refine=False, ctx=ctx)
    assert ctx.warnings[0].startswith("KNIFE stopped after max_iterations=1, before")


def test_attributes_that_are_still_on_their_way_out_are_told(listening):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 6))
    examples = ExampleSet.from_numpy(X, X[:, 0] + 0.3 * rng.normal(size=40))
    common = {"penalty": 0.5, "penalty_scale": "absolute", "restarts": 1, "refine": False}
    soon, late = listening(), listening()
    assert len(weight_by_knife(examples, max_iterations=50, ctx=soon, **common).selected()) > 1
    assert soon.warnings[0].startswith("KNIFE stopped after max_iterations=50, before")
    done = weight_by_knife(examples, max_iterations=400, ctx=late, **common)
    assert done.selected() == ("att1",)
    assert late.warnings == []


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_label_in_a_tiny_unit_has_the_same_weights(numbers, kernel):
    tiny = ExampleSet.from_numpy(numbers.numeric(), 1e-9 * numbers.column("label"), names="abc")
    weights, same = (
        weight_by_knife(table, kernel_type=kernel, restarts=1).values for table in (numbers, tiny)
    )
    assert same == pytest.approx(weights, abs=1e-5)


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial"])
@pytest.mark.parametrize("loss", ["squared error", "squared hinge", "binomial deviance"])
def test_rows_that_occur_twice_need_no_penalty_of_the_coefficients(two_classes, kernel, loss):
    twice = two_classes.take(np.tile(np.arange(len(two_classes)), 2))
    found = weight_by_knife(
        twice,
        kernel_type=kernel,
        loss=loss,
        coefficient_penalty=1e-18,
        restarts=1,
        max_iterations=5,
    )
    assert np.isfinite(found.values).all()


def test_losses_of_classes_are_not_for_numbers(numbers, refused):
    with refused('loss is "squared hinge"', "is a number", "automatic", error=ParameterError):
        weight_by_knife(numbers, loss="squared hinge")


@pytest.mark.parametrize("operator", [weight_by_knife, knife_path, weight_by_kernel_machine])
def test_unsuitable_tables_are_refused(operator, two_classes, golf, refused):
    with refused("All attributes must be numerical", "Nominal to Numerical"):
        operator(golf)
    with refused("At least two classes", 'the class "no"'):
        operator(two_classes.take(two_classes.label_values() == 0))
    with refused("At least 3 rows", "has 2"):
        operator(two_classes.take([0, 1]))
    holes = two_classes.numeric().copy()
    holes[3, 1] = np.nan
    with refused("missing"):
        operator(ExampleSet.from_numpy(holes, two_classes.column("label")))


# --- paths ----------------------------------------------------------------------------------


def test_attributes_that_matter_stay_longest_in_a_path(sines):
    found = knife_path(sines)
    assert set(found.weights.top(5)) == {f"att{j}" for j in range(1, 6)}
    on = found.path.weights > 0
    assert (on[1:] <= on[:-1]).all()
    assert found.path.penalties[0] == 0
    y = sines.column("label")
    assert found.path.penalties[1] == pytest.approx(1e-3 * ((y - y.mean()) ** 2).sum())
    assert found.path.penalties[3] / found.path.penalties[2] == pytest.approx(1.3)


@pytest.mark.parametrize("kernel", ["gaussian", "polynomial"])
def test_the_objective_of_a_path_never_falls(kernel, listening):
    ctx = Context(seed=11)
    orange = generate_data(
        target_function="knife orange", number_of_rows=100, number_of_attributes=10, ctx=ctx
    ).examples
    heard = listening()
    path = knife_path(orange, kernel_type=kernel, ctx=heard).path
    assert (np.diff(path.objectives) >= 0).all()
    assert path.objectives[-1] == pytest.approx(100)  # the constant prediction
    assert heard.warnings == []
    table = path.to_pandas()
    assert table["settled"].all()
    assert table["gap"].max() <= 1e-3


def test_steps_of_a_path_that_have_not_settled_are_reported(orange, listening):
    ctx = listening()
    knife_path(orange, kernel_type="polynomial", max_iterations=2, refine=False, ctx=ctx)
    assert "steps have not settled" in ctx.warnings[0]


def test_a_linear_path_has_the_wanted_penalties_and_the_weights_of_single_fits(numbers):
    path = knife_path(numbers, kernel_type="linear", steps=7, min_fraction=1e-3).path
    assert len(path) == 7
    assert path.penalties[0] / path.penalties[-1] == pytest.approx(1e-3)
    assert not path.weights[-1].any()
    single = weight_by_knife(
        numbers,
        kernel_type="linear",
        penalty=path.penalties[3],
        penalty_scale="absolute",
    )
    assert path.weights[3] == pytest.approx(single.values, abs=1e-3)


def test_a_path_that_is_cut_off_says_so(sines, listening):
    ctx = listening()
    path = knife_path(sines, max_steps=3, ctx=ctx).path
    assert len(path) == 3
    left = path.counts[-1]
    assert f"ends at step 3 with {left} attributes left" in ctx.warnings[0]


def test_weights_from_a_path_by_step_penalty_and_number(numbers):
    path = knife_path(numbers, kernel_type="linear").path
    by_step = weights_from_knife_path(path, step=5)
    assert by_step.values.tolist() == path.weights[4].tolist()
    by_penalty = weights_from_knife_path(path, choose_by="penalty", penalty=path.penalties[4])
    assert by_penalty.values.tolist() == by_step.values.tolist()
    few = weights_from_knife_path(path, choose_by="number of attributes", k=1)
    assert few.selected() == ("a",)


def test_the_last_attribute_of_a_path_has_a_weight_that_counts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 4))
    for label in (X[:, 0] + 0.3 * rng.normal(size=20), np.where(X[:, 0] > 0, "yes", "no")):
        found = knife_path(ExampleSet.from_numpy(X, label))
        last = weights_from_knife_path(found.path, choose_by="number of attributes", k=1)
        assert last.values.max() > 0.05
        alive = found.path.weights.max(axis=1) > 0.01
        assert np.nanmax(found.weights.details["penalty"]) == found.path.penalties[alive].max()


def test_a_path_of_two_thousand_genes():
    if not COLON.exists():
        pytest.skip("the shared data folder is not on this machine")
    colon = read_parquet(path=str(COLON), label="label")
    found = knife_path(colon, kernel_type="linear", steps=8, min_fraction=1e-3)
    assert found.path.weights.shape == (8, 2000)
    counts = found.path.counts
    assert counts[-1] == 0 < counts[-2] < counts[0] < 200
    X, y = colon.numeric(), np.where(colon.label_values() > 0, 1.0, -1.0)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    pull = np.abs(Z.T @ (y - y.mean()))  # who moves first when the penalty falls
    assert found.weights.top(1) == (colon.schema.regular_names[pull.argmax()],)
