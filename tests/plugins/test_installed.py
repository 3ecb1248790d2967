"""Real packages, installed by pip into a fresh environment: they work, and they can go again."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest

from fsops.testing.skeleton import write_plugin

RANGE = Path(__file__).parents[1] / "fixtures" / "plugins" / "fsops-range"
CALL = "from fsops.cli import main; main()"


@dataclass(frozen=True)
class Environment:
    """A virtual environment of its own that sees the packages of this one."""

    folder: Path

    @property
    def python(self) -> str:
        place = "Scripts/python.exe" if os.name == "nt" else "bin/python"
        return str(self.folder / place)

    @classmethod
    def create(cls, folder: Path) -> "Environment":
        venv.create(folder, with_pip=False)
        new = cls(folder)
        place = new.call("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
        ours = sysconfig.get_path("purelib")
        # By addsitedir, so that also editable installations in ours are seen.
        link = f"import site; site.addsitedir({ours!r})\n"
        (Path(place) / "ours.pth").write_text(link, encoding="utf-8")
        return new

    def call(self, *arguments: str, code: int = 0) -> str:
        """Run Python, check the exit code, and return what it printed."""
        settings = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200", "PYTHONUTF8": "1"}
        done = subprocess.run(
            [self.python, *arguments],
            cwd=self.folder,
            env=settings,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=200,
            check=False,
        )
        assert done.returncode == code, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        return done.stdout + done.stderr

    def fsops(self, *arguments: str, code: int = 0) -> str:
        """Run the command line."""
        return self.call("-c", CALL, *arguments, code=code)

    def pip(self, *arguments: str) -> None:
        """Run our pip for this environment, without a network."""
        subprocess.run(
            [sys.executable, "-m", "pip", "--python", self.python, "--no-input", *arguments],
            check=True,
            capture_output=True,
            timeout=200,
        )


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    if tuple(map(int, version("setuptools").split(".")[:2])) < (70, 1):
        pytest.fail("setuptools is too old to build wheels: pip install -e '.[dev]'")
    return Environment.create(tmp_path / "environment")


@pytest.mark.slow
@pytest.mark.timeout(400)  # pip takes its time on a busy machine
def test_plugin_from_installation_to_removal(environment: Environment, tmp_path: Path) -> None:
    # Copies: a build leaves files behind.
    source = shutil.copytree(RANGE, tmp_path / "source")
    write_plugin("mine", tmp_path)
    process = str(source / "weights.xml")
    environment.pip(
        "install", "--no-index", "--no-deps", "--no-build-isolation",
        str(source), str(tmp_path / "fsops-mine"),
    )  # fmt: skip

    listed = json.loads(environment.fsops("plugins", "list", "--format", "json"))
    assert {"name": "range", "distribution": "fsops-range", "version": "0.3.1"} in listed["plugins"]
    assert "mine" in {plugin["name"] for plugin in listed["plugins"]}
    assert not listed["problems"]

    assert "range:weight_by_range" in environment.fsops("operators", "range")
    described = environment.fsops("describe", "mine:weight_by_completeness")
    assert "Smallest fraction that counts" in described
    assert "between 0 and 1" in described

    environment.fsops("validate", process)
    refused = environment.fsops("run", process, "--set", "Weight by range.k=3", code=2)
    assert 'has no parameter "k"' in refused

    folder = tmp_path / "out"
    shown = environment.fsops("run", process, "--out", str(folder))
    assert "petal length (cm)" in shown
    (written,) = folder.glob("*.csv")
    weights = dict(line.split(",")[:2] for line in written.read_text().splitlines()[1:])
    assert float(weights["petal length (cm)"]) == pytest.approx(5.9)  # 6.9 − 1.0, Fisher's data

    environment.pip("uninstall", "-y", "fsops-range")
    gone = environment.fsops("run", process, code=2)
    assert 'There is no operator "range:weight_by_range"' in gone
    assert 'It needs the plugin "range"' in gone
    kept = environment.call(
        "-c",
        "import sys; from fsops.storage import format_process, read_process;"
        "print(format_process(read_process(sys.argv[1])).decode())",
        process,
    )
    assert 'class="range:weight_by_range" name="Weight by range"' in kept
    assert "mine:weight_by_completeness" in environment.fsops("operators", "completeness")
