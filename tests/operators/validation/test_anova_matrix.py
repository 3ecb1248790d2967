"""Analysis of variance of every pair of attributes."""

import pandas as pd
import pytest
from scipy import stats

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import anova_matrix, retrieve


def test_golf_has_the_p_values_of_scipy_for_label_and_attributes():
    golf = retrieve(repository_entry="golf")
    found = anova_matrix(golf).to_pandas().set_index("attribute")
    frame = golf.to_pandas()
    nominal = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    assert sorted(found.columns) == sorted(nominal)
    for number in found.index:
        for group in nominal:
            parts = [part[number] for _, part in frame.groupby(group, observed=True)]
            assert found.loc[number, group] == pytest.approx(stats.f_oneway(*parts).pvalue)


def test_a_table_without_categories_is_refused():
    with pytest.raises(DataError, match="no nominal attribute"):
        anova_matrix(ExampleSet.from_pandas(pd.DataFrame({"a": [1.0, 2.0]})))
