"""A plugin's operators behave by their role: their palette group has no meaning anywhere."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from lxml import html
from typer.testing import CliRunner

import fsops.sklearn
from fsops import Process, validate, write_process
from fsops.cli.app import app
from fsops.core.checks.problems import Kind
from fsops.core.declare.roles import Role
from fsops.errors import UsageError
from fsops.export.sklearn_script import sklearn_script
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    performance,
    select_by_weights,
    select_top_k,
)
from fsops.plugins import plugins
from fsops.sklearn import selector

FIXTURE = Path(__file__).parents[1] / "fixtures" / "plugins" / "fsops-filters" / "fsops_filters.py"


@pytest.fixture
def mine(install):
    """Return the operators of the installed plugin by their names."""
    install("filters", FIXTURE.read_text(encoding="utf-8"))
    plugins.cache_clear()
    registry = plugins().registry
    keys = (
        "weight_by_gap", "weight_without_role", "select_by_gap", "drop_worst",
        "first_of_each_class", "two_clouds", "pass_on",
    )  # fmt: skip
    yield SimpleNamespace(**{key: registry[f"filters:{key}"] for key in keys})
    plugins.cache_clear()


def validated(process, table):
    """Add a cross-validation of a learner on a table, and return its training."""
    node = process.add(cross_validation, table)
    testing = node.inner("testing")
    testing.result(testing.add(performance, testing.add(apply_model, *testing.inputs())))
    process.result(node)
    return node.inner("training")


def learned(training, table):
    training.result(training.add(naive_bayes, table))


def test_the_groups_are_not_those_of_fsops(mine):
    assert mine.weight_by_gap.group == "Mine/Filters"
    assert mine.two_clouds.group == "Control/Mine"


# --- fsops.sklearn ---------------------------------------------------------------------------


@pytest.fixture
def X_y():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    X = rng.normal(size=(60, 15))
    X[:, :2] += 3 * y[:, None]
    return X, y


@pytest.mark.parametrize("key", ["weight_by_gap", "weight_without_role"])
def test_a_weighting_is_a_selector_that_keeps_the_ten_best(mine, X_y, key):
    support = selector(f"filters:{key}").fit(*X_y).get_support()
    assert support.sum() == 10
    assert support[:2].all()


def test_a_selection_is_a_selector_that_keeps_what_it_selected(mine, X_y):
    fitted = selector("filters:select_by_gap", least=1.5).fit(*X_y)
    assert list(np.flatnonzero(fitted.get_support())) == [0, 1]


def test_a_search_is_a_selector(mine, X_y):
    inner = selector("filters:weight_by_gap")
    fitted = selector("filters:drop_worst", inner).fit(*X_y)
    assert fitted.get_support().sum() == 14


def test_selectors_are_listed_by_role(mine):
    names = dir(fsops.sklearn)
    assert {"FiltersWeightByGap", "FiltersSelectByGap", "FiltersDropWorst"} <= {*names}
    assert not {"FiltersFirstOfEachClass", "FiltersTwoClouds", "FiltersPassOn"} & {*names}


# --- leak detection --------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["weight_by_gap", "weight_without_role"])
def test_a_weighting_before_a_validation_is_a_leak(mine, key):
    process = Process()
    table = process.add(mine.two_clouds)
    weights = process.add(getattr(mine, key), table)
    chosen = process.add(select_by_weights, table, process.add(select_top_k, weights, k=2))
    training = validated(process, chosen)
    learned(training, training.source())
    [problem] = validate(process)
    assert problem.kind is Kind.INFORMATION_LEAK
    assert weights.name in problem.message


def test_a_choice_of_rows_that_needs_the_label_is_no_leak(mine):
    process = Process()
    training = validated(
        process, process.add(mine.first_of_each_class, process.add(mine.two_clouds))
    )
    learned(training, training.source())
    assert validate(process) == []


# --- report ----------------------------------------------------------------------------------


def test_the_report_describes_sources_and_explains_methods_by_role(mine, tmp_path):
    process = Process()
    table = process.add(mine.pass_on, process.add(mine.two_clouds))
    process.result(process.add(mine.weight_by_gap, table))
    file, report = tmp_path / "process.xml", tmp_path / "report.html"
    write_process(process, file)
    done = CliRunner().invoke(app, ["run", str(file), "--report", str(report)])
    assert done.exit_code == 0, done.output
    page = html.parse(report).getroot()
    data, methods = (page.get_element_by_id(name).text_content() for name in ("data", "methods"))
    assert "The table of Two Clouds has 120 rows" in " ".join(data.split())
    assert "distance between the means of two classes" in methods
    assert "Generates a table of two classes" not in methods
    assert "Returns its input" not in methods


# --- export ----------------------------------------------------------------------------------


def pipeline_of(process, chosen, table, training):
    learned(training, training.add(select_by_weights, table, chosen))
    return sklearn_script(process)


def test_a_weighting_is_exported_with_its_number(mine):
    process = Process()
    training = validated(process, process.add(mine.two_clouds))
    weights = training.add(mine.weight_by_gap, training.source())
    top = training.add(select_top_k, weights, k=2)
    script = pipeline_of(process, top, training.source(), training)
    assert 'selector("filters:weight_by_gap", k=2)' in script
    names = {"__name__": "exported"}
    exec(script, names)  # noqa: S102 - it is our own text
    assert names["main"]()["test_score"].mean() > 0.7


@pytest.mark.parametrize("key", ["weight_by_gap", "weight_without_role"])
def test_a_weighting_without_a_number_is_not_exported(mine, key):
    process = Process()
    training = validated(process, process.add(mine.two_clouds))
    weights = training.add(getattr(mine, key), training.source())
    with pytest.raises(UsageError, match="the number of attributes to keep is not given"):
        pipeline_of(process, weights, training.source(), training)


def test_a_selection_is_exported_without_a_number(mine):
    process = Process()
    training = validated(process, process.add(mine.two_clouds))
    weights = training.add(mine.select_by_gap, training.source())
    script = pipeline_of(process, weights, training.source(), training)
    assert 'selector("filters:select_by_gap")' in script


# --- command line ----------------------------------------------------------------------------


def test_the_command_line_lists_and_describes_the_role(mine):
    listed = CliRunner().invoke(app, ["operators", "--role", "weighting"]).stdout
    assert "filters:weight_by_gap" in listed
    assert "filters:weight_without_role" in listed
    assert "filters:select_by_gap" not in listed
    page = CliRunner().invoke(app, ["describe", "filters:select_by_gap"]).stdout
    assert f"Role: selection. {Role.SELECTION.meaning}" in page
