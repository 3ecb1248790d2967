"""What the page about scikit-learn shows works as shown."""

import re
from pathlib import Path

import pytest

import fsops.sklearn

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scikit-learn.md").read_text(encoding="utf-8")
PROGRAM = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.S))


@pytest.fixture(scope="module")
def names():
    import os

    before, found = os.getcwd(), {}
    os.chdir(ROOT)
    try:
        exec(PROGRAM, found)  # noqa: S102 - it is our own text
    finally:
        os.chdir(before)
    return found


def test_the_programs_do_what_the_text_says(names):
    assert names["ensemble"].get_support().sum() == 10
    assert 1 <= names["forward"].get_support().sum() <= 3
    assert 1 <= names["judged"].get_support().sum() <= 2
    assert set(names["search"].best_params_) == {"Top__k"}
    assert names["fitted"].performance_.main.name == "accuracy"
    assert len(names["weights"].selected()) == 5
    assert names["prepared"].schema.regular_names == ("pca0", "pca1", "pca2")


def test_every_selector_that_is_named_exists():
    mentioned = set(re.findall(r"\b((?:WeightBy|SelectBy|Optimize|Pk|Ensemble)\w+)", PAGE))
    assert mentioned <= set(dir(fsops.sklearn))
