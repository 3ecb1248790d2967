"""The concordance index of predicted risks."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import performance, performance_regression, performance_survival
from fsops.operators.validation.splits import strata

TIME = [1.0, 2.0, 3.0, 4.0, 4.0]
EVENT = [1, 0, 1, 1, 0]
RISK = [5.0, 1.0, 2.0, 2.0, 1.0]


def table(**changes):
    columns = {"time": TIME, "event": EVENT, "risk": RISK, "x": [0.0] * 5, **changes}
    roles = {"time": "label", "event": "event", "risk": "prediction"}
    return ExampleSet.from_pandas(pd.DataFrame(columns), roles=roles)


def test_pairs_are_counted_by_hand():
    # 1 against 4 later rows: 4 right; 3 against both at 4: one tie, one right; 4 against 4+: right.
    assert performance_survival(table())["concordance_index"].mean == pytest.approx(6.5 / 7)


def test_performance_measures_censored_times_by_concordance():
    assert performance(table()).equals(performance_survival(table()))


def test_errors_of_censored_times_are_refused():
    with pytest.raises(DataError, match="censored time") as error:
        performance_regression(table())
    assert "Performance (Survival)" in error.value.hint


def test_without_comparable_rows_a_warning_says_so():
    with pytest.warns(UserWarning, match="no two rows can be compared"):
        found = performance_survival(table(event=[0] * 5))
    assert np.isnan(found["concordance_index"].mean)


def test_folds_are_stratified_by_event():
    assert strata(table(), "automatic").tolist() == EVENT
    assert strata(table(), "stratified sampling").tolist() == EVENT
    assert strata(table(), "shuffled sampling") is None
