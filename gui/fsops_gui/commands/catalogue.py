"""The catalog of all that can be found by "Find anything" and done at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING

from fsops.storage.readers import reader_of
from fsops_gui.base.actions import SPECS, Actions
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import CONTRAST, DARK, LIGHT, SYSTEM
from fsops_gui.commands.blocks import BlockCommands
from fsops_gui.commands.context import CommandContext
from fsops_gui.commands.edit import EditCommands
from fsops_gui.commands.file import FileCommands
from fsops_gui.commands.view import ViewCommands
from fsops_gui.dialogs.command_palette import Command, CommandPalette
from fsops_gui.dialogs.examples import examples, study, templates
from fsops_gui.panels.browser import BrowserPanel

if TYPE_CHECKING:
    from fsops_gui.shell.docks import Docks


class CommandCatalogue:
    """Actions, panels, settings, operators, files, examples and templates as commands."""

    def __init__(
        self,
        context: CommandContext,
        *,
        actions: Actions,
        docks: Docks,
        browser: BrowserPanel,
        files: FileCommands,
        edits: EditCommands,
        views: ViewCommands,
        blocks: BlockCommands,
    ) -> None:
        self._context = context
        self._actions = actions
        self._docks = docks
        self._browser = browser
        self._files = files
        self._edits = edits
        self._views = views
        self._blocks = blocks

    def find_anything(self) -> None:
        """Search actions, operators, files and settings at once."""
        CommandPalette(self.commands(), self._context.parent).open()

    def commands(self) -> list[Command]:
        """Return all that can be found and done."""
        return [
            *self._action_commands(),
            *self._panel_commands(),
            *self._operator_commands(),
            *self._block_commands(),
            *self._file_commands(),
        ]

    def _action_commands(self) -> Iterator[Command]:
        actions = self._actions.by_name
        for spec in SPECS:
            if actions[spec.name].isEnabled():
                keys = "  ".join(spec.keys)
                yield Command(tr(spec.menu), tr(spec.text), actions[spec.name].trigger, keys=keys)

    def _panel_commands(self) -> Iterator[Command]:
        for name in self._docks:
            yield Command(tr("Panel"), self._docks.titles[name], partial(self._docks.bring, name))
        for theme, title in (
            (LIGHT, tr("Light colors")),
            (DARK, tr("Dark colors")),
            (CONTRAST, tr("High contrast colors")),
            (SYSTEM, tr("Colors of the system")),
        ):
            yield Command(tr("Settings"), title, partial(self._views.choose_theme, theme), "theme")
        for title, words in (
            (tr("Engine and jobs"), "parallel cores cluster dask processes threads"),
            (tr("Stored results"), "cache folder limit clear"),
            (tr("Data folder"), "fsops data"),
            (tr("Autosave"), "swap interval"),
        ):
            yield Command(tr("Settings"), title, self._views.open_settings, words)

    def _operator_commands(self) -> Iterator[Command]:
        for node in self._context.document.process.walk():
            act = partial(self._views.reveal, node.name)
            yield Command(tr("On the canvas"), node.name, act)
        for operator in self._context.registry:
            words = " ".join((operator.key, *operator.tags, *operator.aliases.keys))
            title = tr("Add {name}", name=operator.title)
            act = partial(self._edits.add, operator)
            yield Command(operator.group, title, act, words, name=operator.title)

    def _block_commands(self) -> Iterator[Command]:
        for block in self._blocks.blocks():
            title = tr("Add {name}", name=block.name)
            act = partial(self._blocks.insert, block)
            yield Command(tr("Building block"), title, act, block.description, name=block.name)

    def _file_commands(self) -> Iterator[Command]:
        files, recent = self._files, self._context.settings.recent()
        for path in recent:
            act = partial(files.open_file, path)
            yield Command(tr("File"), path.stem, act, str(path.parent))
        for path in self._browser.files():
            reader = reader_of(path, self._context.registry)
            if reader is not None:
                title = tr("Read {name}", name=path.name)
                yield Command(tr("Data"), title, partial(files.add_data, reader))
            elif path not in recent:
                yield Command(tr("File"), path.stem, partial(files.open_file, path))
        for example in examples():
            act = partial(files.open_example, example.file)
            yield Command(tr("Example"), example.title, act, example.file.stem)
        for template in (study(), *templates()):
            act = partial(files.begin_template, template)
            title = tr("{title} with my table", title=template.title)
            yield Command(tr("Template"), title, act)
