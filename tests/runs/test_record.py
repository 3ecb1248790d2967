"""What `run.json` says about the engine."""

import pytest

from fsops.core.frame.engine import EngineSettings
from fsops.engine.engines.registry import number_of_jobs
from fsops.runs.record import engine_record

CLUSTER = "tcp://host:8786"


def test_iterations_one_after_the_other_have_one_worker():
    said = EngineSettings(4, CLUSTER)
    assert engine_record("serial", said) == {"name": "serial", "jobs": 1, "scheduler": None}


def test_without_a_number_of_workers_the_one_that_was_used_is_told():
    told = engine_record("processes", EngineSettings())
    assert told == {
        "name": "processes",
        "jobs": number_of_jobs(EngineSettings()),
        "scheduler": None,
    }


@pytest.mark.parametrize("name", ["threads", "processes"])
def test_a_scheduler_is_not_told_where_none_was_used(name):
    told = engine_record(name, EngineSettings(2, CLUSTER))
    assert told == {"name": name, "jobs": 2, "scheduler": None}


def test_a_cluster_has_its_own_number_of_workers():
    told = engine_record("dask", EngineSettings(scheduler=CLUSTER))
    assert told == {"name": "dask", "jobs": None, "scheduler": CLUSTER}
