"""Each kind of advice has a page, and its demonstration shows the effect."""

import re

import pytest

from fsops.core.checks.problems import Kind
from fsops.why import REASONS, best, noise, reason_for, validated


@pytest.mark.parametrize("kind", REASONS, ids=lambda kind: kind.name.lower())
def test_a_demonstration_runs_and_is_the_same_each_time(kind):
    reason = reason_for(kind)
    outcome = reason.demonstrate()
    assert outcome == reason.demonstrate()
    assert re.search(r"\d", outcome)
    assert outcome.endswith(".")
    assert reason.text.endswith(".")


def test_errors_explain_themselves():
    assert reason_for(Kind.CYCLE) is None


def test_a_selection_before_the_validation_is_optimistic_on_noise():
    outside, inside = [], []
    for seed in range(10):
        values, classes = noise(60, 1_000, seed)
        outside.append(validated(values[:, best(values, classes, 10)], classes))
        inside.append(validated(values, classes, lambda v, c: best(v, c, 10)))
    assert sum(outside) / 10 > 0.75
    assert 0.35 < sum(inside) / 10 < 0.65
