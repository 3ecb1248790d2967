"""The simulations of the KNIFE paper, ours beside theirs: ``python benchmarks/papers/knife.py``.

Runs the processes in ``processes/papers/knife`` and prints their tables as Markdown. With --write
the tables go to ``docs/papers/knife.md`` too, between the comments that name them. Fifty
repetitions, as in the paper, take about eight minutes on one core; with --cache a run that was
stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fsops import read_process, run
from fsops.engine.cache import ResultStore

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "papers" / "knife.md"
CHANCE = 3.0  # standard errors
SPREAD = 50**0.5  # the brackets of the paper are deviation / 50, not deviation / sqrt(50)


@dataclass(frozen=True)
class Table:
    """A table of the paper: errors on training and test rows, and the test error's bracket."""

    file: str
    relevant: int
    rows: dict[str, tuple[float, float, float] | None]


TABLES = {
    "Table 1": Table(
        "table_1_linear.xml",
        5,
        {
            "Least squares": (0.9220, 1.0937, 0.0015),
            "Ridge": (0.9220, 1.0937, 0.0015),
            "LASSO": (0.9452, 1.0725, 0.0014),
            "Elastic net": (0.9472, 1.0746, 0.0014),
            "KNIFE": (0.9377, 1.0738, 0.0016),
        },
    ),
    "Table 2": Table(
        "table_2_sinusoidal.xml",
        5,
        {
            "Ridge": (4.8337, 6.2589, 0.0109),
            "Kernel ridge": (0.0874, 6.1239, 0.0106),
            "SIS and kernel ridge": (0.9592, 3.8119, 0.0389),
            "RFE and kernel ridge": (0.7848, 5.4386, 0.0366),
            "KNIFE radial": (2.1187, 3.5498, 0.0083),
            "KNIFE polynomial": (5.2376, 6.8591, 0.0186),
        },
    ),
    "Table 3": Table(
        "table_3_orange.xml",
        4,
        {
            "SVM": (0.0, 0.1918, 0.0006),
            "SIS and SVM": (0.0, 0.3689, 0.0016),
            "SIS of 4 and SVM": None,
            "RFE and SVM": (0.0206, 0.1937, 0.0014),
            "Linear RFE and SVM": None,
            "KNIFE and SVM": (0.0468, 0.1136, 0.0009),
        },
    ),
}


def measured(
    table: Table, repetitions: int, store: ResultStore | None
) -> tuple[dict[str, np.ndarray], str]:
    """Return the errors of each method (repetitions, 2), and what KNIFE kept."""
    process = read_process(ROOT / "processes" / "papers" / "knife" / table.file)
    with warnings.catch_warnings(action="ignore"):
        results = run(process, macros={"repetitions": str(repetitions)}, cache=store)
    errors = {
        name: np.column_stack(
            [results[0].column(f"{name} {what}") for what in ("training", "test")]
        )
        for name in table.rows
    }
    kept = np.array([weights.values > 0 for weights in results[1]])
    true, noise = kept[:, : table.relevant], kept[:, table.relevant :]
    return errors, (
        f"KNIFE kept {true.sum()} of {true.size} attributes that matter and {noise.sum()} of "
        f"{noise.size} of noise."
    )


def markdown(table: Table, repetitions: int, store: ResultStore | None = None) -> str:
    """Return the table as it stands on the page."""
    errors, kept = measured(table, repetitions, store)
    lines = [
        "| method | paper, training | paper, test | ours, training | ours, test | difference |",
        "|---|---|---|---|---|---|",
    ]
    for name, printed in table.rows.items():
        train, test = errors[name].mean(axis=0)
        error = errors[name][:, 1].std(ddof=1) / np.sqrt(repetitions) if repetitions > 1 else 0.0
        ours = f"{train:.4f} | {test:.4f} ± {error:.4f}"
        if printed is None:
            lines.append(f"| {name} | | | {ours} | |")
            continue
        theirs = printed[2] * SPREAD
        apart = (test - printed[1]) / max(np.hypot(error, theirs), 1e-12)
        lines.append(
            f"| {name} | {printed[0]:.4f} | {printed[1]:.4f} ± {theirs:.4f} | {ours} "
            f"| {apart:+.1f}{', see below' * bool(abs(apart) > CHANCE)} |"
        )
    return "\n".join([*lines, "", f"{repetitions} repetitions. {kept}"])


def with_table(page: str, name: str, table: str) -> str:
    """Return the page with a table in place of the one between the comments that name it."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = page.partition(begin)
    return f"{before}{begin}\n\n{table}\n\n{end}{rest.partition(end)[2]}"


def main() -> None:
    """Run all processes and show their tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=50)
    parser.add_argument("--table", choices=tuple(TABLES), action="append")
    parser.add_argument("--cache", type=Path, help="keep finished repetitions in this folder")
    parser.add_argument("--write", action="store_true", help="write the tables to the page")
    given = parser.parse_args()
    store = ResultStore(given.cache) if given.cache else None
    for name in given.table or TABLES:
        shown = markdown(TABLES[name], given.repetitions, store)
        print(f"{name}\n\n{shown}\n", flush=True)  # noqa: T201
        if given.write:
            page = with_table(PAGE.read_text(encoding="utf-8"), name, shown)
            PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
