"""MRMR by correlation over a Parquet file in blocks: the selection of a table in memory."""

import numpy as np
import pyarrow.parquet as pq
import pytest

from fsops import Context, ExampleSet
from fsops.algorithms.filters import streaming as module
from fsops.core.frame.services import Services
from fsops.data.streamed import StreamedExampleSet
from fsops.operators import mrmr_cache_creator, read_parquet, select_by_mrmr_cfs


@pytest.fixture
def stream(tmp_path):
    """Return a function that writes a table and reads it as one too large for memory."""

    def write(examples, limit=3000, group_rows=11):
        file = tmp_path / "table.parquet"
        pq.write_table(examples.to_arrow(), file, row_group_size=group_rows)
        services = Services()
        services.memory_limit = limit
        context = Context(services=services)
        return read_parquet(path=str(file), streaming=True, ctx=context)

    return write


def examples(nominal_label):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 12)) + 1000
    X[:, 6:] = 0.6 * X[:, :6] + 0.4 * X[:, 6:]  # pairs that repeat each other
    X[:, 3] = 7.0
    y = X[:, 0] + X[:, 1] - 0.7 * X[:, 4] + rng.normal(size=80)
    return ExampleSet.from_numpy(X, np.where(y > np.median(y), "a", "b") if nominal_label else y)


@pytest.mark.parametrize("at_once", [1, 4, 16])
@pytest.mark.parametrize("nominal_label", [True, False])
@pytest.mark.parametrize("criterion", ["automatic", "difference", "quotient"])
def test_selection_in_blocks_is_that_in_memory(
    criterion, nominal_label, at_once, stream, monkeypatch
):
    monkeypatch.setattr(module, "AT_ONCE", at_once)
    table = examples(nominal_label)
    streamed = stream(table)
    found = select_by_mrmr_cfs(streamed, k=6, criterion=criterion, output="ranking")
    expected = select_by_mrmr_cfs(table, k=6, criterion=criterion, output="ranking")
    assert found.values.tolist() == expected.values.tolist()
    relevance = expected.details["relevance"]
    assert found.details["relevance"] == pytest.approx(relevance, rel=1e-10)
    assert not streamed.is_loaded


@pytest.mark.parametrize("group_rows", [1, 80])
def test_layout_of_the_file_does_not_matter(group_rows, stream):
    table = examples(nominal_label=True)
    found = select_by_mrmr_cfs(stream(table, group_rows=group_rows), k=5, output="ranking")
    assert found.values.tolist() == select_by_mrmr_cfs(table, k=5, output="ranking").values.tolist()


@pytest.mark.parametrize(
    ("limit", "most", "kept"), [(3000, 0.25, False), (20_000, 0.25, True), (20_000, 1.0, False)]
)
def test_chosen_attributes_are_read_once_if_few_are_read_at_a_time_and_there_is_room(
    limit, most, kept, stream, monkeypatch
):
    monkeypatch.setattr("fsops.data.streamed.MOST_READ_AGAIN", most)
    monkeypatch.setattr(module, "AT_ONCE", 2)
    table = examples(nominal_label=True)
    streamed = stream(table, limit, group_rows=80)
    assert len({piece.columns for piece in streamed.pieces(1)}) > 1
    asked = []
    read = StreamedExampleSet.read_alone

    def noted(self, positions):
        asked.append(len(positions))
        return read(self, positions)

    monkeypatch.setattr(StreamedExampleSet, "read_alone", noted)
    found = select_by_mrmr_cfs(streamed, k=5, output="ranking")
    assert found.values.tolist() == select_by_mrmr_cfs(table, k=5, output="ranking").values.tolist()
    assert (2 in asked) == kept


def test_merit_of_correlations_can_be_had_in_blocks(stream):
    table = examples(nominal_label=False)
    found = select_by_mrmr_cfs(stream(table), k=6, criterion="cfs merit", output="ranking")
    expected = select_by_mrmr_cfs(table, k=6, criterion="cfs merit", output="ranking")
    assert found.values.tolist() == expected.values.tolist()


@pytest.mark.parametrize(
    "parameters",
    [{"measure": "spearman"}, {"measure": "mutual information"}, {"iterations": 3}],
)
def test_other_measures_need_the_table_in_memory(parameters, stream, refused):
    table = examples(nominal_label=True)
    with refused("would take", "by correlation"):
        select_by_mrmr_cfs(stream(table), k=3, **parameters)
    with refused("would take"):
        mrmr_cache_creator(stream(table))
    loaded = select_by_mrmr_cfs(stream(table, limit=10**6), k=3, **parameters)
    assert loaded.values.tolist() == select_by_mrmr_cfs(table, k=3, **parameters).values.tolist()


def test_missing_values_are_told(stream, refused):
    X = np.random.default_rng(0).normal(size=(80, 12))
    X[70, 2] = np.nan
    with refused("1 value is missing", '"att3"'):
        select_by_mrmr_cfs(stream(ExampleSet.from_numpy(X, ["x", "y"] * 40)))
