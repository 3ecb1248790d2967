"""Imported operators give RapidMiner's numbers: its formulas, written here again with numpy.

`theirs` imports one operator from RapidMiner's XML, with the settings that a file of RapidMiner 9 has,
and runs it. Operators with another formula here are compared with and without `compatibility` in
test_rapidminer_formulas.py.
"""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.core import Context
from fsops.plugins import plugins
from fsops.storage import parse_process

RAPIDMINER = "rapidminer"


def theirs(key, *inputs, lists="", **settings):
    """Return the outputs of an operator of RapidMiner, by port."""
    written = "".join(f'<parameter key="{k}" value="{v}"/>' for k, v in settings.items())
    data = (
        '<process version="9.7.000"><operator class="process" name="P"><process>'
        f'<operator class="{key}" name="A">{written}{lists}</operator>'
        "</process></operator></process>"
    ).encode()
    node = parse_process(data, plugins().registry)["A"]
    ports = [port.name for port in node.operator.inputs]
    return node.operator.run(
        dict(zip(ports, inputs, strict=False)), dict(node.parameters), Context()
    )


@pytest.fixture(params=["plain", "ties and a constant", "large and tiny", "three classes"])
def numbers(request):
    """Return awkward numbers and their classes."""
    rng = np.random.default_rng(7)
    X, y = rng.normal(size=(30, 3)), np.arange(30) % 2
    if request.param == "ties and a constant":
        X = X.round()
        X[:, 2] = 1.0
    if request.param == "large and tiny":
        X *= [1e9, 1e-9, 1.0]
    if request.param == "three classes":
        y = np.array([0] * 15 + [1] * 12 + [2] * 3)
    X[:, 0] += y * X[:, 0].std()
    return X, y


def table_of(X, y):
    return ExampleSet.from_numpy(X, np.array(["a", "b", "c"])[y])


def entropy(codes):
    p = np.bincount(codes) / len(codes)
    return -sum(q * np.log2(q) for q in p if q > 0)


# --- weights ----------------------------------------------------------------------------------


def test_information_gain_is_that_of_the_best_split(numbers):
    X, y = numbers
    expected = []
    for x in X.T:
        values = np.unique(x)
        cuts = (values[:-1] + values[1:]) / 2
        gains = [
            entropy(y) - np.mean(x <= c) * entropy(y[x <= c]) - np.mean(x > c) * entropy(y[x > c])
            for c in cuts
        ]
        expected.append(max(gains, default=0.0))
    found = theirs("weight_by_information_gain", table_of(X, y), normalize_weights="false")
    assert found["weights"].values == pytest.approx(expected, abs=1e-12)


def test_deviation_divides_by_one_less(numbers):
    X, y = numbers
    found = theirs(
        "weight_by_deviation", table_of(X, y), normalize_weights="false", normalization="none"
    )
    assert found["weights"].values == pytest.approx(X.std(axis=0, ddof=1), rel=1e-9, abs=1e-30)


def test_correlation_is_pearsons_without_its_sign():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 3))
    y = X[:, 0] - 0.3 * X[:, 1] + rng.normal(size=25)
    table = ExampleSet.from_numpy(X, y)
    found = theirs("weight_by_correlation", table, normalize_weights="false")["weights"].values
    expected = [abs(np.corrcoef(x, y)[0, 1]) for x in X.T]
    assert np.abs(found) == pytest.approx(expected, rel=1e-12)
    squared = theirs(
        "weight_by_correlation", table, normalize_weights="false", squared_correlation="true"
    )["weights"].values
    assert squared == pytest.approx(np.square(expected), rel=1e-12)


def test_weights_are_normalized_without_their_sign():
    table = ExampleSet.from_numpy(np.zeros((2, 4)), ["a", "b"])
    weights = table.weights([-3.0, 0.5, 1.0, 2.0])
    spec = plugins().registry.find("normalize_weights")
    found = spec.run({"weights": weights}, {}, Context())["weights"].values
    size = np.abs([-3.0, 0.5, 1.0, 2.0])
    assert found == pytest.approx((size - size.min()) / (size.max() - size.min()))


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ({"weight_relation": "greater equals", "weight": "1.0"}, [0, 2, 3]),
        ({"weight_relation": "top k", "k": "2"}, [0, 3]),
        ({"weight_relation": "bottom k", "k": "1"}, [1]),
        ({"weight_relation": "all but top k", "k": "1"}, [1, 2, 3]),
        ({"weight_relation": "top p%", "p": "0.375"}, [0, 3]),  # round(1.5) = 2
        ({"weight_relation": "less", "weight": "1.0", "use_absolute_weights": "false"}, [0, 1]),
    ],
)
def test_selection_by_weights_follows_rapidminers_relations(settings, kept):
    table = ExampleSet.from_numpy(np.zeros((2, 4)), ["a", "b"])
    weights = table.weights([-3.0, 0.5, 1.0, 2.0])
    found = theirs("select_by_weights", table, weights, **settings)["examples"]
    assert [int(name[3:]) - 1 for name in found.schema.regular_names] == kept


# --- scaling and discretization ---------------------------------------------------------------


def test_normalization_by_all_methods(numbers):
    X, y = numbers
    X = np.abs(X[:, :2]) + 1e-12
    table = table_of(X, y)

    def scaled(method, **more):
        return theirs("normalize", table, method=method, **more)["examples"].numeric()

    z = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    assert scaled("Z-transformation") == pytest.approx(z, rel=1e-9, abs=1e-9)
    low, high = X.min(axis=0), X.max(axis=0)
    between = (X - low) / (high - low) * 5 - 2
    assert scaled("range transformation", min="-2", max="3") == pytest.approx(between, abs=1e-9)
    assert scaled("proportion transformation") == pytest.approx(X / X.sum(axis=0), rel=1e-9)


def test_bins_have_equal_width_and_values_at_a_limit_belong_below(numbers):
    X, y = numbers
    found = theirs("discretize_by_bins", table_of(X, y), number_of_bins="4")["examples"]
    for name, x in zip(found.schema.regular_names, X.T, strict=True):
        width = (x.max() - x.min()) / 4
        limits = [x.min() + width * k for k in (1, 2, 3)]
        expected = [sum(v > limit for limit in limits) for v in x] if width > 0 else [0] * len(x)
        assert found.column(name).tolist() == expected


def test_entropy_discretization_is_that_of_fayyad_and_irani(numbers):
    X, y = numbers

    def cuts(x, codes):
        """Return the accepted cuts of one attribute, by recursion."""
        values = np.unique(x)
        middles = (values[:-1] + values[1:]) / 2
        if not len(middles):
            return []
        n, whole = len(x), entropy(codes)
        parts = [np.mean(x <= c) * entropy(codes[x <= c]) + np.mean(x > c) * entropy(codes[x > c])
                 for c in middles]  # fmt: skip
        best = int(np.argmin(parts))
        left, right = x <= middles[best], x > middles[best]
        k, k1, k2 = (len(np.unique(codes[part])) for part in (left | right, left, right))
        delta = np.log2(3.0**k - 2) - (
            k * whole - k1 * entropy(codes[left]) - k2 * entropy(codes[right])
        )
        if whole - parts[best] <= (np.log2(n - 1) + delta) / n:
            return []
        return [*cuts(x[left], codes[left]), middles[best], *cuts(x[right], codes[right])]

    settings = {"remove_useless": "false", "range_name_type": "short"}
    found = theirs("discretize_by_entropy", table_of(X, y), **settings)["examples"]
    for name, x in zip(found.schema.regular_names, X.T, strict=True):
        limits = cuts(x, y)
        assert found.column(name).tolist() == [sum(v > c for c in limits) for v in x]


# --- components -------------------------------------------------------------------------------


def test_principal_components_keep_the_variance():
    X = np.random.default_rng(3).normal(size=(40, 4)) * [5, 2, 1, 0.1]
    found = theirs(
        "principal_component_analysis",
        ExampleSet.from_numpy(X, np.arange(40.0)),
        dimensionality_reduction="keep variance",
        variance_threshold="0.95",
    )["examples"].numeric()
    values, vectors = np.linalg.eigh(np.cov(X.T))
    share = np.cumsum(values[::-1]) / values.sum()
    number = int(np.argmax(share >= 0.95)) + 1
    assert found.shape[1] == number
    expected = (X - X.mean(axis=0)) @ vectors[:, ::-1][:, :number]
    assert np.abs(found) == pytest.approx(np.abs(expected), abs=1e-9)


# --- tables -----------------------------------------------------------------------------------

GROUPS = pd.DataFrame(
    {"g": ["a", "b", "a", "a", "b"], "x": [1.0, 2, 4, np.nan, 8], "c": ["p", "q", "q", "q", "p"]}
)


def test_aggregates_are_those_of_rapidminer():
    functions = ("average", "sum", "variance", "standard_deviation", "count", "median")
    lists = "".join(f'<parameter key="x" value="{f}"/>' for f in functions[:1])
    table = ExampleSet.from_pandas(GROUPS)
    by_group = GROUPS.groupby("g")["x"]
    oracle = {
        "average": by_group.mean(), "sum": by_group.sum(), "variance": by_group.var(),
        "standard_deviation": by_group.std(), "count": by_group.count(),
        "median": by_group.median(),
    }  # fmt: skip
    for function in functions:
        lists = f'<list key="aggregation_attributes"><parameter key="x" value="{function}"/></list>'
        found = theirs("aggregate", table, lists=lists, group_by_attributes="g")["examples"]
        assert found.column(f"{function}(x)") == pytest.approx(oracle[function].to_numpy())


def test_missing_values_become_the_average_or_the_mode():
    frame = GROUPS.assign(c=["p", None, "q", "q", "p"], d=["u", "v", "v", None, "v"])
    found = theirs("replace_missing_values", ExampleSet.from_pandas(frame), default="average")
    table = found["examples"]
    assert table.column("x")[3] == pytest.approx(np.nanmean(GROUPS["x"]))
    assert table.nominal_values("d")[3] == "v"


def test_dummy_coding_names_attribute_and_value():
    found = theirs(
        "nominal_to_numerical", ExampleSet.from_pandas(GROUPS), coding_type="dummy coding"
    )
    table = found["examples"]
    assert {"g = a", "g = b", "c = p", "c = q"} <= set(table.names)
    assert table.column("g = a").tolist() == [1, 0, 1, 1, 0]
    whole = theirs(
        "nominal_to_numerical", ExampleSet.from_pandas(GROUPS), coding_type="unique integers"
    )["examples"]
    assert whole.column("c").tolist() == [0, 1, 1, 1, 0]


# --- performance ------------------------------------------------------------------------------


@pytest.fixture
def predicted():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 3, 60)
    guess = np.where(rng.random(60) < 0.6, truth, rng.integers(0, 3, 60))
    names = np.array(["a", "b", "c"])
    frame = pd.DataFrame({"x": 0.0, "y": names[truth], "p": names[guess]})
    table = ExampleSet.from_pandas(frame, roles={"y": "label", "p": "prediction"})
    return table, truth, guess


def test_classification_criteria_are_those_of_rapidminer(predicted):
    table, truth, guess = predicted
    wanted = ("accuracy", "classification_error", "kappa", "weighted_mean_recall",
              "weighted_mean_precision")  # fmt: skip
    found = theirs("performance_classification", table, **dict.fromkeys(wanted, "true"))
    performance = found["performance"]
    matrix = np.array([[np.sum((truth == i) & (guess == j)) for j in range(3)] for i in range(3)])
    n, hits = matrix.sum(), np.trace(matrix)
    chance = (matrix.sum(axis=0) * matrix.sum(axis=1)).sum() / n**2
    expected = {
        "accuracy": hits / n,
        "classification_error": 1 - hits / n,
        "kappa": (hits / n - chance) / (1 - chance),
        "weighted_mean_recall": np.mean(np.diag(matrix) / matrix.sum(axis=1)),
        "weighted_mean_precision": np.mean(np.diag(matrix) / matrix.sum(axis=0)),
    }
    for name in wanted:
        assert performance[name].mean == pytest.approx(expected[name]), name


def test_regression_criteria_are_those_of_rapidminer():
    rng = np.random.default_rng(6)
    y = rng.normal(5, 2, 40)
    p = y + rng.normal(size=40)
    frame = pd.DataFrame({"x": 0.0, "y": y, "p": p})
    table = ExampleSet.from_pandas(frame, roles={"y": "label", "p": "prediction"})
    expected = {
        "root_mean_squared_error": np.sqrt(np.mean((y - p) ** 2)),
        "absolute_error": np.mean(np.abs(y - p)),
        "relative_error": np.mean(np.abs(y - p) / np.abs(y)),
        "squared_error": np.mean((y - p) ** 2),
        "correlation": np.corrcoef(y, p)[0, 1],
        "squared_correlation": np.corrcoef(y, p)[0, 1] ** 2,
    }
    found = theirs("performance_regression", table, **dict.fromkeys(expected, "true"))
    for name, value in expected.items():
        assert found["performance"][name].mean == pytest.approx(value), name


# --- sampling ---------------------------------------------------------------------------------


def test_samples_have_rapidminers_sizes():
    table = table_of(np.arange(41.0)[:, None], np.arange(41) % 2)
    assert len(theirs("sample", table, sample="absolute", sample_size="7")["examples"]) == 7
    assert len(theirs("sample", table, sample="relative", sample_fraction="0.25")["examples"]) == 10
    boot = theirs("sample_bootstrapping", table, sample="relative", sample_fraction="2.0")[
        "examples"
    ]
    assert len(boot) == 82
    half = theirs("sample_stratified", table, sample="relative", sample_fraction="0.5")["examples"]
    assert abs(np.mean(np.array(half.nominal_values("label")) == "a") - 21 / 41) < 0.05
