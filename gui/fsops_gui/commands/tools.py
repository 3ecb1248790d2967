"""Commands that show cost, plugins, data sets, papers and the XML of the process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fsops.errors import UsageError
from fsops.plugins import plugins
from fsops.storage.readers import Reader
from fsops_gui.base.texts import tr
from fsops_gui.commands.context import CommandContext
from fsops_gui.panels.xml_view import XmlPanel

if TYPE_CHECKING:
    from fsops_gui.shell.docks import Docks


class ToolCommands:
    """Each dialog is imported when it is opened."""

    def __init__(
        self,
        context: CommandContext,
        *,
        docks: Docks,
        xml: XmlPanel,
        add_data: Callable[[Reader], None],
        open_example: Callable[[Path], None],
    ) -> None:
        self._context = context
        self._docks = docks
        self._xml = xml
        self._add_data = add_data
        self._open_example = open_example

    def show_cost(self) -> None:
        """Show how often each operator will run, and offer to measure the time."""
        from fsops_gui.dialogs.cost import CostDialog

        process = self._context.document.process
        if not len(process):
            raise UsageError(tr("The process is empty: add operators first."))
        CostDialog(process, self._context.parent).open()

    def show_plugins(self) -> None:
        """List the plugins with versions and problems, and switch them on and off."""
        from fsops_gui.dialogs.plugins import PluginsDialog

        PluginsDialog(plugins(), self._context.parent).open()

    def show_data_sets(self) -> None:
        """List data with a name, use it, and add tables."""
        from fsops_gui.dialogs.data_sets import DataSetsDialog

        DataSetsDialog(self._context.registry, self._add_data, self._context.parent).open()

    def show_papers(self) -> None:
        """List experiments of papers, and run them."""
        from fsops_gui.dialogs.papers import PapersDialog

        PapersDialog(self._open_example, self._context.parent).open()

    def show_xml(self) -> None:
        """Show the process as XML, to be read and edited."""
        self._docks.bring("xml")
        self._xml.setCurrentIndex(0)
        self._xml.editor.setFocus()

    def show_differences(self) -> None:
        """Show the lines that differ from the saved file."""
        self._docks.bring("xml")
        self._xml.setCurrentIndex(1)
        self._xml.changes.setFocus()
