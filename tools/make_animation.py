"""Records a guided study as docs/designer/guided_study.webp: python tools/make_animation.py.

The window is the real one, offscreen, and the study really runs. An orange frame marks the next
click. ``--frames DIR`` also writes every picture as a PNG. Look at them before you keep the file.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from make_screenshots import FOLDER, PATIENCE, Stage, begin_study, picture_of, program

FILE = FOLDER / "guided_study.webp"
WINDOW = (1440, 900)
SHARPNESS = 1.0
SHOWN = 1200
"""Milliseconds of a frame; the last one is shown three times as long."""
LARGEST = 1_500_000
MARGIN = 6
"""Points between a widget that is clicked and the frame around it."""


def frame(stage: Stage, target: Any = None) -> Any:
    """Return the window as it is now, with a frame around the widget that is clicked next."""
    from PIL import ImageDraw
    from PyQt6.QtCore import QPoint

    stage.settle(0.2)
    picture = picture_of(stage.window, SHARPNESS)
    if target is not None:
        start = target.mapTo(stage.window, QPoint(-MARGIN, -MARGIN))
        end = target.mapTo(stage.window, QPoint(target.width(), target.height()))
        box = [start.x(), start.y(), end.x() + MARGIN, end.y() + MARGIN]
        ImageDraw.Draw(picture).rounded_rectangle(
            [SHARPNESS * value for value in box], 12, outline="#d9480f", width=4
        )
    return picture


def guided_study(stage: Stage) -> Iterator[Any]:
    """Go through a study and yield the frames."""
    from PyQt6.QtWidgets import QPushButton

    stage.act("show_start")
    stage.settle(4.0)  # the pictures of the examples are drawn one by one
    buttons = stage.window.findChildren(QPushButton)
    yield frame(stage, next(b for b in buttons if b.text() == " Choose a table…" and b.isVisible()))
    page = begin_study(stage)
    screen = page.table_screen
    repair = screen.summaries["error"].button
    yield frame(stage, repair)
    repair.click()
    stage.settle(2.0)
    yield frame(stage, page.next)
    page.next.click()
    stage.settle()
    yield frame(stage, page.next)
    page.next.click()
    methods = page.methods_screen
    stage.wait(lambda: methods.costs is not None)
    stage.wait(lambda: all(methods.cost(key) is not None for key in methods.cards))
    more = methods.cards["weight_by_random_forest"]  # takes long enough to show the run
    yield frame(stage, more)
    more.box.click()
    yield frame(stage, page.next)
    page.next.click()
    yield from running_study(stage, page.answer_screen)
    yield frame(stage)
    bar = page.answer_screen.verticalScrollBar()
    bar.setValue(bar.maximum())
    yield frame(stage, page.next)
    page.next.click()
    stage.make_room(*stage.window.docks)
    stage.act("zoom_fit")
    stage.settle(2.0)
    yield frame(stage)


def running_study(stage: Stage, screen: Any) -> Iterator[Any]:
    """Yield frames of the run, and wait for the answer."""
    from PyQt6.QtWidgets import QLabel

    def halfway() -> bool:
        bars = [line.bar for line in screen.steps.values()]
        return any(0.4 <= bar.value() / bar.maximum() < 1 for bar in bars)

    def known() -> bool:
        texts = [label.text() for label in screen.findChildren(QLabel)]
        return screen.answer is not None or any(t.startswith("Known so far") for t in texts)

    stage.wait(lambda: halfway() or known())
    yield frame(stage)
    stage.wait(known)
    if screen.answer is None:
        yield frame(stage)
    if not stage.wait(lambda: screen.answer is not None, 3 * PATIENCE):
        raise SystemExit("The study did not end.")
    stage.settle(2.0)


def animation(frames: list[Any]) -> bytes:
    """Return the frames as an animated WebP."""
    file = io.BytesIO()
    times = [SHOWN] * (len(frames) - 1) + [3 * SHOWN]
    frames[0].save(
        file, "WEBP", save_all=True, append_images=frames[1:], duration=times, loop=0,
        quality=80, method=6, minimize_size=True,
    )  # fmt: skip
    return file.getvalue()


def main() -> int:
    """Record the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--frames", type=Path, metavar="DIR", help="also write each frame here")
    parser.add_argument("--theme", choices=("light", "dark"), default="light")
    asked = parser.parse_args()
    with program() as registry:
        from fsops_gui.base.theme import apply_theme

        apply_theme(asked.theme)
        stage = Stage(registry, WINDOW)
        try:
            frames = list(guided_study(stage))
        finally:
            stage.close()
    if asked.frames is not None:
        asked.frames.mkdir(parents=True, exist_ok=True)
        for number, picture in enumerate(frames, 1):
            picture.save(asked.frames / f"frame_{number:02d}.png")
    data = animation(frames)
    if len(data) > LARGEST:
        raise SystemExit(f"The animation takes {len(data):,} bytes; {LARGEST:,} are allowed.")
    FILE.write_bytes(data)
    sys.stdout.write(f"{FILE.name}  {len(frames)} frames  {len(data) / 1000:.0f} KB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
