"""Results and processes ask one presenter, which is opened when something is first shown."""

import pytest

from fsops import AttributeWeights, Process
from fsops.data.flow import presenter
from fsops.report.notebook import NotebookPresenter


class Recorder:
    """Answers every question with its own words, and remembers the question."""

    opened = 0

    def __init__(self):
        type(self).opened += 1

    def html(self, value):
        return f"html of {type(value).__name__}"

    def svg(self, process):
        return f"svg of {type(process).__name__}"

    def figure_names(self, result):
        return [f"figure of {type(result).__name__}"]

    def figure(self, result, name):
        return type(result).__name__, name


@pytest.fixture
def recorder():
    Recorder.opened = 0
    presenter.open_with(Recorder)
    yield Recorder
    presenter.open_with(NotebookPresenter)


def test_a_result_asks_the_presenter(recorder):
    weights = AttributeWeights(["a"], [1.0])
    assert weights._repr_html_() == "html of AttributeWeights"
    assert weights.figures() == ["figure of AttributeWeights"]
    assert weights.plot("weights") == ("AttributeWeights", "weights")
    assert weights.plot() == ("AttributeWeights", None)


def test_a_process_asks_the_presenter(recorder):
    assert Process()._repr_html_() == "html of Process"
    assert Process()._repr_svg_() == "svg of Process"


def test_the_presenter_is_opened_once_when_it_is_needed(recorder):
    assert recorder.opened == 0
    assert presenter() is presenter()
    assert recorder.opened == 1
