"""Changed bytes in files of other programs: each file is read or refused in a sentence.

    python benchmarks/fuzz_files.py [--mutants 150] [--seed 1]

Writes a small valid file of each format, changes a few bytes, and reads it in a child process. The
report counts files that were read, refused, ended in an error that is not ours ("raw"), ended the
process ("died": a crash, or more than 60 s of CPU time for 25 files) or took more than 300 MB.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import io, sparse

import fsops.operators as ops
from fsops.data import ExampleSet
from fsops.errors import FsopsError

BATCH, CPU_SECONDS, MEMORY, GROWTH = 25, 60, 6 * 2**30, 300
INSERTED = [b"\xff\xff\xff\x7f", b"\0" * 8, b"99999999999", b"-1", b"nan", b"1e999", b"\n", b" "]
WORDS = [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\x80", b"\0\0\0\0"]


def valid_files(folder: Path) -> dict[str, tuple[str, str]]:
    """Write one file of each format; return operator and parameter by name."""
    import pyarrow as pa
    import pyreadstat

    rng = np.random.default_rng(0)
    X = np.where(rng.random((8, 5)) < 0.5, rng.normal(size=(8, 5)).round(3), 0.0)
    frame = pd.DataFrame(X, columns=[f"g{i}" for i in range(5)]).assign(y=list("aabbccab"))
    table = ExampleSet.from_sparse(sparse.csr_array(X), list("aabbccab"))
    text = frame.to_csv(index=False).encode()
    ops.write_svmlight(table, path=str(folder / "t.svm"))
    ops.write_anndata(table, path=str(folder / "t.h5ad"))
    ops.write_coordinates(table, path=str(folder / "t.coo.csv"))
    io.mmwrite(str(folder / "t.mtx"), sparse.coo_array(X))
    pyreadstat.write_dta(frame, str(folder / "t.dta"))
    pyreadstat.write_sav(frame, str(folder / "t.sav"))
    (folder / "t.csv.gz").write_bytes(gzip.compress(text))
    (folder / "t.csv.zst").write_bytes(pa.compress(text, "zstd", asbytes=True))
    return {
        "t.svm": ("read_svmlight", "path"),
        "t.h5ad": ("read_anndata", "path"),
        "t.coo.csv": ("read_coordinates", "path"),
        "t.mtx": ("read_matrix_market", "path"),
        "t.dta": ("read_statistics_file", "path"),
        "t.sav": ("read_statistics_file", "path"),
        "t.csv.gz": ("read_csv", "path"),
        "t.csv.zst": ("read_csv", "path"),
    }


def mutant(original: bytes, rng: random.Random) -> bytes:
    """Return the bytes with one to four changes."""
    data = bytearray(original)
    for _ in range(rng.choice([1, 1, 2, 4])):
        place = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place:]
        elif kind == 2:
            data[place:place] = rng.choice(INSERTED)
        elif kind == 3:
            data[place : place + 4] = rng.choice(WORDS)
        elif kind == 4 and data:
            other = rng.randrange(len(data))
            data[place : place + 8] = data[other : other + 8]
        else:
            del data[place : place + rng.randrange(1, 9)]
    return bytes(data)


def outcome(operator: str, parameter: str, file: Path) -> str:
    """Return how reading a file ends."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        getattr(ops, operator)(**{parameter: str(file)})
        ended = "read"
    except FsopsError as error:
        ended = "refused" if "\n" not in str(error) else f"several lines: {error!s:.200}"
    except BaseException as error:  # noqa: BLE001 - this is what we look for
        ended = f"raw {type(error).__name__}: {error!s:.200}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return ended if grown <= GROWTH else f"memory {grown:.0f} MB"


def outcomes(files: list[Path], reader: tuple[str, str]) -> list[str]:
    """Read files in a child; the file at which it ends has died."""
    answers, answer = os.pipe()
    child = os.fork()
    if not child:
        os.close(answers)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        for file in files:
            os.write(answer, outcome(*reader, file).encode(errors="replace") + b"\0")
        os._exit(0)
    os.close(answer)
    with os.fdopen(answers, "rb") as stream:
        found = stream.read().decode(errors="replace").split("\0")[:-1]
    _, status = os.waitpid(child, 0)
    return found if len(found) == len(files) else [*found, f"died with status {status}"]


def main() -> None:
    """Print counts by format, and the outcomes that must not be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mutants", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    rng, bad = random.Random(given.seed), []
    counts: dict[str, Counter[str]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file, reader in valid_files(folder).items():
            original, counts[file] = (folder / file).read_bytes(), Counter()
            for first in range(0, given.mutants, BATCH):
                made = [folder / f"{first + i}{file}" for i in range(BATCH)]
                for each in made:
                    each.write_bytes(mutant(original, rng))
                ended = outcomes(made, reader)
                counts[file].update(text.split()[0].rstrip(":") for text in ended)
                bad += [f"{file}: {text}" for text in ended if text not in ("read", "refused")]
                for each in made:
                    each.unlink()
    print(json.dumps({"files": {k: dict(v) for k, v in counts.items()}, "bad": bad}, indent=1))
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
