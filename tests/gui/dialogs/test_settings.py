"""Settings: what the dialog writes is what runs do, here and on the command line."""

import json
import os
import subprocess
import sys

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialogButtonBox

from fsops.config import configured
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.theme import DARK, LIGHT, apply_theme, current_colours
from fsops_gui.dialogs.settings import SettingsDialog
from fsops_gui.document.document import Document


@pytest.fixture
def config(tmp_path, monkeypatch):
    """Return a configuration file that belongs to the test."""
    monkeypatch.setenv("FSOPS_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    yield tmp_path / "config.toml"
    os.environ.pop("FSOPS_DATA", None)


@pytest.fixture
def open_settings(window_of, qtbot):
    """Return a function that opens the settings of a window with the keyboard."""

    def show(window=None):
        window = window or window_of(Document())
        qtbot.keyClick(window, Qt.Key.Key_Comma, Qt.KeyboardModifier.ControlModifier)
        return window.findChildren(SettingsDialog)[-1]

    return show


def press_ok(dialog, qtbot):
    button = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def test_every_engine_is_offered_with_a_sentence(open_settings, config):
    from fsops.engine.engines.registry import engine_names

    dialog = open_settings()
    names = [dialog.engine.itemText(i) for i in range(dialog.engine.count())]
    assert names == engine_names()
    for name in names:
        dialog.engine.setCurrentText(name)
        assert dialog.about_engine.text().endswith(".")
    dialog.reject()


def test_what_is_set_is_in_the_file_of_the_command_line(open_settings, config, qtbot):
    config.write_text("# mine\n[engine]\njobs = 3  # of four\n")
    dialog = open_settings()
    assert dialog.engine.currentText() == "processes"
    assert dialog.jobs.value() == 3
    dialog.engine.setCurrentText("threads")
    dialog.jobs.setValue(2)
    qtbot.keyClicks(dialog.limit, "2GB")
    press_ok(dialog, qtbot)
    assert configured("engine") == {"name": "threads", "jobs": 2}
    assert configured("cache") == {"limit": "2GB"}
    assert "# mine" in config.read_text()
    assert "# of four" in config.read_text()


def test_nothing_is_written_where_nothing_was_changed(open_settings, config, qtbot):
    press_ok(open_settings(), qtbot)
    assert not config.exists()


def test_a_bad_value_has_its_sentence_beside_the_field(open_settings, config, qtbot):
    dialog = open_settings()
    qtbot.keyClicks(dialog.limit, "much")
    press_ok(dialog, qtbot)
    row = dialog.rows["cache", "limit"]
    assert dialog.isVisible()
    assert row.fault.isVisible()
    assert '"much" is not an amount of memory' in row.fault.text()
    assert dialog.focusWidget() is dialog.limit
    dialog.engine.setCurrentText("dask")
    dialog.scheduler.setText("nowhere")
    press_ok(dialog, qtbot)
    assert "tcp://host:8786" in dialog.rows["engine", "scheduler"].fault.text()
    assert not config.exists()
    dialog.scheduler.clear()
    dialog.limit.clear()
    press_ok(dialog, qtbot)
    assert configured("engine") == {"name": "dask"}


def test_a_file_with_a_mistake_is_named_and_left_alone(open_settings, config, qtbot):
    config.write_text("[engine")
    dialog = open_settings()
    assert "cannot be read" in dialog.warning.text()
    assert not dialog.engine.isEnabled()
    dialog.autosave.setValue(7)
    press_ok(dialog, qtbot)
    assert config.read_text() == "[engine"
    assert DesignerSettings().autosave_seconds == 7


def test_the_window_follows_its_own_settings(open_settings, window_of, config, qtbot):
    window = window_of(Document())
    dialog = open_settings(window)
    try:
        dialog.colours.setCurrentIndex(dialog.colours.findData(DARK))
        dialog.keep.setChecked(False)
        dialog.start.setChecked(False)
        press_ok(dialog, qtbot)
        assert current_colours().operator.lightness() < 128
    finally:
        apply_theme(LIGHT)
    assert not DesignerSettings().keep_results
    assert not DesignerSettings().start_page


def test_a_cancelled_dialog_changes_nothing(open_settings, config, qtbot):
    dialog = open_settings()
    dialog.jobs.setValue(2)
    dialog.engine.setCurrentText("processes")
    dialog.keep.setChecked(False)
    qtbot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not config.exists()
    assert DesignerSettings().keep_results


def test_the_data_folder_holds_at_once(open_settings, window_of, config, tmp_path, qtbot):
    from fsops.datasets import data_folder

    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.csv").write_text("a,label\n1,x\n2,y\n")
    window = window_of(Document())
    window.views.browse()
    for name in ("first", "second"):
        with qtbot.waitActive(window):
            window.activateWindow()
        dialog = open_settings(window)
        dialog.data.setText(str(tmp_path / name))
        press_ok(dialog, qtbot)
        assert data_folder() == tmp_path / name
        folder = window.browser.item_named("Data folder")
        folder.setExpanded(True)
        browser = window.browser
        qtbot.waitUntil(lambda b=browser, n=name: b.item_named(f"{n}.csv") is not None)
        assert [folder.child(i).text(0) for i in range(folder.childCount())] == [f"{name}.csv"]


def test_stored_results_are_counted_and_cleared(open_settings, config, tmp_path, qtbot):
    from fsops.runs.options import open_store

    config.write_text(f"[cache]\nfolder = '{tmp_path / 'kept'}'\n")
    open_store(None).put("a" * 64, {"x": 1})
    dialog = open_settings()
    qtbot.waitUntil(lambda: dialog.usage.text().startswith("1 result,"), timeout=5_000)
    qtbot.mouseClick(dialog.clear_button, Qt.MouseButton.LeftButton)
    assert dialog.usage.text().startswith("0 results")
    assert open_store(None).usage().entries == 0
    dialog.reject()


@pytest.mark.slow
def test_the_next_run_uses_the_engine_that_is_set(
    open_settings, window_of, quickstart, config, tmp_path, qtbot
):
    """In processes of its own a loop keeps nothing of the ports inside: so one sees where it ran."""
    quickstart.save(tmp_path / "process.xml")
    window = window_of(quickstart)
    window.settings.keep_results = False

    def ran_inside_here():
        with qtbot.waitSignal(window.session.run_ended, timeout=60_000):
            qtbot.keyClick(window, Qt.Key.Key_F5)
        report = window.session.run.report
        assert report.status == "finished"
        assert ("Cross Validation", "performance") in report.ports
        return ("Weight by SAM", "weights") in report.ports

    def ran_inside_on_the_command_line():
        command = [sys.executable, "-m", "fsops", "run", tmp_path / "process.xml"]
        command += ["--events", "-", "--ports", tmp_path / "ports"]
        done = subprocess.run(command, timeout=60, check=True, capture_output=True, text=True)
        events = map(json.loads, done.stdout.splitlines())
        return any(e["event"] == "port" and e["path"][-1] == "Weight by SAM" for e in events)

    assert ran_inside_here()
    assert ran_inside_on_the_command_line()
    dialog = open_settings(window)
    dialog.engine.setCurrentText("processes")
    dialog.jobs.setValue(2)
    press_ok(dialog, qtbot)
    assert configured("engine") == {"name": "processes", "jobs": 2}
    assert not ran_inside_here()
    assert not ran_inside_on_the_command_line()
