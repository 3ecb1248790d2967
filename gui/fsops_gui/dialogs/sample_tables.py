"""Tables for a first study, for those who have none at hand. No Qt here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.storage.files import write_bytes
from fsops_gui.base.settings import samples_folder
from fsops_gui.base.texts import tr

NOISE = "noise"
ROWS, COLUMNS, SEED = 60, 300, 2001
"""Of the table without any signal."""


def sample_tables() -> dict[str, str]:
    """Return the names of the tables, and their titles."""
    return {"breast cancer": tr("Breast cancer"), "wine": tr("Wine"), NOISE: tr("Pure noise")}


def sample_file(name: str) -> Path:
    """Return the file of a table; it is written when it is first asked for."""
    file = samples_folder() / f"{name.replace(' ', '_')}.csv"
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(file, _content(name))
    return file


def _content(name: str) -> bytes:
    import pandas as pd

    from fsops.operators import retrieve

    if name == NOISE:
        values: npt.NDArray[np.float64] = np.random.default_rng(SEED).normal(size=(ROWS, COLUMNS))
        frame = pd.DataFrame(values.round(3), columns=[f"gene_{n + 1}" for n in range(COLUMNS)])
        frame["diagnosis"] = np.where(np.arange(ROWS) % 2, "ill", "well")
    else:
        read: Any = retrieve  # a plain call: without a process
        frame = read(repository_entry=name).to_pandas()
    text: str = frame.to_csv(index=False)
    return text.encode()
