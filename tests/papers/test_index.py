"""The page docs/papers/index.md."""

from dataclasses import replace
from pathlib import Path

import pytest

from fsops.datasets import dataset
from fsops.errors import UsageError
from fsops.papers.catalogue import EXPERIMENTS, find_experiment
from fsops.papers.index import index_page, stored_reports
from fsops.papers.judging import judge
from fsops.papers.reports import run_experiment
from fsops.papers.setting import Setting
from fsops.papers.tables import tables_page
from fsops.papers.values import MeasuredValue, printed_values

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "papers"


def test_the_page_is_up_to_date():
    page = (FOLDER / "index.md").read_text(encoding="utf-8")
    assert page == index_page(FOLDER / "results"), "run python tools/make_papers_index.py"


def test_the_page_of_tables_is_up_to_date():
    page = (FOLDER / "tables.md").read_text(encoding="utf-8")
    assert page == tables_page(FOLDER / "results"), "run python tools/make_papers_index.py"


def test_the_page_of_tables_has_ours_beside_print(tmp_path):
    report, _ = run_experiment(find_experiment("schowe/table_2"), Setting())
    report.write(tmp_path)
    page = tables_page(tmp_path)
    assert "| golf | rank | 2 (2) | 3 (3) | 1 (1) | 4 (4) |" in page
    assert "`schowe/table_2`: **reproduced**, 8 of 8 agree" in page


def test_every_stored_file_belongs_to_an_experiment():
    files = list((FOLDER / "results").glob("*.csv"))
    assert len(stored_reports(FOLDER / "results")) == len(files)


@pytest.mark.parametrize("name", stored_reports(FOLDER / "results"))
def test_stored_values_are_judged_by_the_present_print_and_rules(name):
    stored = stored_reports(FOLDER / "results")[name]
    printed = printed_values(name)
    rows = {key: dataset(key).rows for key in find_experiment(name).data}
    measured = {line.key: MeasuredValue(line.ours, line.error) for line in stored.lines}
    for line, again in zip(stored.lines, judge(printed, measured, rows), strict=True):
        assert line.verdict == again.verdict, line.key
        assert line.difference == pytest.approx(again.difference, abs=1e-4, nan_ok=True)


def test_the_page_has_every_experiment_and_its_result(tmp_path):
    report, _ = run_experiment(find_experiment("schowe/table_2"), Setting())
    report.write(tmp_path)
    lines = index_page(tmp_path).splitlines()
    assert f"**1 of {len(EXPERIMENTS)} experiments are reproduced" in "\n".join(lines)
    for experiment in EXPERIMENTS:
        (line,) = [line for line in lines if line.startswith(f"| `{experiment.name}` |")]
        if experiment.name == "schowe/table_2":
            assert "| reproduced | 8 of 8 | every compared value agrees |" in line
        elif experiment.missing:
            assert f"| no data |  | {experiment.missing} |" in line
        else:
            assert (
                f"| not run |  | {experiment.unfinished or 'no complete run is stored'} |" in line
            )


def test_an_imported_result_is_marked(tmp_path):
    report, _ = run_experiment(find_experiment("schowe/table_2"), Setting())
    replace(report, mode="imported").write(tmp_path)
    assert "| imported: exact, seed 2001" in index_page(tmp_path)


def test_a_quick_run_is_no_result(tmp_path):
    report, _ = run_experiment(find_experiment("schowe/table_2"), Setting(quick=True))
    report.write(tmp_path)
    with pytest.raises(UsageError, match="quick run"):
        index_page(tmp_path)
