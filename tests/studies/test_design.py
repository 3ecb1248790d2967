"""The design of a study: groups, pairs, batches, covariates, times of events."""

import numpy as np
import pandas as pd
import pytest

from fsops import run
from fsops.errors import UsageError
from fsops.plugins import plugins
from fsops.studies.design import DesignColumns
from fsops.studies.own_table import own_table, remarks
from fsops.studies.study import study_process

ROWS = 60


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    genes = pd.DataFrame(rng.normal(size=(ROWS, 8)), columns=[f"gene{j}" for j in range(8)])
    ill = np.arange(ROWS) // 3 % 2
    genes.iloc[:, 0] += 3 * ill
    return genes.assign(diagnosis=np.where(ill, "ill", "well"))


@pytest.fixture
def read(tmp_path):
    """Return a function that writes a table and gives the parameters to read it, and remarks."""

    def write(frame, label=None, **columns):
        frame.to_csv(tmp_path / "table.csv", index=False)
        found = own_table(
            tmp_path / "table.csv", label, plugins().registry, DesignColumns(**columns)
        )
        return found.reader[1], remarks(*found), found.known

    return write


@pytest.mark.parametrize("name", ["patient", "subject_id", "Donor", "participant number"])
def test_a_patient_with_several_rows_is_a_group_and_not_an_attribute(frame, read, name):
    frame.insert(0, name, np.arange(ROWS) // 3)
    parameters, told, known = read(frame)
    assert parameters["roles"] == {name: "group"}
    assert name not in known.schema.regular_names
    assert (
        f'Rows with the same "{name}" belong together (20 groups): they are never separated.'
        in told
    )


def test_a_patient_before_and_after_is_a_pair(frame, read):
    frame.insert(0, "subject", [f"S{j // 2}" for j in range(ROWS)])
    frame["when"] = ["before", "after"] * (ROWS // 2)
    parameters, told, _ = read(frame, "when")
    assert parameters["roles"] == {"subject": "pair"}
    assert 'Rows with the same "subject" are pairs (30): they are never separated.' in told


def test_columns_that_only_sound_alike_stay_attributes(frame, read):
    frame["patient"] = np.where(np.arange(ROWS) % 2, "yes", "no")
    frame["patients_seen"] = np.arange(ROWS) // 3
    parameters, _, known = read(frame)
    assert "roles" not in parameters
    assert {"patient", "patients_seen"} <= set(known.schema.regular_names)


def test_given_columns_get_their_roles(frame, read):
    frame = frame.assign(
        age=np.arange(ROWS) % 30, ward=np.arange(ROWS) % 4, who=np.arange(ROWS) // 3
    )
    parameters, told, known = read(
        frame, group_column="who", batch="ward", covariates=("age", "gene7"), skip=("gene6",)
    )
    roles = {"who": "group", "ward": "batch", "age": "covariate", "gene7": "covariate"}
    assert parameters["roles"] == roles
    assert parameters["skip"] == ["gene6"]
    assert len(known.schema.regular) == 6
    assert 'Covariates, not selected from: "age", "gene7".' in told
    assert '"ward" is the batch (4): it is not an attribute to select from.' in told
    assert 'Left out: "gene6" (as asked for).' in told


def test_wrong_columns_of_the_design_are_refused(frame, read):
    with pytest.raises(UsageError, match='--group: there is no column "gen0"') as found:
        read(frame, group_column="gen0")
    assert '"gene0"' in found.value.hint
    with pytest.raises(UsageError, match='"gene0" is given as --group and with --skip'):
        read(frame, group_column="gene0", skip=("gene0",))
    with pytest.raises(UsageError, match='"diagnosis" is given as the label and with --batch'):
        read(frame, batch="diagnosis")


def test_a_right_censored_time_is_not_predicted_as_a_number(frame, read):
    frame = frame.drop(columns="diagnosis").assign(
        time=np.random.default_rng(1).exponential(10, ROWS), event=np.arange(ROWS) % 2
    )
    for label, columns in (("time", {}), (None, {"time": "time", "event": "event"})):
        with pytest.raises(UsageError, match="right-censored outcome") as found:
            read(frame, label, **columns)
        assert "--label event --time time" in found.value.hint
    parameters, told, _ = read(frame, "event")
    assert parameters["skip"] == ["time"]
    assert '"time" (the time of an event is known only with it)' in told
    assert read(frame, "time", skip=("event",))[0]["skip"] == ["event"]


def test_folds_of_the_study_keep_groups_whole(frame, tmp_path):
    frame.insert(0, "patient", np.arange(ROWS) // 10)
    frame["diagnosis"] = np.where(frame.patient % 2, "ill", "well")
    frame.to_csv(tmp_path / "table.csv", index=False)
    process = study_process("s", tmp_path / "table.csv", None, plugins().registry)
    compared = next(n for n in process if n.operator.key == "compare_feature_selections")
    assert compared.parameters["number_of_folds"] == 6
    _, curves, weights, *_ = run(process)
    assert "patient" not in weights.names


def test_three_batches_with_all_classes_are_the_folds(frame, tmp_path):
    frame["plate"] = np.arange(ROWS) % 4
    frame.to_csv(tmp_path / "table.csv", index=False)
    process = study_process("s", tmp_path / "table.csv", None, plugins().registry)
    compared = next(n for n in process if n.operator.key == "compare_feature_selections")
    assert compared.parameters["split_on_batch_attribute"] is True
    assert (
        "Every batch is tested with a model trained on the other batches."
        in next(iter(process)).note.text
    )
