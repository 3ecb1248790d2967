"""Dialogs that ask for a file: they open in the folder that was used last for the same purpose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PyQt6.QtWidgets import QFileDialog, QWidget

from fsops_gui.base.settings import DesignerSettings
from fsops_gui.base.texts import tr


def ask_to_open(parent: QWidget, theme: str, title: str, kinds: str, folder: Path | None) -> str:
    """Return the file to open, empty if none was chosen; the folder is remembered.

    Parameters
    ----------
    parent : QWidget
    theme : str
        Purpose for which the folder is remembered.
    title : str
    kinds : str
        Filters, as Qt writes them: ``Tables (*.csv *.arff)``.
    folder : Path, optional
        Folder to begin with; the remembered one if not given.
    """
    begin = folder or last_folder(theme)
    chosen, _ = QFileDialog.getOpenFileName(parent, title, str(begin), kinds)
    if chosen:
        remember_folder(theme, Path(chosen))
    return chosen


def last_folder(theme: str, usual: Path | None = None) -> Path:
    """Return the folder used last for a purpose, else the usual one, else the last of all."""
    settings = DesignerSettings()
    places = (settings.choice(f"{theme}_folder", ""), usual, settings.choice("last_folder", ""))
    return next((Path(p) for p in places if p and Path(p).is_dir()), Path.home())


def remember_folder(theme: str, file: Path) -> None:
    """Remember the folder of a file for a purpose."""
    settings = DesignerSettings()
    settings.choose(f"{theme}_folder", str(file.parent))
    settings.choose("last_folder", str(file.parent))


def ask_for_file(
    parent: QWidget, theme: str, name: str, kinds: Mapping[str, str], begin: Path | None = None
) -> Path | None:
    """Return where to write; folder and kind are those of the last time.

    Parameters
    ----------
    parent : QWidget
    theme : str
        What folder and kind are remembered for.
    name : str
        The name to begin with, without suffix.
    kinds : dict of suffix to words
        What can be written, as ``{"csv": "Text (CSV)"}``.
    begin : Path, optional
        Folder to begin with; the remembered one if not given.
    """
    settings = DesignerSettings()
    last = settings.choice(f"{theme}_kind", next(iter(kinds)))
    last = last if last in kinds else next(iter(kinds))
    folder = begin or last_folder(theme)
    filters = {suffix: f"{words} (*.{suffix})" for suffix, words in kinds.items()}
    safe = "".join("_" if c in '<>:"/\\|?*' else c for c in name).strip() or "result"
    chosen, used = QFileDialog.getSaveFileName(
        parent,
        tr("Save as"),
        str(folder / f"{safe}.{last}"),
        ";;".join(filters.values()),
        filters.get(last, ""),
    )
    if not chosen:
        return None
    path = Path(chosen)
    by_filter = next((s for s, words in filters.items() if words == used), last)
    suffix = path.suffix[1:].lower() if path.suffix[1:].lower() in kinds else by_filter
    if path.suffix[1:].lower() != suffix:
        path = path.with_name(f"{path.name}.{suffix}")
    remember_folder(theme, path)
    settings.choose(f"{theme}_kind", suffix)
    return path
