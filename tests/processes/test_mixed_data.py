"""Nominal and numerical attributes with gaps, from the file to the validation, as one process."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fsops import AttributeWeights, PerformanceVector, read_process, run

ROOT = Path(__file__).resolve().parents[2]
PROCESS = ROOT / "tests" / "fixtures" / "mixed_data.xml"
DATA = ROOT.parent / "shared" / "data"


def results(file, codes="none", leak="none", k="8"):
    macros = {"file": str(file), "codes": codes, "leak": leak, "k": k}
    found = run(read_process(PROCESS), macros=macros)
    return found[PerformanceVector], found[AttributeWeights]


def made_up(file, rows=80):
    """Write a table in which one number and one category tell the classes apart, with gaps."""
    rng = np.random.default_rng(7)
    sick = np.arange(rows) % 2 == 1
    frame = pd.DataFrame(
        {
            "fever": 37 + 2 * sick + rng.normal(size=rows) / 2,
            "noise": rng.normal(size=rows),
            "cough": np.where(rng.random(rows) < 0.1, ~sick, sick).astype(str),
            "town": rng.choice(["A", "B", "C"], rows),
            "label": np.where(sick, "sick", "well"),
        }
    )
    frame.loc[rng.choice(rows, 8, replace=False), "fever"] = np.nan
    frame.loc[rng.choice(rows, 8, replace=False), "cough"] = np.nan
    frame.to_csv(file, index=False)


def test_our_own_small_table(tmp_path):
    made_up(tmp_path / "patients.csv")
    performance, weights = results(tmp_path / "patients.csv", k="2")
    assert performance["accuracy"].mean > 0.9
    assert weights["fever"] > weights["noise"]
    assert weights["cough"] > weights["town"]
    assert performance.confusion.counts.sum() == 80


@pytest.mark.parametrize(
    ("file", "codes", "leak", "majority"),
    [
        ("heart_cleveland.csv", "sex|cp|fbs|restecg|exang|slope|thal", "num", 164 / 303),
        ("hepatitis.csv", "none", "none", 123 / 155),
    ],
)
def test_real_tables(file, codes, leak, majority):
    if not (DATA / file).exists():
        pytest.skip("the shared data folder is not on this machine")
    performance, weights = results(DATA / file, codes, leak)
    assert performance["accuracy"].mean > majority
    assert performance["kappa"].mean > 0.3
    assert leak not in dict(weights)


def test_real_weights_are_those_of_scikit_learn():
    """F of the numbers, over all rows without the gaps, as the mean over the folds tells roughly."""
    from sklearn.feature_selection import f_classif

    if not (DATA / "heart_cleveland.csv").exists():
        pytest.skip("the shared data folder is not on this machine")
    _, weights = results(DATA / "heart_cleveland.csv", "sex|cp|fbs|restecg|exang|slope|thal", "num")
    frame = pd.read_csv(DATA / "heart_cleveland.csv")
    numbers = ["age", "trestbps", "chol", "thalach", "oldpeak"]
    expected = f_classif(frame[numbers], frame["label"])[0] * 0.9  # nine tenths of the rows
    np.testing.assert_allclose([weights[name] for name in numbers], expected, rtol=0.15)
