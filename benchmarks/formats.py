"""How fast files of other programs are read: ``python benchmarks/formats.py``.

Text with decimal commas, Excel sheets and Parquet files with very many columns, against pandas, at
shapes drawn at random, on one thread, by CPU time, in turns. The numbers are the same. Exits with 1
if a goal is missed. See README.md.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from race import Duel, fight, text
from threadpoolctl import threadpool_limits

from fsops import ExampleSet, operators

VALUES = 500_000
COLUMNS, PART = 200_000, 10
"""Columns of the wide Parquet file; pandas gets a file with a tenth of them."""
GOAL = 1.0
GOAL_WIDE = 5.0  # seconds for 200,000 columns


def frame_of(rows: int, columns: int, seed: int) -> Any:
    import pandas as pd

    X = np.random.default_rng(seed).normal(7, 2, (rows, columns)).round(4)
    return pd.DataFrame(X, columns=[f"gene{j}" for j in range(columns)])


def identical(theirs: Any, ours: ExampleSet) -> str:
    np.testing.assert_array_equal(theirs.to_numpy(), ours.numeric())
    return "identical"


def comma_duel(rng: np.random.Generator, folder: Path) -> Duel:
    """Return the race for text with decimal commas."""
    import pandas as pd

    rows = int(rng.integers(40, 400))
    frame = frame_of(rows, VALUES // rows, int(rng.integers(2**31)))
    file = str(folder / "comma.csv")
    frame.to_csv(file, sep=";", decimal=",", index=False)
    return Duel(
        "decimal comma",
        text(frame.shape),
        "pandas read_csv",
        "pandas",
        lambda: pd.read_csv(file, sep=";", decimal=","),
        lambda: operators.read_csv(path=file, column_separator=";", decimal_character=","),
        identical,
        GOAL,
    )


def excel_duel(rng: np.random.Generator, folder: Path) -> Duel:
    """Return the race for an Excel sheet."""
    import pandas as pd

    rows = int(rng.integers(40, 400))
    frame = frame_of(rows, VALUES // 10 // rows, int(rng.integers(2**31)))
    file = str(folder / "sheet.xlsx")
    frame.to_excel(file, index=False)
    return Duel(
        "Excel",
        text(frame.shape),
        "pandas read_excel",
        "pandas",
        lambda: pd.read_excel(file),
        lambda: operators.read_excel(path=file),
        identical,
        GOAL,
    )


def parquet_duel(rng: np.random.Generator, folder: Path) -> Duel:
    """Return the race for a wide Parquet file; each reads its own file of the same numbers."""
    import pandas as pd

    frame = frame_of(int(rng.integers(10, 60)), COLUMNS, int(rng.integers(2**31)))
    theirs, ours = str(folder / "theirs.parquet"), str(folder / "ours.parquet")
    part = frame.iloc[:, : COLUMNS // PART]
    part.to_parquet(theirs)
    table = ExampleSet.from_numpy(frame.to_numpy(), names=list(frame.columns))
    operators.write_parquet(table, path=ours)
    return Duel(
        "wide Parquet",
        text(frame.shape),
        "pandas read_parquet",
        "pandas",
        lambda: pd.read_parquet(theirs),
        lambda: operators.read_parquet(path=ours),
        lambda a, b: identical(a, b.select(part.columns)),
        GOAL,
        scale=PART,
    )


def duels(seed: int, folder: Path) -> Iterator[Duel]:
    """Yield the races of a seed; their files are written to the folder."""
    rng = np.random.default_rng(seed)
    for make in (comma_duel, excel_duel, parquet_duel):
        yield make(rng, folder)


def show_wide(rows: int = 24) -> bool:
    """Print how long a file with 200,000 columns takes; whether the goal is reached."""
    table = ExampleSet.from_numpy(frame_of(rows, COLUMNS, 0).to_numpy())
    with tempfile.TemporaryDirectory() as name:
        file = str(Path(name) / "wide.parquet")
        began = time.process_time()
        operators.write_parquet(table, path=file)
        written = time.process_time()
        operators.read_parquet(path=file)
        read = time.process_time() - written
    print(
        f"Parquet of {rows} × {COLUMNS:,}: written in {written - began:.1f} s, "
        f"read in {read:.1f} s (goal ≤ {GOAL_WIDE:g} s)" + "  MISSED" * (read > GOAL_WIDE)
    )
    return read <= GOAL_WIDE


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("--seed", type=int, help="of shapes and values; a new one if not given")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    seed = secrets.randbelow(10**6) if options.seed is None else options.seed
    print(f"seed {seed}")
    with threadpool_limits(1), tempfile.TemporaryDirectory() as folder:
        reached = [fight(duel, 1) for duel in duels(seed, Path(folder))]
        reached.append(show_wide())
    return 0 if all(reached) else 1


if __name__ == "__main__":
    sys.exit(main())
