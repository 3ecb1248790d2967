"""A page as PDF, printed by a Chromium that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "msedge")
PATIENCE = 120
"""Seconds for one page on a busy machine."""
OPTIONS = (
    "--headless",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--virtual-time-budget=2000",
)


def printed(page: str) -> bytes | None:
    """Return an HTML document as PDF; None if no Chromium is there, or if it fails."""
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        return None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        source, target = Path(folder, "page.html"), Path(folder, "page.pdf")
        source.write_text(page, encoding="utf-8", errors="backslashreplace")
        command = [browser, *OPTIONS, *_sandbox(), f"--user-data-dir={folder}/profile"]
        command += [f"--print-to-pdf={target}", source.as_uri()]
        try:
            subprocess.run(command, timeout=PATIENCE, check=True, capture_output=True)  # noqa: S603
            found = target.read_bytes()
        except (OSError, subprocess.SubprocessError):
            return None
    return found if found.startswith(b"%PDF") else None


def _sandbox() -> list[str]:
    """Chromium refuses to start with a sandbox for the superuser; the page has no scripts."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return ["--no-sandbox"] if is_root else []
