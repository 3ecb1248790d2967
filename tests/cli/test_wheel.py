"""What is built from a checkout: an installation has the ready processes too, an sdist its tests."""

import os
import shutil
import subprocess
import sys
import tarfile
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


def test_an_installation_runs_the_quickstart_outside_the_checkout(installed, tmp_path):
    process = installed / "fsops" / "processes" / "quickstart.xml"
    done = subprocess.run(
        [sys.executable, "-m", "fsops", "run", str(process)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(installed), "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert "92.62 %" in done.stdout


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """Return the folder of an unpacked sdist, built from a copy of the files that git tracks."""
    folder = tmp_path_factory.mktemp("sdist")
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("needs the files that git tracks; an sdist itself is no checkout")
    for name in listed.stdout.splitlines():
        target = folder / "source" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)
    build = "from setuptools import build_meta; print(build_meta.build_sdist('..'))"
    subprocess.run(
        [sys.executable, "-c", build], cwd=folder / "source", check=True, capture_output=True
    )
    with tarfile.open(next(folder.glob("*.tar.gz"))) as archive:
        archive.extractall(folder, filter="data")
    return next(folder.glob("fsops-*/"))


def test_an_sdist_has_the_folders_of_the_checkout(unpacked):
    for name in ("fsops", "gui", "processes", "tests", "docs", "benchmarks", "tools", "changes"):
        tracked = {path.name for path in (unpacked.parent / "source" / name).iterdir()}
        assert tracked - {path.name for path in (unpacked / name).iterdir()} == set()


def test_an_sdist_tests_itself(unpacked):
    chosen = ["tests/test_public.py", "tests/test_packaging.py", "tests/storage/test_old_names.py"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-m", "not slow", "-p", "no:cacheprovider", *chosen],
        cwd=unpacked,
        env={**os.environ, "PYTHONPATH": f"{unpacked}{os.pathsep}{unpacked / 'gui'}"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:]
