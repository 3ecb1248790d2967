"""A real window on an X server, used with real mouse and keyboard events."""

import csv
import random
import shutil
from pathlib import Path

import pytest

from fsops_gui.document.autosave import swap_of

pytestmark = pytest.mark.slow

PROCESSES = Path(__file__).parents[3] / "processes"
CANVAS = "w.pages.currentWidget() is w.session.editor"
HAS_RUN = "w.session.run is not None and w.session.run.report.status == 'finished'"
EXPLORER = "w.results.current_tab().view"
WEIGHTS = """<process version="fsops-1"><operator class="process" name="Weights"><process>
<operator class="retrieve" name="Data"><parameter key="repository_entry" value="iris"/></operator>
<operator class="weight_by_f_test" name="F"/>
<connect from_op="Data" from_port="examples" to_op="F" to_port="examples"/>
<connect from_op="F" from_port="weights" to_port="result 1"/>
</process></operator></process>"""


def add(person, words, name):
    """Type the name of an operator on the canvas."""
    person.type(words[0])
    person.wait("w.session.editor.view.quick_add.isVisible()")
    person.type(words[1:])
    person.wait(f"w.session.editor.view.quick_add.field.text() == {words!r}")
    person.press("Return")
    person.wait(f"w.session.editor.scene.selected_names() == [{name!r}]")


def fill_in(person, operator, parameter, text):
    """Click into a field of the form and type; go back to the canvas."""
    person.click(f"middle(w.session.parameters.rows[{parameter!r}].field)")
    person.press("ctrl+a")
    person.type(text)
    person.press("Tab", "alt+1")
    person.wait(
        f"str(w.session.document.process.find({operator!r}).parameters.get({parameter!r}))"
        f" == {text!r}"
    )
    person.wait("w.session.editor.view.hasFocus()")


def test_a_nested_validation_is_built_and_run(somebody):
    person = somebody()
    person.click("button('New process')")
    person.wait(CANVAS)
    add(person, "retrieve", "Retrieve")
    fill_in(person, "Retrieve", "repository_entry", "iris")
    add(person, "cross validation", "Cross Validation")
    person.press("ctrl+l")  # connects the results
    person.click("operator('Cross Validation')", times=2)
    person.wait("w.session.editor.scene.owner == 'Cross Validation'")
    for words, name in (
        ("weight by f-test", "Weight by F-Test"), ("select by weights", "Select by Weights"),
        ("naive bayes", "Naive Bayes"),
    ):  # fmt: skip
        add(person, words, name)
    wires = "[str(c) for c in w.session.document.process.find('Naive Bayes').process.connections]"
    before = person.look(wires)
    person.click("port('Naive Bayes', 'examples', False)", held="alt")  # cuts the wire
    person.wait(f"len({wires}) == {len(before) - 1}")
    person.drag(
        "port('Select by Weights', 'examples', True)", "port('Naive Bayes', 'examples', False)"
    )
    person.wait(f"sorted({wires}) == {sorted(before)!r}")
    person.press("F6")
    person.wait("w.session.editor.scene.active.index == 1")
    add(person, "apply model", "Apply Model")
    add(person, "performance", "Performance")
    person.press("alt+Up")
    person.wait("w.session.editor.scene.owner is None")
    person.press("F5")
    person.wait(HAS_RUN)
    person.wait("w.pages.currentWidget() is w.results")
    assert "accuracy" in person.wait("str(w.session.run.result_value(0))")


def test_rows_and_attributes_that_are_brushed_are_marked_in_all_views(somebody, tmp_path):
    (tmp_path / "weights.xml").write_text(WEIGHTS)
    person = somebody(tmp_path / "weights.xml")
    person.press("F5")
    person.wait(HAS_RUN)
    person.click("button('Explore')")
    chart = f"{EXPLORER}.cards[0].view.chart"
    person.wait(f"len({chart}.xs) == 4")
    spot = f"{chart}.pixels({chart}.xs[[2]], {chart}.ys[[2]])"
    person.click(f"point({chart}, QPoint(round({spot}[0][0]), round({spot}[1][0])))")
    (name,) = person.wait(f"{EXPLORER}.chosen_names()")
    person.wait(f"{EXPLORER}.details.name.text() == {name!r}")
    person.wait(f"{name!r} in {EXPLORER}.chip.text()")
    rect = f"{chart}.plot_rect().toRect()"
    person.drag(
        f"point({chart}, {rect}.topLeft() + QPoint(3, 3))",
        f"point({chart}, {rect}.bottomRight() - QPoint(3, 3))",
    )
    person.wait(f"len({EXPLORER}.chosen_names()) == 4")
    person.press("ctrl+z")
    person.wait(f"{EXPLORER}.chosen_names() == [{name!r}]")
    person.click("button('Use this selection')")
    person.wait("QApplication.activePopupWidget() is not None")
    person.press("Down", "Return")
    person.wait("'select_attributes' in [n.operator.key for n in w.session.document.process]")


def test_a_guided_study_leads_from_a_table_to_the_answer(somebody, tmp_path):
    rng = random.Random(3)
    with open(tmp_path / "patients.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["class", "marker", *(f"noise{n}" for n in range(4))])
        for number in range(40):
            values = [round(rng.gauss(0, 1), 3) for _ in range(5)]
            values[0] += 3 * (number % 2)
            rows.writerow(["yes" if number % 2 else "no", *values])
    person = somebody()
    person.click("button('Choose a table…')")
    person.wait("QApplication.activeModalWidget().isActiveWindow()")
    person.type(str(tmp_path / "patients.csv"))
    person.press("Return")
    page = "w.studies.page"
    for number, words in ((1, "The question"), (2, "The methods")):
        person.wait(f"{page}.screen_number == {number} and {page}.next.isEnabled()")
        person.click(f"button({words!r}) and middle({page}.next)")
    person.wait(f"{page}.screen_number == 3 and len({page}.methods_screen.cards) > 3")
    for box in person.look(
        f"[k for k, c in {page}.methods_screen.cards.items() if c.box.isChecked()]"
    )[1:]:
        person.click(f"middle({page}.methods_screen.cards[{box!r}].box)")
    person.wait(f"len({page}.methods_screen.chosen) == 1")
    person.click(f"middle({page}.next)")
    person.wait(f"{page}.answer_screen.answer is not None")
    person.click("button('The process that did this')")
    person.wait(CANVAS)
    assert person.look("len(w.session.document.process)") > 3


def test_the_tutorial_leads_from_the_leak_to_chance(somebody):
    person = somebody()
    person.click("button('Start the tutorial')")
    person.wait("w.tutorials.number == 0 and w.tour_bar.isVisible()")
    person.press("F5")
    person.wait("w.tutorials.number == 1")
    optimistic = person.look("w.tour_bar.words.text()")
    assert float(optimistic.split()[0]) > 90
    person.click("middle(w.tour_bar.next)")
    person.wait("w.tutorials.number == 2")
    person.press("alt+1")
    person.wait("w.tutorials.number == 3")
    person.click("line(w.problems_panel.tree, 'Move')", times=2)
    person.wait("w.tutorials.number == 4")
    person.press("F5")
    person.wait("w.tutorials.number == 5")
    assert float(person.look("w.tour_bar.words.text()").split()[0]) < 70
    person.click("middle(w.tour_bar.next)")
    person.wait("not w.tour_bar.isVisible()")


def test_work_that_was_not_saved_comes_back_after_a_kill(somebody, tmp_path):
    file = tmp_path / "mine.xml"
    shutil.copy(PROCESSES / "quickstart.xml", file)
    person = somebody(file)
    person.click("operator('Cross Validation')")
    person.press("F2")
    person.wait("w.focusWidget() is not w.session.editor.view")
    person.press("ctrl+a")
    person.type("Honest")
    person.press("Return")
    person.wait("'Honest' in [n.name for n in w.session.document.process]")
    person.wait(f"Path({str(swap_of(file))!r}).exists()")
    person.kill()
    second = somebody(file)
    second.click("button('Bring back')")
    second.wait("'Honest' in [n.name for n in w.session.document.process]")
    assert "Honest" not in file.read_text()


def test_each_tab_has_its_process_and_its_undo(somebody, tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.xml").write_text(WEIGHTS)
    person = somebody(tmp_path / "one.xml")
    person.click("operator('F')")
    person.press("Delete")
    person.wait("len(w.session.document.process) == 1")
    person.press("ctrl+o")
    person.wait("QApplication.activeModalWidget().isActiveWindow()")
    person.type(str(tmp_path / "two.xml"))
    person.press("Return")
    bar = "w.workspace.tabs.bar"
    person.wait(f"{bar}.count() == 2 and len(w.session.document.process) == 2")
    person.click(f"point({bar}, {bar}.tabRect(0).center())")
    person.wait("len(w.session.document.process) == 1")
    person.press("ctrl+z")
    person.wait("len(w.session.document.process) == 2")
    person.press("ctrl+Tab")
    person.wait("w.session.document.path.name == 'two.xml'")
    assert person.look("w.session.document.undo_stack.canUndo()") is False
    person.press("ctrl+w")
    person.wait(f"{bar}.count() == 1 and w.session.document.path.name == 'one.xml'")
