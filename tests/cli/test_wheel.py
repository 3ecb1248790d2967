"""What is built from a checkout: an installation has the ready processes too."""

import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import version
from pathlib import Path

import pytest

from fsops.examples import examples_folder

ROOT = Path(__file__).resolve().parents[2]
OLDEST = 77  # of setuptools, as pyproject.toml says

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        int(version("setuptools").partition(".")[0]) < OLDEST,
        reason=f"building needs setuptools {OLDEST} or newer",
    ),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Return a wheel built from a copy of the checkout, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for name in ("fsops", "gui", "processes"):
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(ROOT / name, source / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "LICENSE", "README.md"):
        shutil.copy(ROOT / name, source)
    build = "from setuptools import build_meta; print(build_meta.build_wheel('..'))"
    subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Return the folder the wheel is unpacked to."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_has_all_processes(installed):
    packed = installed / "fsops" / "processes"
    expected = examples_folder()
    assert {p.relative_to(packed) for p in packed.rglob("*") if p.is_file()} == {
        p.relative_to(expected) for p in expected.rglob("*") if p.is_file()
    }


def test_the_wheel_has_nothing_else_at_the_top(installed):
    tops = {path.name.partition("-")[0] for path in installed.iterdir()}
    assert tops <= {"fsops", "fsops_gui"}


def test_an_installation_finds_its_examples(installed):
    program = (
        "import sys; from fsops.examples import find_examples;"
        "example = find_examples('quickstart')[0]; print(example.file)"
    )
    result = subprocess.run(
        [sys.executable, "-c", program],
        cwd=installed,
        env={"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert Path(result.stdout.strip()) == installed / "fsops" / "processes" / "quickstart.xml"


def test_the_wheel_has_what_a_report_is_made_of(installed):
    source = ROOT / "fsops" / "report" / "html"
    expected = {
        path.name for path in source.iterdir() if path.suffix in (".j2", ".css", ".js", ".json")
    }
    assert {"report.html.j2", "style.css", "tables.js", "tokens.json"} <= expected
    assert expected <= {path.name for path in (installed / "fsops" / "report" / "html").iterdir()}
