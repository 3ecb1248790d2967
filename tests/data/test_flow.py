"""What can travel along a connection."""

import subprocess
import sys

import pytest

from fsops.core import Process
from fsops.data import (
    AttributeWeights,
    Averageable,
    Collection,
    ExampleSet,
    FlowObject,
    Model,
    PerformanceVector,
)
from fsops.errors import UsageError
from fsops.operators import naive_bayes
from fsops.plugins import plugins


class Ensemble(FlowObject):
    title = "Ensemble"


@pytest.mark.parametrize(
    ("kind", "phrase"),
    [
        (FlowObject, "anything"),
        (ExampleSet, "a data table"),
        (AttributeWeights, "attribute weights"),
        (Model, "a model"),
        (PerformanceVector, "a performance"),
        (Collection, "a collection"),
        (Ensemble, "an ensemble"),
    ],
)
def test_every_kind_can_be_named_in_a_sentence(kind, phrase):
    assert kind.phrase() == phrase


def test_a_kind_of_a_plugin_is_equal_to_itself_only():
    one = Ensemble()
    assert one.equals(one)
    assert not one.equals(Ensemble())


# --- looking at results ---------------------------------------------------------------------


@pytest.fixture
def weights():
    return AttributeWeights(["a", "b<i>", "c", "d", "e"], [3.0, 1.0, 2.0, 5.0, 4.0])


def test_a_result_names_its_figures_and_draws_the_most_telling(weights):
    assert weights.figures() == ["weights", "score_curve", "score_histogram"]
    names = [label.get_text() for label in weights.plot().axes[0].get_yticklabels()]
    assert names == ["d", "e", "a", "c", "b<i>"]
    assert weights.plot("score_curve").axes[0].lines[0].get_ydata().tolist() == [5, 4, 3, 2, 1]


def test_a_figure_shows_itself_in_a_notebook(weights):
    assert weights.plot()._repr_png_().startswith(b"\x89PNG")


def test_an_unknown_figure_names_the_known_ones(weights, refused):
    with refused('no figure "weight"', 'Did you mean "weights"?', error=UsageError):
        weights.plot("weight")
    with refused("There is no figure of this result (anything).", error=UsageError):
        FlowObject().plot()


def test_a_result_shows_itself_in_a_notebook(weights):
    shown = weights._repr_html_()
    assert "<th>attribute</th>" in shown
    assert "b&lt;i&gt;" in shown
    assert "<i>" not in shown
    assert FlowObject()._repr_html_() == "<div><p>Anything</p></div>"


def test_every_kind_of_result_can_be_a_data_frame():
    assert list(plugins().registry)  # all operators, and so all kinds, are loaded
    kinds = [kind for kind in all_kinds(FlowObject) if kind.__module__.startswith("fsops.")]
    bases = {FlowObject, Averageable}
    without = [k.__name__ for k in kinds if k not in bases and not hasattr(k, "to_pandas")]
    # A memory for other operators, and what is left of a result that could not be stored.
    assert set(without) - {"DescribedResult"} == {"MrmrCache"}


def all_kinds(kind):
    return {kind}.union(*map(all_kinds, kind.__subclasses__()))


def test_results_of_a_collection_stand_below_each_other(weights):
    table = Collection([weights, AttributeWeights(["x"], [7.0])]).to_pandas()
    assert table["number"].tolist() == [1] * 5 + [2]
    assert table["attribute"].tolist() == ["d", "e", "a", "c", "b<i>", "x"]
    assert Collection([]).to_pandas().columns.tolist() == ["number"]


def test_a_model_tells_which_attributes_it_needs():
    examples = ExampleSet.from_numpy([[1.0, 2.0], [3.0, 4.0]], ["p", "q"], names=["x", "y"])
    table = naive_bayes(examples).to_pandas()
    assert table.to_dict("list") == {"attribute": ["x", "y"], "type": ["real", "real"]}


def test_a_process_shows_itself_in_a_notebook():
    process = Process("My <process>")
    assert process._repr_svg_().startswith("<svg")
    assert 'alt="My &lt;process&gt;" src="data:image/svg+xml;base64,' in process._repr_html_()


def test_nothing_is_drawn_before_somebody_looks():
    program = (
        "import sys, fsops; heavy = {'matplotlib', 'jinja2', 'fsops.plots', 'fsops.report.html'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
