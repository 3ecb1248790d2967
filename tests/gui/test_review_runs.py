"""Runs as the review of the designer tried them: pause, log, failures, unknown operators."""

import os
import time
from pathlib import Path

import pytest
from PyQt6.QtCore import QPointF

from fsops.core.graph.process import Process
from fsops.storage.process_reader import parse_process
from fsops_gui.dialogs.examples import templates, with_own_table
from fsops_gui.document.document import Document
from fsops_gui.run.event_reader import LONGEST, EventReader

UNKNOWN = b"""<process version="fsops-1"><operator class="process" name="Process"><process>
<operator class="retrieve" name="Retrieve"><parameter key="repository_entry" value="golf"/></operator>
<operator class="relief:weight_by_magic" name="Magic"/>
<connect from_op="Retrieve" from_port="examples" to_op="Magic" to_port="examples"/>
</process></operator></process>"""


def act(window, name):
    window.actions_table.by_name[name].trigger()


@pytest.fixture
def loop(registry):
    """Return a document whose run takes long: a forest in every fold."""
    process = Process("Long")
    table = process.add(registry["retrieve"], repository_entry="digits")
    cross = process.add(registry["cross_validation"], table)
    training, testing = cross.subprocesses
    forest = training.add(registry["random_forest"], training.source("training_set"), number_of_trees=3000)  # fmt: skip
    training.result(forest, "model")
    applied = testing.add(registry["apply_model"], testing.source("model"), testing.source("test_set"))  # fmt: skip
    testing.result(testing.add(registry["performance"], applied), "performance")
    process.result(cross)
    return Document(process)


# --- row 30 ---------------------------------------------------------------------------------


@pytest.mark.skipif(os.name != "posix", reason="a run can be held on POSIX systems only")
def test_a_run_is_paused_uses_no_processor_and_goes_on(loop, window_of, qtbot):
    window = window_of(loop)
    window.runs.run()
    run = window.session.run
    qtbot.waitUntil(lambda: "Random Forest" in run.report.ran)
    act(window, "pause")
    assert run.is_held
    assert window.actions_table.by_name["run"].text() == "Continue"
    assert window.actions_table.by_name["pause"].isChecked()
    group = run._child.processId()

    def used():
        fields = Path(f"/proc/{group}/stat").read_text().rpartition(")")[2].split()
        return fields[0], int(fields[11]) + int(fields[12])

    if Path(f"/proc/{group}/stat").exists():
        qtbot.waitUntil(lambda: used()[0] == "T")
        before = used()
        time.sleep(0.3)
        assert used() == before
    window.runs.run()  # F5 continues
    assert not run.is_held
    assert run.running
    act(window, "pause")
    with qtbot.waitSignal(run.ended):  # a held run can be stopped
        act(window, "stop")
    assert run.report.status == "cancelled"
    assert not window.actions_table.by_name["pause"].isEnabled()


# --- row 59 ---------------------------------------------------------------------------------


def test_every_run_fills_the_log_and_the_filter_finds_an_operator(window, qtbot):
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    text = window.log_panel.toPlainText()
    assert "The run started with the random seed" in text
    for name in ("Retrieve", "Normalize", "Weight by SAM"):
        assert f"{name}: Finished" in text
    assert "The run finished in" in text
    window.session.log_page.field.setText("normalize")
    shown = window.log_panel.toPlainText().splitlines()
    assert len(shown) == 1
    assert "Normalize: Finished" in shown[0]
    window.session.log_page.field.clear()
    assert window.log_panel.toPlainText() == text


def test_the_menu_of_an_operator_shows_its_lines_of_the_log(window, qtbot):
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    window.session.editor.scene.select(["Weight by SAM"])
    action = window.actions_table.by_name["show_log"]
    assert action in window.actions_table.context_menu().actions()
    action.trigger()
    assert window.docks["log"].isVisible()
    (line,) = window.log_panel.toPlainText().splitlines()
    assert "Weight by SAM: Finished" in line


# --- D14 ------------------------------------------------------------------------------------


def test_the_text_of_a_failed_run_is_shown_above_the_canvas(window_of, registry, qtbot):
    process = Process("Fails")
    process.result(process.add(registry["retrieve"], repository_entry="no such data"))
    window = window_of(Document(process))
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    assert window.notice.isVisible()
    assert "no such data" in window.notice.label.text()
    window.notice.buttons[0].click()
    assert window.docks["log"].isVisible()
    assert "no such data" in window.log_panel.toPlainText()


# --- row 60 ---------------------------------------------------------------------------------


def test_an_unknown_operator_names_its_plugin_and_can_be_replaced(window_of, registry, qtbot):
    document = Document(parse_process(UNKNOWN, registry))
    window = window_of(document)
    qtbot.waitUntil(lambda: bool(window.session.problems_at("Magic")))
    menu = window.fixes_menu_of("Magic")
    texts = " ".join(action.text() for action in menu.actions())
    assert 'It needs the plugin "relief"' in texts
    assert "Replace by another operator" in texts
    assert "Plugins…" in texts
    menu.deleteLater()
    level = document.level_of("Magic")
    document.replace(level, "Magic", registry["weight_by_sam"])
    node = document.process.find("Magic")
    assert node.operator.key == "weight_by_sam"
    assert document.process.incoming("Magic") == {"examples": ("Retrieve", "examples")}
    window.offer_fixes("Magic", QPointF(0, 0))


def test_an_unknown_operator_is_saved_as_it_was(window_of, registry, tmp_path, qtbot):
    text = UNKNOWN.replace(
        b'name="Magic"/>',
        b'name="Magic"><parameter key="spell" value="42"/></operator>',
    )
    document = Document(parse_process(text, registry))
    window = window_of(document)
    qtbot.waitUntil(lambda: bool(window.session.problems_at("Magic")))
    document.rename("Retrieve", "Data")
    document.save(tmp_path / "unknown.xml")
    saved = (tmp_path / "unknown.xml").read_text(encoding="utf-8")
    assert 'class="relief:weight_by_magic"' in saved
    assert 'key="spell" value="42"' in saved
    assert 'from_op="Data" from_port="examples" to_op="Magic" to_port="examples"' in saved


# --- D10 ------------------------------------------------------------------------------------


def test_the_template_of_stability_connects_its_plots(registry, tmp_path):
    table = tmp_path / "mine.csv"
    table.write_text("a,b,class\n" + "1,2,x\n3,5,y\n2,4,x\n" * 20, encoding="utf-8")
    template = next(t for t in templates() if t.example == "ensemble_and_stability")
    process = with_own_table(template, table, "class", registry)
    ports = {c.from_port for c in process.connections if c.to_port.startswith("result")}
    assert "stability" in ports


# --- D18 ------------------------------------------------------------------------------------


def test_a_parameter_set_to_its_default_makes_nothing_stale(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    quickstart.set_parameter("Select Top k", "k", None)
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    quickstart.set_parameter("Select Top k", "k", 10)  # the default
    assert not window.session.is_stale
    quickstart.set_parameter("Select Top k", "k", 9)
    assert window.session.is_stale


# --- R12 ------------------------------------------------------------------------------------


def test_long_lines_and_strange_events_are_passed_over(qapp, qtbot):
    events = []

    def take(event):
        if "path" in event:
            event["path"][-1]  # an empty path
        events.append(event)

    reader = EventReader(take)
    reader.feed(b'{"event": "first"}\n')
    for _ in range(20):
        reader.feed(b"x" * (LONGEST // 10))
    reader.feed(b'\n{"path": []}\n' + b"[" * 100_000 + b"\n" + b'{"event": "las')
    reader.feed(b't"}')
    with qtbot.waitSignal(reader.drained):
        reader.finish()
    assert [event["event"] for event in events] == ["first", "last"]
