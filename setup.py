"""Packs the ready processes into the package; everything else is said in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithProcesses(build_py):
    """In a checkout ``processes/`` lies beside the package, in an installation inside it."""

    def run(self) -> None:
        """Copy the processes after the modules."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib) / "fsops" / "processes"
            shutil.copytree("processes", target, dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithProcesses})
