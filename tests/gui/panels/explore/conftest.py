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
    from fsops_gui.panels.explore.material import PortValue, gather

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
            PortValue("Read", "examples", table),
            PortValue("One", "weights", first),
            PortValue("Two", "weights", second),
            PortValue("Stability", "stability", stability),
        ],
        "Test",
    )


@pytest.fixture
def predicted(table, material):
    """Return the material with predictions: rows 0, 1 and 39 are wrong."""
    from dataclasses import replace

    from fsops.data import Attribute, ValueType

    true = table.column("y")
    guess = true.copy()
    guess[[0, 1, 39]] = 1 - guess[[0, 1, 39]]
    sure = np.where(guess == 1, 0.9, 0.1) + np.linspace(0, 0.05, 40)
    names = ("no", "yes")
    columns = [
        (Attribute("guess", ValueType.BINOMINAL, "prediction", categories=names), guess),
        (Attribute("confidence(yes)", ValueType.REAL, "confidence_yes"), sure),
        (Attribute("confidence(no)", ValueType.REAL, "confidence_no"), 1 - sure),
    ]
    return replace(material, predictions=table.with_columns(columns), _columns={})
