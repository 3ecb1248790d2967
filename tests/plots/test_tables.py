"""Figures of tables."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fsops.data import Attribute, AttributeWeights, ExampleSet, ValueType
from fsops.data.columns import nominal_column
from fsops.data.sparse import SparseBlock
from fsops.plots import class_boxes, correlation, parameter_curve, pareto_front, search_progress
from fsops.plots.tables import correlations, is_front, is_scan, is_search


def numbers(**columns):
    made = [(Attribute(name.replace("__", ".")), np.array(v, float)) for name, v in columns.items()]
    return ExampleSet.from_columns(made, len(made[0][1]))


def test_correlations_are_numpys():
    X = np.random.default_rng(0).normal(size=(20, 5))
    assert np.allclose(correlations(X), np.corrcoef(X.T))


def test_a_constant_column_has_no_correlation():
    found = correlations(np.array([[1.0, 5.1], [2.0, 5.1], [4.0, 5.1]]))
    assert np.isnan(found[1]).all()
    assert found[0, 0] == pytest.approx(1)


def test_similar_attributes_are_neighbours(ax, tick_texts):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 60))
    X = np.column_stack([a, b, a + 0.1 * rng.normal(size=60), -b + 0.1 * rng.normal(size=60)])
    correlation(ExampleSet.from_numpy(X, names=["a", "b", "like a", "against b"]), ax)
    order = tick_texts(ax.yaxis)
    assert {frozenset(order[:2]), frozenset(order[2:])} == {
        frozenset({"a", "like a"}),
        frozenset({"b", "against b"}),
    }
    expected = np.corrcoef(X.T)
    index = [["a", "b", "like a", "against b"].index(name) for name in order]
    assert np.allclose(ax.images[0].get_array(), expected[np.ix_(index, index)])


@pytest.fixture
def table():
    labels = np.array(["p"] * 5 + ["q"] * 5, dtype=object)
    clear = [1, 2, 3, 4, 5, 11, 12, 13, 14, 15.0]
    return ExampleSet.from_numpy(
        np.column_stack([[5, 1, 4, 2, 3, 3, 5, 1, 4, 2.0], clear]), labels, names=["noise", "clear"]
    )


def test_the_attribute_that_tells_the_classes_apart_comes_first(ax, tick_texts, table):
    class_boxes(table, ax)
    assert tick_texts(ax.yaxis) == ["clear", "noise"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["p", "q"]
    assert ax.get_xlabel() == "standardized value"


def test_weights_decide_which_attribute_is_shown_and_one_keeps_its_values(ax, tick_texts, table):
    class_boxes(table, ax, weights=AttributeWeights(["clear", "noise"], [2, 1]), k=1)
    assert tick_texts(ax.yaxis) == ["clear"]
    medians = [line.get_xdata()[0] for line in ax.lines if len(set(line.get_xdata())) == 1]
    assert {3.0, 13.0} <= set(medians)


def test_many_classes_are_rows_of_the_best_attribute(ax, tick_texts):
    names = [f"c{number:02d}" for number in range(20)]
    X = np.column_stack([np.ones(60), np.arange(60) % 20])
    table = ExampleSet.from_numpy(X, np.array(names * 3, dtype=object), names=["flat", "steep"])
    class_boxes(table, ax)
    assert tick_texts(ax.yaxis) == names
    assert ax.get_xlabel() == "steep"


def test_a_merit_against_a_parameter_with_a_band_of_one_deviation(ax):
    scan = numbers(Select__k=[2, 1, 2], accuracy=[0.8, 0.6, 0.9])
    assert is_scan(scan)
    parameter_curve(scan, ax)
    assert ax.lines[0].get_xdata().tolist() == [1, 2]
    assert np.allclose(ax.lines[0].get_ydata(), [0.6, 0.85])
    top = ax.collections[0].get_paths()[0].vertices[:, 1].max()
    assert top == pytest.approx(0.85 + np.std([0.8, 0.9], ddof=1))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("k (Select)", "accuracy")


def test_the_deviation_of_the_table_makes_the_band(ax):
    parameter_curve(numbers(S__k=[1, 2], error=[0.3, 0.2], error_deviation=[0.1, 0.05]), ax)
    assert ax.collections[0].get_paths()[0].vertices[:, 1].max() == pytest.approx(0.4)


def test_another_parameter_gives_a_line_each(ax):
    columns = [
        (Attribute("Select.k"), np.array([1.0, 2, 1, 2])),
        nominal_column("SVM.kernel", ["dot", "dot", "rbf", "rbf"]),
        (Attribute("accuracy"), np.array([0.5, 0.6, 0.7, 0.8])),
    ]
    parameter_curve(ExampleSet.from_columns(columns, 4), ax)
    lines = {line.get_label(): line.get_ydata().tolist() for line in ax.lines}
    assert lines == {"dot": [0.5, 0.6], "rbf": [0.7, 0.8]}
    assert ax.get_legend().get_title().get_text() == "kernel (SVM)"


def test_parameters_are_called_as_in_the_form_with_the_name_of_the_operator(ax):
    columns = {
        "Select by Weights.k": [1, 2] * 4,
        "Part.select_which": [1, 1, 2, 2] * 2,
        "SVM.C": [1] * 4 + [8] * 4,
        "accuracy": np.linspace(0, 1, 8),
    }
    made = [(Attribute(name), np.array(v, float)) for name, v in columns.items()]
    parameter_curve(ExampleSet.from_columns(made, 8), ax)
    assert ax.get_xlabel() == "k (Select by Weights)"
    assert ax.get_legend().get_title().get_text() == "select which (Part), C (SVM)"
    assert [line.get_label() for line in ax.lines] == ["1, 1", "1, 8", "2, 1", "2, 8"]


def test_a_table_of_data_is_no_scan(table):
    assert not is_scan(table)
    assert not is_scan(numbers(a=[1, 2], b=[3, 4]))


def front(sizes=None, **criteria):
    n = len(next(iter(criteria.values())))
    sizes = np.arange(1.0, n + 1) if sizes is None else np.array(sizes)
    columns = [(Attribute(name), np.array(values)) for name, values in criteria.items()]
    columns += [
        (Attribute("number_of_attributes", ValueType.INTEGER), sizes),
        (Attribute("attributes", ValueType.TEXT), np.array(["a"] * n, dtype=object)),
    ]
    return ExampleSet.from_columns(columns, n)


def test_a_front_of_two_criteria_tells_the_sizes(ax):
    table = front(accuracy=[0.9, 0.8], stability=[0.1, 0.5])
    assert is_front(table)
    pareto_front(table, ax)
    assert ax.collections[0].get_offsets().tolist() == [[0.1, 0.9], [0.5, 0.8]]
    assert [text.get_text() for text in ax.texts] == ["1", "2"]


def test_a_single_criterion_is_drawn_against_the_number_of_attributes(ax):
    pareto_front(front(accuracy=[0.8, 0.9]), ax)
    assert ax.collections[0].get_offsets().tolist() == [[1, 0.8], [2, 0.9]]
    assert ax.get_xlabel() == "number of attributes"


def test_more_criteria_have_no_common_curve(ax):
    pareto_front(front(accuracy=[0.9, 0.8], stability=[0.1, 0.5], speed=[1.0, 2.0]), ax)
    assert not ax.lines
    assert ax.get_title(loc="left") == "numbers: attributes in the set\nalso compared: speed"


def test_sets_of_one_size_say_so_once(ax):
    table = front([4.0, 4.0], accuracy=[0.9, 0.8], stability=[0.1, 0.5])
    pareto_front(table, ax)
    assert ax.get_title(loc="left") == "4 attributes in each set"
    assert not ax.texts


def log(sizes, performance):
    n = len(sizes)
    return numbers(
        generation=range(n),
        number_of_attributes=sizes,
        performance=performance,
        best=np.maximum.accumulate(performance),
    )


def test_a_search_shows_every_step_and_the_best_so_far(ax):
    table = log([1, 2, 3], [0.7, 0.9, 0.8])
    assert is_search(table)
    assert not is_front(table)
    search_progress(table, ax)
    best, steps = ax.lines
    assert best.get_ydata().tolist() == [0.7, 0.9, 0.9]
    assert steps.get_ydata().tolist() == [0.7, 0.9, 0.8]
    assert steps.get_xdata().tolist() == [1, 2, 3]
    assert ax.get_xlabel() == "number of attributes"


def test_a_search_to_and_fro_counts_generations(ax):
    search_progress(log([2, 1, 2], [0.7, 0.9, 0.8]), ax)
    assert ax.lines[0].get_xdata().tolist() == [0, 1, 2]
    assert ax.get_xlabel() == "generation"


def test_violins_have_their_widest_place_where_most_values_are(ax):
    values = np.concatenate([np.random.default_rng(0).normal(5, 1, 200), [0.0, 10.0]])
    table = ExampleSet.from_numpy(np.column_stack([values]), ["a", "b"] * 101, names=["x"])
    class_boxes(table, ax, violins=True)
    assert len(ax.collections) == 2
    outline = ax.collections[0].get_paths()[0].vertices
    height = outline[:, 1] - outline[:, 1].mean()
    assert outline[np.abs(height).argmax(), 0] == pytest.approx(5, abs=0.8)
    medians = [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata())]
    assert medians == [np.median(values[::2]), np.median(values[1::2])]


def test_a_violin_without_spread_is_a_line(ax):
    table = ExampleSet.from_numpy([[1.0], [1.0], [2.0]], ["a", "a", "b"], names=["x"])
    class_boxes(table, ax, violins=True)
    assert len(ax.collections) == 0
    assert [line.get_xdata()[0] for line in ax.lines if len(line.get_xdata())] == [1, 2]


def test_the_boxes_of_a_sparse_table_are_those_of_a_dense_one(tick_texts, monkeypatch):
    from matplotlib.figure import Figure

    rng = np.random.default_rng(0)
    X = np.where(rng.random((40, 300)) < 0.2, rng.normal(size=(40, 300)), 0.0)
    X[:20, [17, 230]] += 3.0
    X[1, 5] = np.nan
    label = ["a"] * 20 + ["b"] * 19 + [None]
    expected, found = Figure().subplots(), Figure().subplots()
    class_boxes(ExampleSet.from_numpy(X, label), expected)
    gather = SparseBlock.gather

    def few(block, columns):
        assert len(columns) < 10
        return gather(block, columns)

    monkeypatch.setattr(SparseBlock, "gather", few)
    class_boxes(ExampleSet.from_sparse(csr_array(X), label), found)
    assert tick_texts(found.yaxis) == tick_texts(expected.yaxis)
    assert set(tick_texts(found.yaxis)[:2]) == {"att18", "att231"}
