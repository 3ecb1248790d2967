"""Everything a user can meet is documented."""

import inspect
from pathlib import Path

from fsops import errors
from fsops.plugins import hookspecs

ROOT = Path(__file__).resolve().parents[2]


def test_every_hook_is_on_the_page_about_plugins():
    page = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    hooks = [name for name in vars(hookspecs) if name.startswith("fsops_")]
    assert hooks
    assert [hook for hook in hooks if hook not in page] == []


def test_every_error_says_what_it_means():
    classes = [
        c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__
    ]
    assert [c.__name__ for c in classes if not (c.__doc__ or "").strip()] == []


def test_every_room_is_in_the_guide():
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rooms = [
        p.name for p in (ROOT / "fsops").iterdir() if p.is_dir() and not p.name.startswith("_")
    ]
    assert [room for room in rooms if f"fsops/{room}/" not in guide] == []
