"""The plugins: version, package, load errors, and a switch that the configuration remembers."""

from __future__ import annotations

import html

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QTreeWidgetItem, QWidget

from fsops.config import disable_plugin
from fsops.errors import FsopsError
from fsops.plugins import Plugins
from fsops.plugins.manager import OURS, PluginInfo
from fsops_gui.base.texts import tr
from fsops_gui.base.theme import current_colours
from fsops_gui.dialogs.catalogue_dialog import KEY, CatalogueDialog

NAME, VERSION, PACKAGE, STATE = range(4)


class PluginsDialog(CatalogueDialog):
    """A line for each plugin; its box enables or disables it from the next start on."""

    def __init__(self, found: Plugins, parent: QWidget | None) -> None:
        headings = [tr("Plugin"), tr("Version"), tr("Package"), tr("State")]
        super().__init__(tr("Plugins"), headings, (150, 90, 140), parent)
        self._found = found
        self._changed: set[str] = set()
        self._fill()
        self.tree.itemChanged.connect(self._switch)
        self.choose(None)
        self._say()

    def _fill(self) -> None:
        wrong = {problem.plugin for problem in self._found.problems}
        known = dict.fromkeys(
            [*self._found.loaded, *(p.plugin for p in self._found.problems), *self._found.disabled]
        )
        others = [info for info in known if info.distribution != OURS]
        group = self.add_group(tr("Installed by you"))
        for info in others:
            self._add(info, group, info in wrong)
        if not others:
            self.add_line([tr("None. pip installs plugins, see docs/plugins.md.")], "", group)
            last = group.child(0)
            assert last is not None
            last.setFirstColumnSpanned(True)
        ours = self.add_group(tr("Part of fsops"))
        for info in known:
            if info.distribution == OURS:
                self._add(info, ours, info in wrong)

    def _add(self, info: PluginInfo, group: QTreeWidgetItem, wrong: bool) -> None:
        off = info in self._found.disabled
        state = tr("Disabled") if off else tr("Problem") if wrong else tr("Loaded")
        texts = [info.name, info.version, info.distribution, state]
        item = self.add_line(texts, info, group)
        if info.distribution != OURS:
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            on = Qt.CheckState.Unchecked if off else Qt.CheckState.Checked
            item.setCheckState(NAME, on)
        if wrong:
            item.setForeground(STATE, current_colours().error)

    def show_details(self, key: object) -> None:
        """Show the origin of a plugin, its operators and its problems."""
        if not isinstance(key, PluginInfo):
            self.details.clear()
            return
        prefix = f"{key.name}:"
        titles = [o.title for o in self._found.registry if o.key.startswith(prefix)]
        problems = [p.reason for p in self._found.problems if p.plugin == key]
        origin = tr("Package {name}, version {version}", name=key.distribution, version=key.version)
        parts = [f"<h3>{html.escape(key.name)}</h3>", f"<p>{html.escape(origin)}</p>"]
        for reason in problems:
            parts.append(f"<p><b>{tr('Problem')}:</b> {html.escape(reason)}</p>")
        if titles:
            parts.append(f"<p><b>{tr('Operators')}</b></p><ul>")
            parts += [f"<li>{html.escape(title)}</li>" for title in titles]
            parts.append("</ul>")
        elif key.distribution == OURS:
            parts.append(f"<p>{tr('It belongs to fsops and cannot be disabled.')}</p>")
        self.details.setHtml("".join(parts))

    def _switch(self, item: QTreeWidgetItem, column: int) -> None:
        """Remember whether a plugin is loaded."""
        info = item.data(0, KEY)
        if column != NAME or not isinstance(info, PluginInfo):
            return
        off = item.checkState(NAME) == Qt.CheckState.Unchecked
        try:
            disable_plugin(info.name, off)
        except FsopsError as error:
            self.status.setText(str(error))
            return
        is_other = off != (info in self._found.disabled)
        self._changed = self._changed - {info.name} | ({info.name} if is_other else set())
        self._say()

    def _say(self) -> None:
        """Say whether a restart is needed."""
        if self._changed:
            names = ", ".join(sorted(self._changed))
            text = tr("Restart the designer to apply the change of {names}.", names=names)
        else:
            text = tr("The boxes enable and disable plugins, also for the command line.")
        self.status.setText(text)
