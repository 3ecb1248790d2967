"""Palette, help, problems, tree, log."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from fsops.editing.levels import Level
from fsops_gui.document.checker import check, faults_of, marks_of
from fsops_gui.document.document import Document
from fsops_gui.panels.help import HelpPanel, help_html
from fsops_gui.panels.palette import ROLE, Palette
from fsops_gui.panels.tree import OperatorList


def found(palette):
    tree = palette.tree
    items = [tree.topLevelItem(i) for i in range(tree.topLevelItemCount())]
    return [item.data(0, ROLE).key for item in items if item.data(0, ROLE)]


def test_the_palette_has_every_operator_in_its_group(qtbot, registry):
    palette = Palette(registry)
    qtbot.addWidget(palette)
    qtbot.waitUntil(lambda: palette.tree.topLevelItemCount() > 1, timeout=20_000)  # all are loaded

    def leaves(item):
        inner = [leaves(item.child(i)) for i in range(item.childCount())]
        own = [item.data(0, ROLE).key] if item.data(0, ROLE) else []
        return own + [key for keys in inner for key in keys]

    assert sorted(leaves(palette.tree.invisibleRootItem())) == sorted(o.key for o in registry)


@pytest.mark.parametrize(
    ("words", "key"),
    [
        ("sam", "weight_by_sam"),
        ("x_validation", "cross_validation"),
        ("Ambroise", "cross_validation"),
    ],
)
def test_the_search_knows_names_rapidminer_keys_and_help(qtbot, registry, words, key):
    palette = Palette(registry)
    qtbot.addWidget(palette)
    qtbot.keyClicks(palette.field, words)
    assert key in found(palette)


def test_a_search_without_a_hit_says_so(qtbot, registry):
    palette = Palette(registry)
    qtbot.addWidget(palette)
    qtbot.keyClicks(palette.field, "qwertz")
    assert palette.tree.topLevelItem(0).text(0) == "No operator has all these words."
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)  # adds nothing


def test_enter_in_the_search_adds_the_first_hit(window_of, qtbot):
    window = window_of(Document())
    qtbot.keyClicks(window.palette_panel.field, "retrieve")
    qtbot.keyClick(window.palette_panel.field, Qt.Key.Key_Return)
    assert [node.operator.key for node in window.session.document.process] == ["retrieve"]


def test_every_help_page_has_title_ports_and_parameters(registry):
    for operator in registry:
        html = help_html(operator)
        assert f"<h3>{operator.title}</h3>" in html.replace("&#x27;", "'").replace("&amp;", "&")
        for parameter in operator.parameters:
            assert f"<b>{parameter.name}</b>" in html
        assert ".. math" not in html
        assert "``" not in html


def test_help_escapes_what_looks_like_html(qtbot, registry):
    panel = HelpPanel()
    qtbot.addWidget(panel)
    panel.show_operator(registry["weight_by_sam"])
    assert "Weight by SAM" in panel.toPlainText()


def test_problems_inside_are_shown_on_the_operator_around(registry, quickstart):
    quickstart.set_parameter("Select Top k", "k", "0")
    training = Level("Cross Validation", 0)
    quickstart.remove_wires(
        training, [w for w in quickstart.level(training).connections if w.to_port == "model"]
    )
    findings = check(quickstart.process, registry)
    marks = marks_of(findings)
    assert len(marks["Select Top k"].errors) == 1
    assert len(marks["Cross Validation"].errors) == 2
    assert len(marks["Cross Validation"].warnings) == 1
    assert marks["Cross Validation"].inside == 3
    faults = faults_of(findings)
    assert list(faults) == [("Cross Validation", "Training")]
    assert 'the result "model"' in faults["Cross Validation", "Training"][0]


def test_a_click_on_the_sign_offers_the_fixes(window_of, quickstart, hand, qtbot):
    window = window_of(quickstart)
    quickstart.set_parameter("Select Top k", "k", "0")
    window.session.editor.scene.enter("Cross Validation")
    window.session.editor.view.fit()
    with qtbot.waitSignal(window.session.checker.found, timeout=20_000):
        window.session.checker.check_now()
    item = window.session.editor.scene.item_of("Select Top k")
    view = window.session.editor.view
    hand.click(window, view.mapFromScene(item.mapToScene(item.bubble().center())))
    menu = QApplication.activePopupWidget()
    texts = [action.text() for action in menu.actions()]
    assert texts[0].startswith('k is "0"')
    assert texts[1] == "→ Set k to 10"
    menu.actions()[1].trigger()
    menu.close()
    assert quickstart.process.find("Select Top k").parameters["k"] == 10
    window.edits.undo()
    assert quickstart.process.find("Select Top k").parameters["k"] == "0"


def test_the_tree_says_in_words_what_the_canvas_draws(qtbot, quickstart):
    tree = OperatorList(quickstart)
    qtbot.addWidget(tree)
    validation = tree.topLevelItem(1)
    assert validation.text(0) == "Cross Validation"
    assert "Retrieve.examples" in validation.data(0, Qt.ItemDataRole.AccessibleDescriptionRole)
    assert [validation.child(i).text(0) for i in range(2)] == ["Training", "Testing"]
    spots = []
    tree.spot_wanted.connect(spots.append)
    tree.itemActivated.emit(validation.child(0).child(0), 0)
    assert spots == ["Weight by SAM"]


def test_the_tree_leads_to_inner_levels(window_of, quickstart):
    window = window_of(quickstart)
    window.session.operators.spot_wanted.emit("Apply Model")
    assert window.session.editor.scene.owner == "Cross Validation"
    assert window.session.editor.scene.selected_names() == ["Apply Model"]
    assert window.session.parameters.name == "Apply Model"
