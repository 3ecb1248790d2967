"""Evolution of sets with new attributes."""

import numpy as np
import pytest

import fsops
from fsops import Criterion, ExampleSet, PerformanceVector
from fsops.errors import DataError
from fsops.operators import (
    optimize_by_generation_yagga,
    read_constructions,
    write_constructions,
)


def squared_error(examples, through=None):
    """Error of least squares on the even rows, measured on the odd ones."""
    X = np.column_stack([np.ones(len(examples)), examples.numeric()])
    y = examples.label_values()
    fit = np.linalg.lstsq(X[::2], y[::2], rcond=None)[0]
    error = float(((X[1::2] @ fit - y[1::2]) ** 2).mean())
    return PerformanceVector([Criterion("squared_error", (error,), maximize=False)])


@pytest.fixture
def table():
    X = np.random.default_rng(3).uniform(-1, 1, size=(60, 3))
    return ExampleSet.from_numpy(X, X[:, 0] * X[:, 1] + 0.5 * X[:, 2])


@pytest.fixture
def found(table):
    with fsops.running(seed=11):
        return optimize_by_generation_yagga(
            table,
            squared_error,
            use_plus=False,
            reciprocal_value=False,
            use_heuristic_mutation_probability=False,
            mutation_probability=1.0,
            initial_probability=1.0,
            population_size=20,
            max_generations=15,
            keep_best_individual=True,
        )


def test_products_that_the_label_needs_are_found(found, table):
    assert "(att1 * att2)" in found.examples.schema
    X = table.numeric()
    product = found.examples.column("(att1 * att2)")
    assert product == pytest.approx(X[:, 0] * X[:, 1])
    assert found.performance.main.mean < 1e-10
    assert found.performance.main.mean == pytest.approx(
        squared_error(found.examples).main.mean, abs=1e-20
    )
    assert found.weights.values.tolist() == [1.0] * len(found.examples.schema.regular)
    assert [*found.weights.names] == [*found.examples.schema.regular_names]


def test_constructions_of_a_file_are_computed_for_other_rows(found, table, tmp_path):
    file = str(tmp_path / "new.att")
    write_constructions(found.examples, path=file)
    other = table.take(np.arange(10, 20))
    again = read_constructions(other, path=file)
    assert [*again.schema.regular_names] == [*found.examples.schema.regular_names]
    assert again.numeric() == pytest.approx(found.examples.numeric()[10:20])
    kept = read_constructions(other, path=file, keep_all=True)
    assert {"att1", "att2", "att3"} <= {*kept.schema.regular_names}


def test_a_file_of_strangers_is_refused_with_a_sentence(table, tmp_path):
    file = tmp_path / "bad.att"
    file.write_text("<weights/>")
    with pytest.raises(DataError, match="holds no constructions"):
        read_constructions(table, path=str(file))
    file.write_text("<constructions><attribute name='x' construction='lost * 2'/></constructions>")
    with pytest.raises(fsops.errors.FsopsError, match='"x" cannot be constructed'):
        read_constructions(table, path=str(file))
    file.write_text("<constructions")
    with pytest.raises(DataError, match="cannot be read"):
        read_constructions(table, path=str(file))
