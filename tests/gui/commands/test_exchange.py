"""Pictures, scripts, processes of RapidMiner and reports, from the menus of the window."""

import runpy
from pathlib import Path

import pytest
from PyQt6.QtGui import QDesktopServices, QGuiApplication, QImage
from PyQt6.QtWidgets import QFileDialog

from fsops.report.picture import process_svg
from fsops_gui.base.actions import SPECS
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.dialogs.conversion import ConversionDialog
from fsops_gui.document.document import Document

RAPIDMINER = """<?xml version="1.0" encoding="UTF-8"?>
<process version="9.7.000">
  <operator activated="true" class="process" name="Process">
    <process expanded="true">
      <operator activated="true" class="retrieve" name="Retrieve Sonar">
        <parameter key="repository_entry" value="//Samples/data/Sonar"/>
      </operator>
      <operator activated="true" class="fp_growth" name="FP-Growth"/>
      <connect from_op="Retrieve Sonar" from_port="output" to_op="FP-Growth" to_port="example set"/>
    </process>
  </operator>
</process>
"""


@pytest.fixture
def chosen(monkeypatch, tmp_path):
    """Return a function that decides which file the next dialog returns; it notes the folders."""
    seen = []

    def choose(name):
        def answer(_parent, _title, begin, *_):
            seen.append(Path(begin))
            return str(tmp_path / name), ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", answer)
        monkeypatch.setattr(QFileDialog, "getOpenFileName", answer)
        return tmp_path / name

    choose.seen = seen
    return choose


def act(window, name):
    window.actions_table.by_name[name].trigger()


@pytest.mark.parametrize(
    "name", ["save_picture", "export_python", "export_sklearn", "import_rapidminer", "save_report"]
)
def test_commands_of_the_command_line_are_in_the_menu_and_in_find_anything(window, name):
    action = window.actions_table.by_name[name]
    menu = next(spec.menu for spec in SPECS if spec.name == name)
    assert action in window.actions_table.menus[menu].actions()
    assert action.text() in {command.title for command in window.catalogue.commands()}


def test_the_picture_as_svg_is_that_of_fsops_draw(window, chosen):
    file = chosen("chain.svg")
    act(window, "save_picture")
    assert file.read_text(encoding="utf-8") == process_svg(window.session.document.process)


def test_the_picture_as_png_and_pdf_shows_the_process(window, chosen):
    png, pdf = chosen("chain.png"), None
    act(window, "save_picture")
    image = QImage(str(png))
    assert image.width() > 800
    colours = {image.pixel(x, y) for x in range(0, image.width(), 9) for y in range(0, image.height(), 9)}  # fmt: skip
    assert len(colours) > 3
    pdf = chosen("chain.pdf")
    act(window, "save_picture")
    content = pdf.read_bytes()
    assert content.startswith(b"%PDF")
    assert content.rstrip().endswith(b"%%EOF")


def test_a_picture_of_an_empty_process_is_refused_with_a_sentence(window_of, chosen):
    window = window_of(Document())
    chosen("nothing.svg")
    act(window, "save_picture")
    assert "empty" in window.statusBar().currentMessage()


def test_the_python_script_is_that_of_fsops_export(window, chosen, qtbot):
    file = chosen("chain.py")
    act(window, "export_python")
    qtbot.waitUntil(file.is_file)
    text = file.read_text(encoding="utf-8")
    compile(text, str(file), "exec")
    assert "weight_by_sam" in text


def test_the_python_script_gives_the_results_of_the_run(window, chosen, qtbot):
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    shown = window.session.last_run.result_value(0)
    file = chosen("chain.py")
    act(window, "export_python")
    qtbot.waitUntil(file.is_file)
    names = runpy.run_path(str(file), run_name="script")
    (weights,) = names["main"]()
    assert weights.names == shown.names
    assert weights.values.tolist() == shown.values.tolist()


def test_the_scikit_learn_script_has_a_pipeline(window_of, chosen, qtbot, quickstart):
    file = chosen("quick_sklearn.py")
    act(window_of(quickstart), "export_sklearn")
    qtbot.waitUntil(file.is_file)
    assert "Pipeline" in file.read_text(encoding="utf-8")


def test_a_process_of_rapidminer_is_imported_with_its_report(window, chosen, qtbot):
    chosen("theirs.rmp").write_text(RAPIDMINER, encoding="utf-8")
    act(window, "import_rapidminer")
    qtbot.waitUntil(lambda: window.findChild(ConversionDialog) is not None)
    dialog = window.findChild(ConversionDialog)
    assert "1 operators are not known" in dialog.headline.text()
    assert "FP-Growth: fp_growth" in dialog.text()
    assert "no association rules" in dialog.text()
    dialog.copy()
    assert "1 operator mapped" in QGuiApplication.clipboard().text()
    window.files.may_leave = lambda: True
    dialog.accept()
    names = [node.name for node in window.session.document.process.walk()]
    assert names == ["Retrieve Sonar", "FP-Growth"]
    assert window.session.document.path is None  # the file of RapidMiner stays as it is


def test_a_process_of_ours_is_not_imported(window, chosen, qtbot, quickstart):
    quickstart.save(chosen("ours.xml"))
    act(window, "import_rapidminer")
    qtbot.waitUntil(lambda: "already" in window.statusBar().currentMessage())


def test_the_report_is_that_of_the_run_just_made_and_goes_where_the_user_says(
    window, chosen, qtbot, monkeypatch
):
    pytest.importorskip("jinja2")
    from fsops import RunOutcome
    from fsops.report.numbers import seconds_text

    monkeypatch.setattr(QDesktopServices, "openUrl", lambda _url: True)
    act(window, "save_report")
    assert "No run has finished" in window.statusBar().currentMessage()
    with qtbot.waitSignal(window.session.run_ended):
        window.runs.run()
    file = chosen("report.html")
    with qtbot.waitSignal(window.results.writer.written):
        act(window, "save_report")
    page = file.read_text(encoding="utf-8")
    saved = RunOutcome.load(window.session.last_run.saved)
    assert saved.started in page
    assert seconds_text(saved.seconds) in page
    report = window.session.last_run.report
    spent = sum(state.seconds for state in report.operators.values())
    assert 0.9 * spent <= saved.seconds <= report.seconds  # not the time of writing the report


def test_file_dialogs_open_in_the_folder_that_was_used_last(window, chosen, tmp_path, qtbot):
    (tmp_path / "deep").mkdir()
    chosen("deep/theirs.rmp").write_text(RAPIDMINER, encoding="utf-8")
    act(window, "import_rapidminer")
    qtbot.waitUntil(lambda: window.findChild(ConversionDialog) is not None)
    window.findChild(ConversionDialog).reject()
    chosen("deep/other.xml")
    act(window, "import_rapidminer")
    assert chosen.seen[-1] == tmp_path / "deep"
    assert DesignerSettings().choice("rapidminer_folder", "") == str(tmp_path / "deep")
