"""Tutorials on the real canvas: steps end when they are done, and can be left and resumed."""

import pytest

from fsops.core.checks.validation import validate
from fsops_gui.commands.tutorial import LEAK


class FinishedRun:
    """A run that has ended, as far as the tutorial looks at it."""

    running = False

    def __init__(self, values=()):
        self._values = values
        self.report = type("Report", (), {"status": "finished", "results": list(values)})()

    def result_value(self, index):
        return self._values[index]

    def close(self):
        """Nothing was started."""


@pytest.fixture
def toured(window_of, qtbot, tmp_path, monkeypatch):
    from fsops_gui.commands import tutorial

    monkeypatch.setattr(tutorial, "pictures_folder", lambda: tmp_path / "data" / "pictures")
    window = window_of()
    window.tutorials.begin_leak()
    window.tutorials._timer.stop()  # the test looks itself
    return window


def fix_of(window):
    (problem,) = validate(window.session.document.process)
    return problem.fixes[0]


def test_the_tutorial_leads_from_the_leak_to_the_fix(toured, qtbot):
    tour, bar = toured.tutorials, toured.tour_bar
    assert bar.isVisible()
    assert bar.title.text().startswith("Step 1 of 6")
    tour.look()
    assert tour.number == 0  # nothing has run yet
    toured.session.run = FinishedRun()
    tour.look()
    assert tour.number == 1
    toured.views.show_results()
    bar.next.click()
    tour.look()
    assert tour.number == 2  # the results are still shown
    toured.views.show_process()
    tour.look()
    assert tour.number == 3
    tour.look()
    assert tour.number == 3
    fix = fix_of(toured)
    toured.session.run = None
    toured.session.apply(fix)
    tour.look()
    assert tour.number == 4
    toured.session.run = FinishedRun()
    tour.look()
    assert tour.number == 5
    assert bar.next.text() == "Done"
    toured.session.run = None
    bar.next.click()
    assert not bar.isVisible()
    assert toured.settings.tutorial_step(LEAK) == 0


def test_a_tutorial_that_is_left_goes_on_from_the_same_step(toured, qtbot):
    tour = toured.tutorials
    tour._show(3)
    toured.session.apply(fix_of(toured))
    process = toured.session.document.process
    toured.tour_bar.leave.click()
    assert not toured.tour_bar.isVisible()
    toured.files.may_leave = lambda: True
    toured.files.new()
    tour.begin_leak()
    tour._timer.stop()
    assert tour.number == 3
    assert toured.session.document.process == process
    tour.look()
    assert tour.number == 4  # the fix was already made


def test_the_tutorial_of_the_own_table_follows_the_screens(window_of, qtbot):
    window = window_of()
    window.tutorials.begin_own()
    window.tutorials._timer.stop()
    assert window.pages.is_study
    assert "choose a table" in window.tour_bar.title.text()
    window.studies.page.stack.setCurrentIndex(2)
    for number in (1, 2):
        window.tutorials.look()
        assert window.tutorials.number == number
    window.tutorials.look()
    assert window.tutorials.number == 2
