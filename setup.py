"""Packs the ready processes and the documentation site; pyproject.toml has everything else."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PACKED = {"processes": "processes", "docs/_build/html": "site"}
"""Folders beside the package in a checkout, and their names inside an installed package."""
NOT_PACKED = shutil.ignore_patterns(".doctrees", ".buildinfo", "_sources", "*.inv", "*.pyc")


class BuildWithFolders(build_py):
    """In a checkout some folders are beside the package, in an installation inside it."""

    def run(self) -> None:
        """Copy the folders after the modules; the site exists only after `make docs`."""
        super().run()
        if self.editable_mode:
            return
        for source, name in PACKED.items():
            if Path(source).is_dir():
                target = Path(self.build_lib) / "fsops" / name
                shutil.copytree(source, target, dirs_exist_ok=True, ignore=NOT_PACKED)


setup(cmdclass={"build_py": BuildWithFolders})
