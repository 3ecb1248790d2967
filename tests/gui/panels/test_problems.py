"""The list of problems: found by itself, grouped, filtered, and mended by mouse and keyboard."""

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QApplication

from fsops.core.graph.process import Process
from fsops.editing.levels import ROOT
from fsops_gui.document.checker import check
from fsops_gui.document.document import Document
from fsops_gui.panels.problems import ROLE, ProblemsPanel, fixes_menu

LEFT = Qt.MouseButton.LeftButton
ROWS = ["a,b,c,kind,y"] + [
    f"{i * 7 % 11},{'' if i == 5 else i},{i % 4 / 2},{'xyz'[i % 3]},{i % 2}" for i in range(40)
]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(ROWS))
    return path


def faulty(registry, file, key, label="y", **parameters):
    """Return a document: Read CSV, then an operator, to a result."""
    process = Process()
    table = process.add(registry["read_csv"], path=str(file), label=label or None)
    if not label:
        table.set_parameter("label", None)
    process.result(process.add(registry[key], table, **parameters))
    return Document(process)


def lines(panel):
    """Return all lines of the tree."""
    found, waiting = [], [panel.tree.invisibleRootItem()]
    while waiting:
        item = waiting.pop()
        found.append(item)
        waiting += [item.child(i) for i in range(item.childCount())]
    return found[1:]


def line_with(panel, words):
    return next(item for item in lines(panel) if words in item.text(0))


def fix_with(panel, words):
    return next(i for i in lines(panel) if i.text(0).startswith("→") and words in i.text(0))


def checked(window, qtbot):
    with qtbot.waitSignal(window.session.checker.found, timeout=20_000):
        window.session.checker.check_now()


def double_click(panel, item, qtbot):
    viewport = panel.tree.viewport()
    panel.tree.scrollToItem(item)
    place = panel.tree.visualItemRect(item).center()
    place.setX(panel.tree.visualItemRect(item).left() + 30)
    qtbot.mouseClick(viewport, LEFT, pos=place)
    qtbot.mouseDClick(viewport, LEFT, pos=place)


def test_problems_are_listed_with_fixes_that_can_be_undone(qtbot, registry, chain):
    chain.remove_wires(ROOT, [chain.process.connections[0]])
    findings = check(chain.process, registry)
    panel = ProblemsPanel()
    qtbot.addWidget(panel)
    panel.show_findings(findings)
    item = next(
        panel.tree.topLevelItem(i)
        for i in range(panel.tree.topLevelItemCount())
        if "is not connected" in panel.tree.topLevelItem(i).text(0)
    )
    assert item.text(0).startswith("✖ Error:")
    fixes, spots = [], []
    panel.fix_wanted.connect(fixes.append)
    panel.spot_wanted.connect(spots.append)
    panel.tree.itemClicked.emit(item, 0)
    assert spots == ["Normalize"]
    panel.tree.itemActivated.emit(item.child(0), 0)
    before = chain.as_xml()
    chain.edit(fixes[0].label, fixes[0].apply)
    assert not [p for p in check(chain.process, registry).problems if "not connected" in p.message]
    chain.undo_stack.undo()
    assert chain.as_xml() == before


def test_the_check_follows_the_edits(window_of, chain, qtbot):
    window = window_of(chain)
    panel = window.problems_panel
    chain.set_parameter("Retrieve", "repository_entry", "gulf")
    qtbot.waitUntil(lambda: panel.tree.topLevelItemCount() > 0, timeout=20_000)
    chain.undo_stack.undo()
    qtbot.waitUntil(lambda: panel.tree.topLevelItemCount() == 0, timeout=20_000)


FIXES = [
    ("naive_bayes", "y", "Numerical to Binominal"),
    ("naive_bayes", "y", "Numerical to Polynominal"),
    ("select_by_ib", "kind", "Replace Missing Values"),
    ("select_by_ib", "kind", "Filter Examples"),
    ("linear_regression", "y", "Nominal to Numerical"),
    ("naive_bayes", "", 'Set label of Read CSV to "kind"'),
]


@pytest.mark.parametrize(("key", "label", "words"), FIXES)
def test_a_double_click_on_a_fix_mends_and_can_be_undone(
    window_of, registry, file, qtbot, key, label, words
):
    document = faulty(registry, file, key, label)
    window = window_of(document)
    checked(window, qtbot)
    panel = window.problems_panel
    before, problem = document.as_xml(), fix_with(panel, words).parent().text(0)
    double_click(panel, fix_with(panel, words), qtbot)
    assert document.as_xml() != before
    checked(window, qtbot)
    assert problem not in [item.text(0) for item in lines(panel)]
    window.edits.undo()
    assert document.as_xml() == before


def broken(registry, what):
    """Return a document with one fault, and words of the fix."""
    process = Process()
    table = process.add(registry["retrieve"], repository_entry="golf")
    if what == "attribute name":
        node = process.add(registry["set_role"], table, attribute="Pley", target_role="label")
        process.result(node)
        return Document(process), 'Use "Play"'
    if what == "unused":
        process.result(table)
        process.add(registry["generate_id"], table)
        return Document(process), "Remove Generate ID"
    if what == "unknown operator":
        from fsops.core.operator import placeholder

        process.add(placeholder("generate_idd"), name="Unknown")
        process.result(table)
        return Document(process), 'Use "Generate ID"'
    if what == "inner operator":
        process.result(process.add(registry["cross_validation"], table)["performance"])
        return Document(process), 'Add "Naive Bayes"'
    if what == "connect":
        process.add(registry["generate_id"])
        return Document(process), "Connect Retrieve.examples → Generate ID.examples"
    if what == "value":
        process.result(process.add(registry["sort"], table, attribute="Wind", sort_direction="up"))
        return Document(process), "Set sort_direction to increasing"
    raise AssertionError(what)


@pytest.mark.parametrize(
    "what", ["attribute name", "unused", "unknown operator", "inner operator", "connect", "value"]
)
def test_enter_on_a_fix_mends(window_of, registry, qtbot, what):
    document, words = broken(registry, what)
    window = window_of(document)
    checked(window, qtbot)
    panel, before = window.problems_panel, document.as_xml()
    item = fix_with(panel, words)
    problem = item.parent().text(0), item.parent().text(1)
    panel.tree.setCurrentItem(item)
    panel.tree.setFocus()
    qtbot.keyClick(panel.tree, Qt.Key.Key_Return)
    assert document.as_xml() != before
    checked(window, qtbot)
    assert problem not in [(item.text(0), item.text(1)) for item in lines(panel)]
    window.edits.undo()
    assert document.as_xml() == before


def test_the_sign_on_the_canvas_offers_the_conversion(window_of, registry, file, hand, qtbot):
    document = faulty(registry, file, "select_by_ib", "kind")
    window = window_of(document)
    checked(window, qtbot)
    item = window.session.editor.scene.item_of(registry["select_by_ib"].title)
    view = window.session.editor.view
    hand.click(window, view.mapFromScene(item.mapToScene(item.bubble().center())))
    menu = QApplication.activePopupWidget()
    action = next(a for a in menu.actions() if a.text().startswith('→ Insert "Replace'))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    assert "Replace Missing Values" in document.process
    window.edits.undo()
    assert "Replace Missing Values" not in document.process


def test_a_leaking_selection_moves_into_the_validation(window_of, qtbot):
    from pathlib import Path

    path = Path(__file__).parents[3] / "processes" / "wrapper_validation_wrong.xml"
    document = Document.open(path)
    window = window_of(document)
    checked(window, qtbot)
    panel, before = window.problems_panel, document.as_xml()
    double_click(panel, line_with(panel, "→ Move"), qtbot)
    inner = document.process.find("Cross Validation").subprocesses[0]
    assert "Weight by SAM" in inner
    window.edits.undo()
    assert document.as_xml() == before


def test_the_button_opens_the_fixes_of_the_chosen_problem(window_of, registry, file, qtbot):
    document = faulty(registry, file, "select_by_ib", "kind")
    window = window_of(document)
    checked(window, qtbot)
    panel = window.problems_panel
    assert not panel.fix.isEnabled()
    panel.tree.setCurrentItem(line_with(panel, "Values are missing"))
    assert panel.whole.text().startswith(
        'Values are missing in "b", but missing values are not allowed.'
    )
    qtbot.mouseClick(panel.fix, LEFT)
    menu = QApplication.activePopupWidget()
    action = next(a for a in menu.actions() if a.text().startswith('→ Insert "Replace'))
    action.trigger()
    menu.close()
    assert "Replace Missing Values" in document.process


def test_a_double_click_leads_to_the_operator_and_its_field(window_of, quickstart, qtbot):
    window = window_of(quickstart)
    quickstart.set_parameter("Select Top k", "k", "0")
    checked(window, qtbot)
    panel = window.problems_panel
    double_click(panel, line_with(panel, 'k is "0"'), qtbot)
    assert window.session.editor.scene.selected_names() == ["Select Top k"]
    row = window.session.parameters.rows["k"]
    assert QApplication.focusWidget() is row.field.edit


def test_problems_are_filtered_grouped_sorted_and_counted(qtbot, registry, file):
    document = faulty(registry, file, "naive_bayes")
    document.add(ROOT, registry["set_role"])
    panel = ProblemsPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_findings(check(document.process, registry))
    texts = [panel.tree.topLevelItem(i).text(0) for i in range(panel.tree.topLevelItemCount())]
    errors = [text for text in texts if text.startswith("✖ Error")]
    warnings = [text for text in texts if text.startswith("▲ Warning")]
    assert errors
    assert warnings
    assert f"{len(errors)} error" in panel.count.text()
    panel.severity.setCurrentIndex(1)
    assert panel.tree.topLevelItemCount() == len(errors)
    panel.severity.setCurrentIndex(0)
    panel.grouping.setCurrentIndex(1)
    groups = [panel.tree.topLevelItem(i).text(0) for i in range(panel.tree.topLevelItemCount())]
    assert "Naive Bayes (1)" in groups
    panel.grouping.setCurrentIndex(2)
    assert any(item.text(0).startswith("Unsuitable data") for item in lines(panel))
    panel.grouping.setCurrentIndex(0)
    panel.tree.header().sectionClicked.emit(1)
    wheres = [panel.tree.topLevelItem(i).text(1) for i in range(panel.tree.topLevelItemCount())]
    assert wheres == sorted(wheres)
    panel.tree.header().sectionClicked.emit(1)
    panel.tree.header().sectionClicked.emit(1)
    again = [panel.tree.topLevelItem(i).text(0) for i in range(panel.tree.topLevelItemCount())]
    assert again == texts


def test_a_menu_is_not_wider_than_the_screen(qtbot, registry, file):
    document = faulty(registry, file, "naive_bayes")
    panel = ProblemsPanel()
    qtbot.addWidget(panel)
    menu, fixes = fixes_menu(list(check(document.process, registry).problems), panel)
    assert max(len(action.text()) for action in menu.actions()) < 110
    assert len(fixes) > 0
    assert all(item.data(0, ROLE) is not None for item in lines(panel))
    menu.deleteLater()


def test_a_double_click_leads_into_the_field(window, chain, qtbot):
    chain.set_parameter("Weight by SAM", "permutations", "-3")
    checked(window, qtbot)
    window.docks.bring("problems")
    QApplication.processEvents()
    double_click(window.problems_panel, line_with(window.problems_panel, "permutations"), qtbot)
    field = window.session.parameters.rows["permutations"].field
    assert field.isAncestorOf(QApplication.focusWidget()) or field.hasFocus()


def test_choosing_a_problem_moves_no_line(window_of, registry, file, qtbot):
    window = window_of(faulty(registry, file, "weight_by_sam", label="lab"))
    window.resize(900, 800)
    checked(window, qtbot)
    window.docks.bring("problems")
    QApplication.processEvents()
    panel = window.problems_panel
    before = [panel.tree.visualItemRect(item) for item in lines(panel)], panel.tree.geometry()
    panel.tree.setCurrentItem(lines(panel)[0])
    QApplication.processEvents()
    assert ([panel.tree.visualItemRect(i) for i in lines(panel)], panel.tree.geometry()) == before
    assert panel.whole.text()


def test_why_explains_the_kind_with_a_demonstration(window, qtbot):
    from fsops.core.checks.problems import Kind
    from fsops.why import REASONS
    from fsops_gui.panels.problems import ADVICE

    assert set(ADVICE) == set(REASONS)
    window.problems_panel.why_wanted.emit(Kind.INFORMATION_LEAK)
    assert "Select inside the folds" in window.help_panel.toPlainText()
    qtbot.waitUntil(lambda: "3,000 attributes of noise" in window.help_panel.toPlainText())
    assert not window.problems_panel.why.isEnabled()


def tied_document(tmp_path, registry):
    """Return a process that keeps two attributes although three have the same weight."""
    rows = [f"{n % 5},{n % 5},{n % 5},{n % 2 * 2 + n % 3},{'ab'[n % 2]}" for n in range(40)]
    (tmp_path / "tied.csv").write_text("\n".join(["x,y,z,best,class", *rows]))
    document = Document()

    def draw(process):
        read = process.add(registry["read_csv"], path=str(tmp_path / "tied.csv"), label="class")
        weights = process.add(registry["weight_by_f_test"], read)
        chosen = process.add(registry["select_by_weights"], read, weights)
        chosen.parameters |= {"weight_relation": "top k", "k": 2}
        process.result(chosen)

    document.edit("draw", draw)
    return document


def test_ties_at_the_cut_are_listed_after_a_run_and_can_be_fixed(
    window_of, tmp_path, registry, qtbot
):
    from fsops.core.checks.problems import Kind

    document = tied_document(tmp_path, registry)
    window = window_of(document)
    session = window.session

    def ties():
        return [p for p in session.checker.findings.problems if p.kind is Kind.TIES]

    assert ties() == []
    with qtbot.waitSignal(session.run_ended, timeout=120_000):
        window.actions_table.by_name["run"].trigger()
    qtbot.waitUntil(lambda: bool(ties()), timeout=60_000)
    [problem] = ties()
    assert (problem.path, problem.parameter) == (("Select by Weights",), "k")
    tree = window.problems_panel.tree
    lines = [tree.topLevelItem(number).text(0) for number in range(tree.topLevelItemCount())]
    assert any("have the same weight" in line for line in lines)
    session.apply(problem.fixes[-1])
    assert document.process["Select by Weights"].parameters["k"] == 4
    qtbot.waitUntil(lambda: not ties(), timeout=60_000)  # that result is out of date
    document.undo_stack.undo()
    qtbot.waitUntil(lambda: bool(ties()), timeout=60_000)
