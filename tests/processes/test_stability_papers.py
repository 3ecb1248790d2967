"""The experiments of the thesis on stable selections, smaller than in the manual."""

import csv
from pathlib import Path

import pytest

from fsops import read_process, run, validate

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "processes" / "papers" / "stability"
PAGE = ROOT / "docs" / "papers" / "stability.md"
COLON = ROOT.parent / "shared" / "data" / "colon_alon.parquet"

needs_data = pytest.mark.skipif(
    not COLON.exists(), reason="the shared data folder is not on this machine"
)


def rows_of(name):
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def figures(name, column, **macros):
    """Return a column of the table that a process delivers, by method and number."""
    table = run(read_process(FOLDER / name), macros=macros)[0].to_pandas()
    return table.set_index(["method", "attributes"])[column]


@needs_data
def test_prior_knowledge_makes_small_selections_steadier_on_colon():
    kuncheva = figures("prior_knowledge.xml", "kuncheva", sizes="10", most="10")
    for method in ("mRMR", "RFE"):
        assert kuncheva[f"PK-{method}", 10] > kuncheva[method, 10]


@needs_data
def test_every_combination_selects_as_many_as_asked_for():
    # Frequencies have many ties: the cut must not depend on them.
    used = figures("data_perturbation.xml", "used", size="7", filter="3")
    assert sorted(used.index.get_level_values("method")) == sorted(
        ["Base", "WMA", "CLA", "RRA", "OFA", "CAA", "RAA"]
    )
    assert (used == 7).all()


@needs_data
def test_ensembles_take_out_the_chance_of_a_relief_that_draws_rows():
    kuncheva = figures(
        "data_perturbation.xml", "kuncheva", size="20", sample_fraction="0.2", iterations="8"
    )
    assert (kuncheva.drop("Base", level="method") > kuncheva["Base", 20] + 0.1).all()


@needs_data
def test_the_number_of_proposals_and_the_learner_are_macros():
    macros = {"sizes": "5", "most": "5", "OF": "1", "WMA": "1", "RA": "1", "RedE": "1"}
    error = figures("instance_based_filters.xml", "pooled", learner="2", **macros)
    assert len(error) == 8
    assert error.between(0.1, 0.5).all()
    # With one proposal for each row, how often an attribute occurs is all there is to know.
    assert error["IB-OF", 5] == error["IB-WMA", 5] == error["IB-RA", 5]


@needs_data
def test_values_as_they_are_make_other_selections():
    macros = {"sizes": "10", "most": "10", "folds": "2"}
    kuncheva = [
        figures("instance_based_filters.xml", "kuncheva", scaling=scaling, **macros)
        for scaling in ("range", "none")
    ]
    differs = kuncheva[0] != kuncheva[1]
    assert differs[[f"IB-{how}" for how in ("OF", "WMA", "RA", "RedE")]].all()
    assert not differs[["Relief", "mRMR", "t-test", "Entropy"]].any()


@needs_data
def test_selections_and_classifiers_are_combined_in_the_right_and_the_wrong_order():
    process = read_process(FOLDER / "selections_or_classifiers.xml")
    warned = [problem for problem in validate(process) if "seen the label" in problem.message]
    assert len(warned) == 1
    assert "Validation after the selection" in warned[0].path
    quick = {"folds": "2", "size": "5"}
    selections, classifiers, wrong = (table.to_pandas() for table in run(process, macros=quick))
    for table in (selections, wrong):
        # 4 is left out where a fold has no common attribute.
        assert set(table.iloc[:, 0]) | {4} == {1, 2, 3, 4, 5, 6, 7}
    # Of two classes the smallest and the largest confidence decide alike.
    rules = classifiers.set_index("Classifiers.rule")[["precision", "recall", "f_measure"]]
    assert rules.loc["minimum"].equals(rules.loc["maximum"])


@needs_data
def test_the_selection_with_learned_knowledge_settles():
    process = read_process(FOLDER / "convergence.xml")
    traces = run(process, macros={"samples": "3"})[0]
    assert len(traces) == 3
    for trace in traces:
        assert trace.column("agreement")[-1] == 1
        assert len(trace) <= 12


def test_printed_figures_have_the_printed_means():
    # The last line of table 2.5, where the thesis adds up rightly.
    printed = {"IB-OF": 0.1081, "IB-WMA": 0.1232, "IB-RA": 0.1277, "Relief": 0.1697, "mRMR": 0.1149}
    for method, mean in printed.items():
        errors = [float(row[method]) for row in rows_of("table_2_5_printed.csv")]
        assert sum(errors) / len(errors) == pytest.approx(mean, abs=0.0015)


def test_both_files_of_printed_figures_agree():
    wide = {row["data set"]: row for row in rows_of("table_2_5_printed.csv")}
    steady = {row["data set"]: row for row in rows_of("stability_2_5_printed.csv")}
    long = [row for row in rows_of("printed.csv") if row["table"] == "2.5"]
    assert len(long) == 8 * len(wide)
    for row in long:
        assert float(wide[row["data set"]][row["method"]]) == float(row["error"])
        assert float(steady[row["data set"]][row["method"]]) == float(row["stability"])


def test_no_two_filters_of_the_thesis_differ_by_nemenyi():
    _, ranks, pairs = (found.to_pandas() for found in run(read_process(FOLDER / "friedman.xml")))
    mean_rank = ranks.set_index("method")["mean rank"]
    assert mean_rank.idxmax() == "Relief"
    # 8 methods on 7 data sets: a difference of 3.969 would be significant.
    assert mean_rank.max() - mean_rank.min() < 3.969
    assert set(pairs["significant"]) == {"no"}


def test_the_page_tells_of_every_process():
    page = PAGE.read_text(encoding="utf-8")
    assert [file.name for file in FOLDER.glob("*.xml") if file.name not in page] == []
