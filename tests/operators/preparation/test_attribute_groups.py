"""Groups by hand, from a file, and from an encoder."""

import numpy as np
import pandas as pd
import pytest

from fsops.data import ExampleSet
from fsops.errors import DataError, OperatorWarning, ParameterError
from fsops.operators import (
    nominal_to_numerical,
    optimize_selection_forward,
    select_by_weights,
    set_attribute_groups,
    weight_by_f_test,
)

FRAME = pd.DataFrame(
    {
        "x": np.arange(12.0),
        "stage": ["I", "II", "III"] * 4,
        "sex": ["f", "m"] * 6,
        "y": ["a", "b", "b"] * 4,
    }
)


def table() -> ExampleSet:
    return ExampleSet.from_pandas(FRAME, roles={"y": "label"})


def members(examples: ExampleSet) -> dict[str, list[str]]:
    groups = examples.schema.groups
    if groups is None:
        return {}
    return {
        name: [examples.names[p] for p in groups.positions(i)]
        for i, name in enumerate(groups.names)
    }


ONE_HOT = {
    "stage": ["stage = I", "stage = II", "stage = III"],
    "sex": ["sex = f", "sex = m"],
}


def test_one_hot_columns_are_a_group_of_their_attribute():
    coded = nominal_to_numerical(table())
    assert members(coded.examples) == ONE_HOT
    assert not coded.examples.schema.groups.bound.any()
    assert members(coded.model.apply(table())) == ONE_HOT


def test_bound_one_hot_columns_are_selected_together():
    coded = nominal_to_numerical(table(), select_together=True).examples
    weights = weight_by_f_test(coded)
    assert weights.details["attribute_group"].tolist() == ["", *["stage"] * 3, *["sex"] * 2]
    best = select_by_weights(coded, weights, weight_relation="top k", k=1)
    assert list(best.schema.regular_names) == ONE_HOT["stage"]
    released = set_attribute_groups(coded)
    one = select_by_weights(released, weights, weight_relation="top k", k=1)
    assert len(one.schema.regular) == 1


def test_indicators_have_the_mark_of_their_attribute():
    marked = table().with_mark(["sex"], "must_keep")
    coded = nominal_to_numerical(marked).examples
    assert coded.schema.noted_roles == {
        "y": "label", "sex = f": "must_keep", "sex = m": "must_keep",
    }  # fmt: skip


def test_parquet_and_arrow_keep_groups():
    coded = nominal_to_numerical(table(), select_together=True).examples
    assert ExampleSet.from_arrow(coded.to_arrow()).equals(coded)
    damaged = coded.to_arrow().replace_schema_metadata({b"fsops.groups": b'{"names": ["a"]}'})
    assert ExampleSet.from_arrow(damaged).schema.groups is None


def test_groups_are_set_by_patterns():
    found = set_attribute_groups(
        nominal_to_numerical(table()).examples,
        source="patterns",
        groups={"clinic": "sex.*|x", "none": "z.*"},
        select_together=True,
        ctx=_quiet(),
    )
    assert members(found) == {"clinic": ["x", "sex = f", "sex = m"]}
    assert members(set_attribute_groups(found, source="none")) == {}
    with pytest.raises(ParameterError, match="groups is empty"):
        set_attribute_groups(table(), source="patterns")


def _quiet():
    from fsops.core import Context

    return Context()


def test_gene_sets_of_a_file_are_groups_of_the_genes_that_are_there(tmp_path):
    file = tmp_path / "sets.gmt"
    file.write_text("A\tabout\tx\tunknown\nB\tabout\tx\tsex\nC\tabout\tunknown\ty\n")
    with pytest.warns(OperatorWarning, match='left out: 2 of 4, "unknown", "y"'):
        found = set_attribute_groups(table(), source="file", path=str(file))
    assert members(found) == {"A": ["x"], "B": ["x", "sex"]}
    with pytest.raises(DataError, match="must not overlap"):
        set_attribute_groups(table(), source="file", path=str(file), select_together=True)
    with pytest.raises(ParameterError, match="path is not set"):
        set_attribute_groups(table(), source="file")


def test_sets_without_a_gene_of_the_table_are_counted(tmp_path):
    file = tmp_path / "sets.gmt"
    file.write_text("A\tabout\tx\nB\tabout\tg1\tg2\n")
    with pytest.warns(OperatorWarning, match="left out: 2 of 3, .* in the table: 1 of 2"):
        found = set_attribute_groups(table(), source="file", path=str(file))
    assert members(found) == {"A": ["x"]}


@pytest.mark.filterwarnings("error")
def test_a_file_whose_genes_are_all_in_the_table_gives_no_warning(tmp_path):
    file = tmp_path / "sets.gmt"
    file.write_text("A\tabout\tx\tsex\n")
    set_attribute_groups(table(), source="file", path=str(file))


def test_a_table_without_groups_is_warned_of():
    with pytest.warns(OperatorWarning, match="has no groups"):
        set_attribute_groups(table())


def test_a_search_adds_a_coded_attribute_as_a_whole():
    from fsops.data import Criterion, PerformanceVector

    def count_of_stages(examples, through=None):
        names = examples.schema.regular_names
        return PerformanceVector(
            [Criterion("x", (sum("stage" in n for n in names) - 0.1 * len(names),))]
        )

    coded = nominal_to_numerical(table(), select_together=True).examples
    found = optimize_selection_forward(coded, count_of_stages)
    assert list(found.examples.schema.regular_names) == ONE_HOT["stage"]
