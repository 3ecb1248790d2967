"""Commands need a session and a way to answer, but no window."""

import pytest
from PyQt6.QtWidgets import QWidget

from fsops.errors import FsopsError
from fsops_gui.base.settings import DesignerSettings
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.edit import EditCommands
from fsops_gui.shell.session import Session


@pytest.fixture
def said():
    return []


@pytest.fixture
def context(qtbot, registry, chain, said):
    parent = QWidget()
    qtbot.addWidget(parent)

    def attempt(act):
        try:
            act()
        except FsopsError as error:
            said.append(str(error))

    context = CommandContext(registry, DesignerSettings(), parent, said.append, attempt)
    context.session = Session(chain, registry)
    for widget in (context.session.editor, context.session.parameters, context.session.operators):
        widget.setParent(parent)
    yield context
    context.session.close()


def test_an_edit_is_made_undone_and_said_without_a_window(context, chain, said):
    shown = []
    edits = EditCommands(context, lambda: shown.append("process"))
    context.scene.select(["Normalize"])
    edits.add(context.registry["sample"])
    assert context.scene.selected_names() == ["Sample"]
    assert shown == ["process"]
    edits.undo()
    assert "Sample" not in chain.process
    assert said == ["Taken back: Add Sample"]


def test_commands_follow_the_session_of_the_document_that_is_open(context, quickstart, registry):
    edits = EditCommands(context, lambda: None)
    first = context.session
    context.session = Session(quickstart, registry)
    context.session.editor.setParent(context.parent)
    context.session.parameters.setParent(context.parent)
    context.session.operators.setParent(context.parent)
    first.close()
    edits.select_all()
    assert sorted(context.scene.selected_names()) == ["Cross Validation", "Retrieve"]
