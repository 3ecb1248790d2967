"""RapidMiner's own sample processes, where they are on the machine."""

import importlib.util
import sys
from pathlib import Path

import pytest
from lxml import etree

from fsops import run
from fsops.core import validate
from fsops.core.checks.problems import Severity
from fsops.plugins import plugins
from fsops.storage import format_process, parse_process, read_process, write_process
from fsops.storage.rapidminer.importer import import_report
from fsops.storage.rapidminer.moving import move_process

ROOT = Path(__file__).resolve().parents[3]
PROCESSES = ROOT.parent / "shared/rapidminer/processes"
FILES = sorted(PROCESSES.rglob("*.rmp"))
every_sample = pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}/{f.stem}")
needs_samples = pytest.mark.skipif(
    not FILES, reason="RapidMiner's sample processes are not on this machine"
)
SHORTER = {
    "03_XValidation_Numerical": {"Training": {"max_iterations": "1000"}},
    "10_EvolutionaryFeatureSelection": {
        "GeneticAlgorithm": {"maximum_number_of_generations": "2", "population_size": "3"}
    },
    "12_WrapperValidation": {
        "WrapperXValidation": {"number_of_folds": "2"},
        "Cross Validation": {"number_of_folds": "2"},
    },
    "02_PerformanceEvaluator_Regression": {"JMySVMLearner": {"max_iterations": "1000"}},
    "11_WeightGuidedFeatureSelection": {"WeightGuidedFeatureSelection": {"maximal_fitness": "1e9"}},
    "05_ParameterValuePlot": {
        "ParameterOptimization": {"parameters": {"Training.C": "1,2"}},
        "Cross Validation": {"number_of_folds": "2"},
    },
    "05_XValidation_IntermediateOutputs": {
        "Cross Validation": {"number_of_folds": "2"},
        "Training": {"max_iterations": "1000"},
    },
    "15_YAGGA": {"YAGGA": {"maximum_number_of_generations": "2", "population_size": "4"}},
    "10_SOMVisualisation": {"SOMDimensionalityReduction": {"training_rounds": "2"}},
    "04_FitnessPlot": {"GeneticAlgorithm": {"maximum_number_of_generations": "2"}},
}
"""Settings that let slow samples end soon."""
READS = {"16_YAGGAResultAttributeSetting": ["15_YAGGA.rmp"]}
"""Samples that read what another sample writes."""


@pytest.fixture(scope="module")
def script():
    path = ROOT / "tools" / "make_rapidminer_table.py"
    spec = importlib.util.spec_from_file_location("make_rapidminer_table", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def levels(process):
    yield process
    for node in process:
        for inner in node.subprocesses:
            yield from levels(inner)


@needs_samples
@every_sample
def test_nothing_is_lost_and_a_round_trip_is_stable(file):
    registry = plugins().registry
    process, report = read_process(file, registry), import_report(file, registry)
    elements = etree.parse(file).getroot()
    names = {e.get("name") for e in elements.iter("operator")} - {"Process", "Root"}
    added = {n.name for n in process.walk()} - names
    assert names <= {n.name for n in process.walk()} | {e.get("name") for e in [elements[1]]}
    assert {n.operator.key for n in process.walk() if n.name in added} <= {"normalize_weights"}
    connections = sum(1 for _ in elements.iter("connect"))
    assert sum(len(level.connections) for level in levels(process)) == connections + len(added)
    notes = sum(1 for _ in elements.iter("description"))
    kept = sum(len(level.notes) for level in levels(process))
    kept += sum(node.note is not None for node in process.walk()) + bool(process.description)
    assert kept == notes
    assert len(report.mapped) + len(report.missing) == len(list(elements.iter("operator"))) - 1
    first = format_process(process)
    assert format_process(parse_process(first, registry)) == first


@needs_samples
@every_sample
def test_what_has_no_placeholder_is_as_the_table_says(file, script):
    told = next(
        row for row in rows_of_page(script) if row.name == f"{file.parent.name}/{file.stem}"
    )
    assert script.row_of(file, runs=told.runs) == told, "make_rapidminer_table.py updates it"


def rows_of_page(script):
    lines = script.table_in(script.PAGE.read_text(encoding="utf-8")).splitlines()
    cells = [line.strip("| ").split(" | ") for line in lines if line.startswith("| 0")]
    return [script.Row(*(cell.strip(" |") for cell in (*row, "")[:4])) for row in cells]


@needs_samples
def test_the_page_has_all_samples_and_counts_them(script):
    rows = rows_of_page(script)
    assert [row.name for row in rows] == [f"{f.parent.name}/{f.stem}" for f in FILES]
    assert script.table_in(script.PAGE.read_text(encoding="utf-8")) == script.table(rows)


@needs_samples
@every_sample
def test_what_the_table_says_to_run_runs(file, script, tmp_path):
    told = next(
        row for row in rows_of_page(script) if row.name == f"{file.parent.name}/{file.stem}"
    )
    if told.runs != "yes":
        pytest.skip(f"does not run: {told.missing}")
    for before in READS.get(file.stem, ()):
        run_shortened(file.parent / before, tmp_path)
    run_shortened(file, tmp_path)


def run_shortened(file, folder):
    """Run a sample with fewer iterations; it writes into a folder."""
    process = read_process(file)
    move_process(process, folder)
    process.readable = None  # the samples read ../../data
    for name, settings in SHORTER.get(file.stem, {}).items():
        process.find(name).parameters |= settings
    run(process)


@needs_samples
def test_a_process_that_is_moved_still_finds_its_data(tmp_path):
    registry = plugins().registry
    process = read_process(PROCESSES / "03_Validation/10_TestSet.rmp", registry)
    move_process(process, tmp_path)
    write_process(process, tmp_path / "moved.xml")
    moved = read_process(tmp_path / "moved.xml", registry)
    assert [p for p in validate(moved, registry) if p.severity is Severity.ERROR] == []
    assert len(run(moved).results) == 1
