"""Logging performances."""

import numpy as np
import pytest

from fsops import Context, Criterion, PerformanceVector
from fsops.core.context import Services
from fsops.operators import log_performance


def test_every_criterion_is_noted_with_mean_variance_deviation_and_count():
    values = (0.5, 0.7, 0.9)
    performance = PerformanceVector([Criterion("accuracy", values), Criterion("once", (2.0,))])
    heard = []
    logged = log_performance(performance, ctx=Context(services=Services(heard.append)))
    assert logged.performance is performance
    table = logged.log.to_pandas()
    assert table["criterion"].tolist() == ["accuracy", "once"]
    assert table.loc[0, ["mean", "variance", "deviation", "count"]].tolist() == pytest.approx(
        [0.7, np.var(values, ddof=1), np.std(values, ddof=1), 3]
    )
    assert table.loc[1, "mean"] == 2
    assert np.isnan(table.loc[1, "deviation"])
    assert {event.name for event in heard} >= {"accuracy.mean", "accuracy.variance", "once.count"}
