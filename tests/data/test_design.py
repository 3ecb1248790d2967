"""Roles of the design of a study."""

import numpy as np
import pytest

from fsops import Attribute, ExampleSet
from fsops.data.design import role_codes, row_groups
from fsops.errors import DataError


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    return ExampleSet.from_numpy(rng.normal(size=(6, 2)), [0, 1] * 3, names=["a", "b"])


def with_column(table, name, values, role):
    return table.with_columns([(Attribute(name, role=role), np.array(values, dtype=float))])


def test_rows_of_one_group_or_pair_belong_together_also_through_other_rows(table):
    assert row_groups(table) is None
    grouped = with_column(table, "patient", [9, 9, 4, 4, 5, 6], "group")
    assert row_groups(grouped).tolist() == [3, 3, 0, 0, 1, 2]
    both = with_column(grouped, "match", [1, 2, 2, 3, 4, 4], "pair")
    found = row_groups(both)
    assert len(set(found[:4])) == 1
    assert len(set(found[4:])) == 1
    assert found[0] != found[4]


def test_a_batch_does_not_keep_rows_together(table):
    batches = with_column(table, "plate", [1, 1, 1, 2, 2, 2], "batch")
    assert row_groups(batches) is None
    assert role_codes(batches, "batch").tolist() == [0, 0, 0, 1, 1, 1]


def test_an_unknown_group_is_an_error_that_names_the_row(table):
    grouped = with_column(table, "patient", [9, 9, np.nan, 4, 5, 6], "group")
    with pytest.raises(DataError, match='group attribute "patient" is missing in row 3'):
        row_groups(grouped)


def test_several_attributes_may_be_covariates_but_only_one_the_group(table):
    found = table.with_roles({"a": "covariate"}).with_roles({"b": "covariate"})
    assert found.schema.roles == {"label": "label", "a": "covariate", "b": "covariate"}
    assert not len(found.schema.regular)
    with pytest.raises(DataError, match='Only one attribute can have the role "group"'):
        table.with_roles({"a": "group", "b": "group"})
