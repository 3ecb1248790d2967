"""Cost, plugins, data sets and papers, as on the command line."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from PyQt6 import sip
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QFileDialog

from fsops.config import BLOCKED_PLUGINS, configured, use_disabled_plugins
from fsops.plugins import PluginProblem, Plugins, manager, plugins
from fsops.plugins.manager import PluginInfo
from fsops.runs.cost import counted_plan, plan_as_json
from fsops.runs.run import Run
from fsops_gui.base.actions import SPECS
from fsops_gui.dialogs.catalogue_dialog import KEY
from fsops_gui.dialogs.cost import EACH, RUNS, TIME, CostDialog
from fsops_gui.dialogs.data_sets import DataSetsDialog
from fsops_gui.dialogs.label import LabelDialog
from fsops_gui.dialogs.papers import PapersDialog
from fsops_gui.dialogs.plugins import STATE, PluginsDialog
from fsops_gui.document.document import Document

MINE = PluginInfo("mine", "fsops-mine", "1.2")
BROKEN = PluginInfo("relief", "fsops-relief", "0.1")
QUIET = PluginInfo("quiet", "fsops-quiet", "3.0")


@pytest.fixture(autouse=True)
def own_configuration(tmp_path, monkeypatch):
    monkeypatch.setenv("FSOPS_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("FSOPS_REPOSITORY", str(tmp_path / "repository"))
    monkeypatch.setenv("FSOPS_DATA", str(tmp_path))


def act(window, name):
    window.actions_table.by_name[name].trigger()


@pytest.mark.parametrize("name", ["show_cost", "show_plugins", "show_data_sets", "show_papers"])
def test_tools_are_in_a_menu_and_in_find_anything(window, name):
    action = window.actions_table.by_name[name]
    menu = next(spec.menu for spec in SPECS if spec.name == name)
    assert action in window.actions_table.menus[menu].actions()
    assert action.text() in {command.title for command in window.catalogue.commands()}


# --- cost -----------------------------------------------------------------------------------


def texts(tree, column):
    """Return a column of all lines of a tree, by their first column."""
    found, waiting = {}, [tree.topLevelItem(i) for i in range(tree.topLevelItemCount())]
    while waiting:
        item = waiting.pop(0)
        found[item.text(0)] = item.text(column)
        waiting += [item.child(i) for i in range(item.childCount())]
    return found


def test_the_cost_has_the_counts_of_fsops_plan(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    act(window, "show_cost")
    dialog = window.findChild(CostDialog)
    qtbot.waitUntil(dialog.measure_button.isEnabled)
    runs = texts(dialog.tree, RUNS)
    assert runs["Cross Validation"] == "1"
    assert runs["Naive Bayes"] == "10"
    document = plan_as_json(counted_plan(Run(quickstart.process)))
    assert dialog.headline.text().startswith(f"{document['runs']['low']} runs of")
    dialog.reject()


def test_measuring_adds_times(window, qtbot):
    act(window, "show_cost")
    dialog = window.findChild(CostDialog)
    qtbot.waitUntil(dialog.measure_button.isEnabled)
    assert dialog.tree.isColumnHidden(TIME)
    with qtbot.waitSignal(dialog.child.done):
        dialog.measure()
    assert "Expected time" in dialog.headline.text()
    assert not dialog.tree.isColumnHidden(EACH)
    assert texts(dialog.tree, EACH)["Weight by SAM"].endswith(("ms", "s"))
    dialog.reject()


def test_a_process_with_errors_gets_the_sentence_of_the_check(window_of, registry, qtbot):
    document = Document()
    document.process.add(registry["weight_by_sam"])
    window = window_of(document)
    act(window, "show_cost")
    dialog = window.findChild(CostDialog)
    qtbot.waitUntil(lambda: "cannot run" in dialog.headline.text())
    assert "examples" in dialog.notes.text()
    assert not dialog.measure_button.isEnabled()
    dialog.reject()


def test_an_empty_process_costs_nothing(window_of):
    window = window_of(Document())
    act(window, "show_cost")
    assert "empty" in window.statusBar().currentMessage()


# --- plugins --------------------------------------------------------------------------------


@pytest.fixture
def dialog(qtbot, registry):
    found = Plugins(registry=registry)
    found.loaded = [PluginInfo("builtin", "fsops", "0.1.0"), MINE]
    found.problems = [PluginProblem(BROKEN, "No module named 'x'")]
    found.disabled = [QUIET]
    dialog = PluginsDialog(found, None)
    qtbot.addWidget(dialog)
    return dialog


def line(dialog, info):
    return next(item for item in dialog.items() if item.data(0, KEY) == info)


def test_plugins_have_version_package_state_and_load_errors(dialog):
    assert [line(dialog, MINE).text(c) for c in range(4)] == ["mine", "1.2", "fsops-mine", "Loaded"]
    assert line(dialog, BROKEN).text(STATE) == "Problem"
    assert line(dialog, QUIET).text(STATE) == "Disabled"
    dialog.choose(BROKEN)
    assert "No module named 'x'" in dialog.details.toPlainText()


def test_disabling_a_plugin_persists_and_asks_for_a_restart(dialog, monkeypatch):
    line(dialog, MINE).setCheckState(0, Qt.CheckState.Unchecked)
    assert configured("plugins")["disabled"] == ["mine"]
    assert "Restart the designer to apply the change of mine." in dialog.status.text()
    monkeypatch.delenv(BLOCKED_PLUGINS, raising=False)
    use_disabled_plugins()
    entries = [EntryPoint("mine", "fsops_mine", "fsops"), EntryPoint("other", "o", "fsops")]
    assert [entry.name for entry in manager._unblocked(entries)] == ["other"]
    line(dialog, MINE).setCheckState(0, Qt.CheckState.Checked)
    assert configured("plugins") == {}
    assert "Restart" not in dialog.status.text()


def test_the_variable_of_the_configuration_is_that_of_the_loader():
    assert BLOCKED_PLUGINS == manager.BLOCK_VARIABLE


def test_plugins_of_fsops_cannot_be_disabled(window):
    act(window, "show_plugins")
    dialog = window.findChild(PluginsDialog)
    ours = [i for i in dialog.items() if getattr(i.data(0, KEY), "distribution", "") == "fsops"]
    assert {i.data(0, KEY).name for i in ours} >= {"builtin", "terminal"}
    assert all(i.data(0, Qt.ItemDataRole.CheckStateRole) is None for i in ours)  # no box
    assert len(plugins().loaded) == len(ours)
    dialog.reject()


# --- data -----------------------------------------------------------------------------------


@pytest.fixture
def data_sets(window):
    act(window, "show_data_sets")
    dialog = window.findChild(DataSetsDialog)
    yield dialog
    if not sip.isdeleted(dialog):
        dialog.reject()


def test_data_sets_are_listed_with_their_content(data_sets, qtbot):
    assert {"golf", "colon"} <= set(data_sets.names())
    data_sets.choose("golf")
    qtbot.waitUntil(lambda: "no 5, yes 9" in data_sets.details.toPlainText())
    data_sets.choose("colon")
    assert not data_sets.use_button.isEnabled()
    qtbot.waitUntil(lambda: "How to get" in data_sets.details.toPlainText())


def test_the_search_hides_other_lines(data_sets):
    data_sets.field.setText("golf")
    assert [i.text(0) for i in data_sets.items() if not i.isHidden()] == ["golf"]


def test_a_data_set_is_put_into_the_process(window, data_sets):
    data_sets.choose("golf")
    data_sets.use()
    entries = [n.parameters.get("repository_entry") for n in window.session.document.process]
    assert "golf" in entries


def test_a_table_is_added_under_its_name(data_sets, tmp_path, monkeypatch, qtbot):
    file = tmp_path / "mine.csv"
    file.write_text("a,b,group\n" + "1,2,x\n3,4,y\n" * 5, encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(file), ""))
    data_sets.add_table_button.click()
    qtbot.waitUntil(lambda: data_sets.findChild(LabelDialog) is not None)
    asked = data_sets.findChild(LabelDialog)
    asked.box.setCurrentText("group")
    asked.accept()
    qtbot.waitUntil(lambda: "mine" in data_sets.names())
    assert data_sets.chosen() == "mine"
    data_sets.add_file(file)  # the name is taken
    qtbot.waitUntil(lambda: data_sets.findChild(LabelDialog) not in (None, asked))
    again = data_sets.findChildren(LabelDialog)[-1]
    again.box.setCurrentText("group")
    again.accept()
    qtbot.waitUntil(lambda: "already added" in data_sets.status.text())


# --- papers ---------------------------------------------------------------------------------


@pytest.fixture
def papers(qtbot):
    opened = []
    dialog = PapersDialog(opened.append, None)
    dialog.opened = opened
    qtbot.addWidget(dialog)
    yield dialog
    dialog.child.close()


def test_papers_have_facts_printed_values_and_obstacles(papers):
    papers.choose("schowe/table_2")
    shown = papers.details.toPlainText()
    assert "golf" in shown
    assert "Printed values" in shown
    papers.choose("schowe/figure_3")  # its data is not in the folder
    assert "do not exist here" in papers.details.toPlainText()
    assert not papers.run_button.isEnabled()


def test_an_experiment_is_run_and_compared(papers, qtbot):
    papers.choose("schowe/table_2")
    with qtbot.waitSignal(papers.child.done):
        papers.quick_button.click()
        assert papers.stop_button.isEnabled()
    shown = papers.details.toPlainText()
    assert "verdict" in shown
    assert "ours" in shown
    assert "quick run" in papers.status.text()


def test_an_experiment_can_be_stopped(papers):
    papers.choose("schowe/table_2")
    papers.run(quick=True)
    papers.stop()
    assert not papers.child.running
    assert papers.status.text() == "Stopped."
    assert papers.quick_button.isEnabled()


def test_the_process_of_an_experiment_is_opened(papers):
    papers.choose("schowe/table_2")
    papers.open_process()
    assert [Path(p).stem for p in papers.opened] == ["schowe_2011_table_2"]
