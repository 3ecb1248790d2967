"""``fsops gui`` from the outside; the window itself is tested in tests/gui."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
# Where PyQt6 is installed it is hidden, so that the answer is the same with and without it.
HIDDEN = "import sys; sys.modules['PyQt6'] = None; from fsops.cli import main; main()"


def test_without_pyqt6_a_sentence_says_what_to_install():
    command = [sys.executable, "-c", HIDDEN, "gui"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "The designer needs PyQt6, which is not installed." in ended.stderr
    assert 'Install it with: pip install "fsops[gui]"' in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_library_that_pyqt6_misses_is_named(tmp_path):
    """As on a server: PyQt6 is there, but libEGL is not."""
    package = tmp_path / "PyQt6"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('libEGL.so.1: cannot open it')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from fsops.cli import main; main()"
    command = [sys.executable, "-c", code, "gui"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "libEGL.so.1" in ended.stderr
    assert "apt install" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere there always is a screen")
def test_without_a_screen_a_sentence_says_so():
    pytest.importorskip("PyQt6")
    screens = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    outside = {name: value for name, value in os.environ.items() if name not in screens}
    command = [sys.executable, "-c", "from fsops.cli import main; main()", "gui"]
    ended = subprocess.run(
        command, capture_output=True, text=True, timeout=60, check=False, env=outside
    )
    assert ended.returncode == 2
    assert "There is no screen" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_fsops_does_not_import_the_designer():
    code = "import sys, fsops, fsops.cli.app; assert not {'PyQt6', 'fsops_gui'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, cwd=ROOT)


def test_no_other_test_needs_qt():
    """The tests outside tests/gui pass where PyQt6 is not installed; CI runs them there first."""
    tests = ROOT / "tests"
    apart = {tests / "gui", Path(__file__)}
    files = [f for f in tests.rglob("*.py") if not apart & {f, *f.parents}]
    needs = ("import PyQt6", "from PyQt6", "import fsops_gui", "from fsops_gui", "qtbot")
    assert [f.name for f in files if any(word in f.read_text("utf-8") for word in needs)] == []
