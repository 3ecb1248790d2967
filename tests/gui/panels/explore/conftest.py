import numpy as np
import pytest


@pytest.fixture
def table():
    """Return 40 rows of two classes: a, b and c differ between them, b is nearly a, d … h are noise."""
    from fsops.data import Attribute, ExampleSet, ValueType

    rng = np.random.default_rng(3)
    codes = np.repeat([0, 1], [25, 15])
    values = rng.normal(size=(40, 8))
    values[:, 0] += 3 * codes
    values[:, 1] = values[:, 0] + 0.05 * rng.normal(size=40)
    values[:, 2] -= 2 * codes
    values[3, 5] = np.nan
    columns = [(Attribute(name, ValueType.REAL), values[:, n]) for n, name in enumerate("abcdefgh")]
    label = Attribute("y", ValueType.BINOMINAL, "label", categories=("no", "yes"))
    return ExampleSet.from_columns([*columns, (label, codes.astype(np.int32))], 40)


@pytest.fixture
def material(table):
    """Return the table with two weightings and ten selections."""
    from fsops.data import AttributeWeights, StabilityResult
    from fsops_gui.panels.explore.material import Found, gather

    names = tuple("abcdefgh")
    first = AttributeWeights(names, [9, 8, 7, 1, 2, 3, 0.5, 0.1], origin="One")
    second = AttributeWeights(names, [2, 1, 3, 8, 7, 6, 5, 4], origin="Two", best="smallest")
    selected = np.zeros((10, 8), dtype=bool)
    selected[:, 0] = True
    selected[:6, 2] = True
    selected[6:, 4] = True
    stability = StabilityResult(names, selected.astype(float), selected, {})
    return gather(
        [
            Found("Read", "examples", table),
            Found("One", "weights", first),
            Found("Two", "weights", second),
            Found("Stability", "stability", stability),
        ],
        "Test",
    )
