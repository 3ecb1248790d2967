"""Check that every process still gives the same bytes: ``make identical``.

The SHA-256 of each result of each process under ``processes/`` is compared with the recorded one,
and so are the results of the Python script exported from it. Record them before a change that must
not touch any number, and compare afterwards::

    python benchmarks/identical.py --record before.json
    python benchmarks/identical.py --against before.json

Without arguments the hashes in ``benchmarks/identical.json`` are used. They hold for the machine
and the libraries named there; elsewhere the last bits may differ, so record them from a commit that
you trust (``--source FOLDER`` runs another checkout).
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy  # noqa: F401 - loads BLAS
from threadpoolctl import threadpool_info

ROOT = Path(__file__).resolve().parents[1]
RECORDED = Path(__file__).with_suffix(".json")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas", "pyarrow", "numba")
WORKERS = 2

PROCESS = """
import sys, json
from fsops import read_process, run
from fsops.testing.digest import digest
print(json.dumps([digest(result) for result in run(read_process(sys.argv[1]))]))
"""
SCRIPT = """
import sys, json
from fsops.testing.digest import digest
names = {"__name__": "exported", "__file__": sys.argv[1]}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), names)
print(json.dumps([digest(result) for result in names["main"]()]))
"""


def hashes(source: Path, file: Path) -> dict[str, Any]:
    """Return the hashes of a process and of its exported script, or why there is none."""
    began = time.perf_counter()
    found: dict[str, Any] = {"process": output_of(source, "-c", PROCESS, str(file))}
    with tempfile.TemporaryDirectory() as folder:
        # The script must lie where the process lies: relative file names start there.
        script = Path(folder, "exported.py")
        exported = output_of(
            source, "-m", "fsops", "export", str(file), "--to", "python", "--out", str(script),
            parse=False,
        )  # fmt: skip
        found["script"] = (
            output_of(source, "-c", SCRIPT, str(script)) if script.exists() else exported
        )
    print(f"{file.relative_to(source)}: {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return found


def output_of(source: Path, *arguments: str, parse: bool = True) -> Any:
    """Return what a Python program of that checkout prints; its last error line if it fails."""
    environment = {**os.environ, "PYTHONPATH": f"{source}{os.pathsep}{source / 'gui'}"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *arguments],
        capture_output=True, text=True, env=environment, cwd=source, check=False,
    )  # fmt: skip
    if done.returncode:
        return "failed: " + (done.stderr.strip().splitlines() or ["no message"])[-1]
    return json.loads(done.stdout.splitlines()[-1]) if parse else done.stdout


def recorded(source: Path) -> dict[str, Any]:
    """Return the hashes of all processes of a checkout, and where they were made."""
    files = sorted((source / "processes").rglob("*.xml"))
    with ThreadPoolExecutor(WORKERS) as pool:
        found = list(pool.map(lambda file: hashes(source, file), files))
    names = [file.relative_to(source).as_posix() for file in files]
    # BLAS, which numpy loads, has other kernels for other processors, and they round differently.
    kernels = " ".join(sorted({str(blas["architecture"]) for blas in threadpool_info()}))
    return {
        "machine": f"{platform.machine()} {kernels}, Python {platform.python_version()}",
        "libraries": {name: version(name) for name in LIBRARIES},
        "hashes": dict(zip(names, found, strict=True)),
    }


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Return a line for each thing that is not as it was."""
    for part in ("machine", "libraries"):
        if before[part] != now[part]:
            yield f"{part}: recorded with {before[part]}, now {now[part]}"
    for name, old in before["hashes"].items():
        for kind, value in old.items():
            new = now["hashes"].get(name, {}).get(kind, "missing")
            if new != value:
                yield f"{name}, {kind}: {value} is now {new}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, default=ROOT, help="checkout to run")
    parser.add_argument("--record", type=Path, help="write the hashes to this file")
    parser.add_argument("--against", type=Path, default=RECORDED, help="file to compare with")
    given = parser.parse_args()
    now = recorded(given.source.resolve())
    if given.record:
        given.record.write_text(json.dumps(now, indent=1) + "\n", encoding="utf-8")
        return 0
    found = list(differences(json.loads(given.against.read_text(encoding="utf-8")), now))
    print("\n".join(found) or f"{len(now['hashes'])} processes: all results are identical.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
