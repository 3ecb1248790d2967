"""Parts of experiments are cached, and splits and data sets can be chosen."""

import pytest

from fsops.errors import UsageError
from fsops.papers.setting import Setting


def test_a_part_is_computed_once_if_the_run_can_be_resumed(tmp_path, monkeypatch):
    monkeypatch.setenv("FSOPS_CACHE", str(tmp_path))
    calls = []

    def compute():
        calls.append(1)
        return {("Relief", "10", "error"): 0.25}

    setting = Setting(resume=True)
    first = setting.part(("table", "cns", 1), compute)
    again = setting.part(("table", "cns", 1), compute)
    other = setting.part(("table", "cns", 2), compute)
    assert first == again == other == {("Relief", "10", "error"): 0.25}
    assert len(calls) == 2
    Setting().part(("table", "cns", 1), compute)
    Setting(resume=True, quick=True).part(("table", "cns", 1), compute)
    assert len(calls) == 4


def test_splits_can_be_fewer_or_more_than_those_of_the_experiment():
    assert Setting().number_of_splits(3) == 3
    assert Setting(quick=True).number_of_splits(3) == 1
    assert Setting(splits=5).number_of_splits(3) == 5
    assert Setting(data=("cns", "lung")).repetitions(2, 10) == "2 × 10 folds of cns, lung"


def test_a_data_set_that_the_experiment_does_not_use_is_refused():
    with pytest.raises(UsageError, match='does not use "colon". It uses "cns", "lung"'):
        Setting(data=("colon",)).chosen(("cns", "lung"))
