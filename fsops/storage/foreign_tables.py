"""Tables of other statistics programs: SPSS, Stata and SAS through pandas, R through rdata."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fsops.data import ExampleSet
from fsops.errors import (
    DataError,
    FsopsError,
    StorageError,
    did_you_mean,
    enumerate_names,
    unknown_column,
)
from fsops.storage.compressed import unpacked
from fsops.storage.text_files import existing_file
from fsops.storage.unpacking import require_for_file

if TYPE_CHECKING:
    import pandas as pd

BYTES_PER_CELL = 32
"""Memory for a cell at the peak: a text takes more than a number."""


def read_statistics_table(
    file: str, *, value_labels: bool, roles: dict[str, str], types: dict[str, str], skip: list[str]
) -> ExampleSet:
    """Return the table in a file of SPSS, Stata or SAS."""
    path = existing_file(Path(file))
    suffix = path.suffix.lower()
    try:
        if suffix in (".sav", ".zsav"):
            frame = _read_spss(path, value_labels=value_labels)
        elif suffix == ".dta":
            frame = _pandas().read_stata(path, convert_categoricals=value_labels)
        else:
            frame = _pandas().read_sas(path, encoding="infer")
    except FsopsError:
        raise
    except Exception as error:  # noqa: BLE001 - each format has errors of its own
        raise _not_such(path, "SPSS, Stata or SAS", error) from None
    return _table(frame, path, roles, types, skip)


def _read_spss(path: Path, *, value_labels: bool) -> pd.DataFrame:
    try:
        import pyreadstat
    except ImportError:
        raise _needs("SPSS files", "pyreadstat", "statistics-files") from None
    _, about = pyreadstat.read_sav(str(path), metadataonly=True)
    cells = (about.number_rows or 0) * (about.number_columns or 0)
    require_for_file(cells * BYTES_PER_CELL, path)
    frame: pd.DataFrame = _pandas().read_spss(path, convert_categoricals=value_labels)
    return frame


def read_r_table(
    file: str, *, name: str, roles: dict[str, str], types: dict[str, str], skip: list[str]
) -> ExampleSet:
    """Return a data frame in a file of R (.rds or .RData); ``name`` chooses one of several."""
    path = existing_file(Path(file))
    try:
        import rdata
    except ImportError:
        raise _needs("Files of R", "rdata", "r-files") from None
    with unpacked(path) as plain:
        try:
            found: Any = rdata.conversion.convert(
                rdata.parser.parse_file(plain, altrep_constructor_dict=_bounded_ranges(path))
            )
        except FsopsError:
            raise
        except Exception as error:  # noqa: BLE001 - rdata lets through what its parts raise
            raise _not_such(path, "R", error) from None
    frame = _chosen(found, name, path)
    if list(map(str, frame.index)) != list(map(str, range(1, len(frame) + 1))):
        first = "row.names" if "row.names" not in frame else "row.names.1"
        if list(frame.index) != list(range(len(frame))):
            frame = frame.reset_index(names=first)
            roles = {first: "id", **roles} if "id" not in roles.values() else roles
    return _table(frame, path, roles, types, skip)


def _bounded_ranges(path: Path) -> dict[bytes, Any]:
    """Return how ranges such as 1:1000000000, three numbers in the file, become arrays."""
    from rdata.parser import DEFAULT_ALTREP_MAP

    def bounded(expand: Any) -> Any:
        def expanded(state: Any) -> Any:
            require_for_file(BYTES_PER_CELL * float(state.value[0]), path)
            return expand(state)

        return expanded

    ranges = (b"compact_intseq", b"compact_realseq")
    known = dict(DEFAULT_ALTREP_MAP)
    return {name: bounded(f) if name in ranges else f for name, f in known.items()}


def _chosen(found: Any, name: str, path: Path) -> pd.DataFrame:
    frames = found if isinstance(found, dict) else {"": found}
    tables = {key: value for key, value in frames.items() if hasattr(value, "columns")}
    if name and name not in tables:
        hint = did_you_mean(name, tables) or f"There are {enumerate_names(list(tables))}."
        raise DataError(f'"{path.name}" has no data frame "{name}".', hint=hint)
    if not tables:
        raise DataError(
            f'"{path.name}" holds no data frame.',
            hint="Save one in R: saveRDS(as.data.frame(x), …).",
        )
    if not name and len(tables) > 1:
        raise DataError(
            f'"{path.name}" holds {len(tables)} data frames.',
            hint=f"Choose one with object: {enumerate_names(list(tables))}.",
        )
    frame: pd.DataFrame = tables[name] if name else next(iter(tables.values()))
    return frame


def _table(
    frame: pd.DataFrame, path: Path, roles: dict[str, str], types: dict[str, str], skip: list[str]
) -> ExampleSet:
    frame = frame.rename(columns=str)
    if not len(frame):
        raise DataError(f'"{path.name}" has no rows.')
    for name in (*roles, *skip, *types):
        if name not in frame:
            purpose = "skip" if name in skip else "give a role or type to"
            raise unknown_column(name, list(frame.columns), purpose)
    return ExampleSet.from_pandas(frame.drop(columns=skip), roles=roles, types=types)


def _pandas() -> Any:
    import pandas as pd

    return pd


def _needs(what: str, package: str, extra: str) -> StorageError:
    return StorageError(
        f"{what} need the package {package}, which is not installed.",
        hint=f'Install it with: pip install "fsops[{extra}]"',
    )


def _not_such(path: Path, program: str, error: Exception) -> DataError:
    reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
    return DataError(
        f'"{path.name}" is not a file of {program}, or is damaged: {reason}.',
        hint="Save it again, or as CSV.",
    )
