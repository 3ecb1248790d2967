"""Printed values of the thesis agree with the tables that the processes compare with."""

import csv

from fsops.examples import examples_folder
from fsops.papers.catalogue import EXPERIMENTS
from fsops.papers.values import Key, printed_values

FOLDER = examples_folder() / "papers" / "stability"


def thesis():
    return {
        (line.place.removeprefix("Table "), line.key): line.value
        for experiment in EXPERIMENTS
        for line in printed_values(experiment.name)
    }


def test_errors_and_stabilities_are_those_of_the_processes():
    known = thesis()
    with (FOLDER / "printed.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        table = row["table"]
        size = {"2": "", "3": "10-100", "4": row["attributes"]}[table[0]]
        for measure in ("error", "stability"):
            if row[measure]:
                key = Key(row["data set"].lower(), row["method"], size, measure)
                assert known[table, key] == float(row[measure]), (table, key)


def test_precision_and_recall_are_those_of_the_processes():
    known = thesis()
    with (FOLDER / "printed_3_2_to_3_4.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        method = f"{row['method']}, {row['learner']}"
        for measure in ("precision", "recall", "f_measure", "AUC"):
            key = Key(row["data set"].lower(), method, "", measure)
            assert known[row["table"], key] == float(row[measure])
