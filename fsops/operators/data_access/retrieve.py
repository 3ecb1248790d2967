"""Operators for data with a name: samples, and stored results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from fsops.core import Aliases, Context, File, Named, operator
from fsops.data import FlowObject, MetaData, metadata_of
from fsops.errors import StorageError, UsageError, did_you_mean, quoted
from fsops.plugins import Sample, plugins
from fsops.storage.repository import (
    RAPIDMINER_VARIABLE,
    REPOSITORY,
    entry_names,
    entry_path,
    find_entry,
    load_entry,
    store_entry,
)

SAMPLES = "//Samples/"
AS_IN_RAPIDMINER = ("golf",)
"""Samples that have the same columns as RapidMiner's table of that name."""


def _found(entry: str, ctx: Context | None = None) -> FlowObject | Sample:
    """Return the result stored under a name, else the sample of that name."""
    found = find_entry(entry) if entry else None
    if found is not None:
        return load_entry(found)
    name = entry.rpartition("/")[2]
    if entry.startswith(SAMPLES) and name.lower() not in AS_IN_RAPIDMINER and not _named(name):
        raise StorageError(
            f"{quoted(entry)} is a table of RapidMiner that is not here.",
            hint=f"Set the environment variable {RAPIDMINER_VARIABLE} to the folder that holds "
            f"data/{name}.ioo of RapidMiner.",
        )
    hint = did_you_mean(name, entry_names(entry)) if entry else ""
    if hint and name.lower() not in plugins().samples:
        raise StorageError(f'Nothing is stored under "{name}".', hint=hint)
    if entry.startswith(REPOSITORY) or "/../" in entry:  # as RapidMiner names its data
        return _sample_for_rapidminer(name, ctx)
    return plugins().sample(name)


def _named(name: str) -> bool:
    """Return whether a sample of fsops has a name."""
    try:
        plugins().sample(name)
    except UsageError:
        return False
    return True


def _sample_for_rapidminer(name: str, ctx: Context | None) -> Sample:
    """Return the sample of a name that may mean a table of RapidMiner."""
    advice = f"set {RAPIDMINER_VARIABLE} to the folder with its .ioo files"
    try:
        sample = plugins().sample(name)
    except UsageError:
        raise StorageError(
            f'Nothing is stored under "{name}" there, and no sample has that name.',
            hint=f"If it is a table of RapidMiner, {advice}.",
        ) from None
    if ctx is not None and sample.name not in AS_IN_RAPIDMINER:
        ctx.warn(
            f'Nothing is stored under "{name}" there: this is the sample {sample.name} of fsops. '
            f"RapidMiner's data of this name has other attributes: {advice}."
        )
    return sample


def _describe_entry(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    found = _found(parameters["repository_entry"])
    return found.metadata() if isinstance(found, Sample) else metadata_of(found)


@operator(
    group="Data access",
    role="source",
    describe=_describe_entry,
    aliases=Aliases(ports={"output": "examples"}),
    tags=("sample", "load", "open", "example data", "repository"),
)
def retrieve(
    *,
    repository_entry: Annotated[
        str,
        File(noun="the name of data", resolve=find_entry),
        Field(description='Name of the data, such as "iris".', examples=["iris"]),
    ],
    ctx: Context,
) -> Annotated[FlowObject, Named("examples", "The table, weights or performance of that name.")]:
    """Retrieve

    Brings data into the process by name: a result of Store, a sample (golf, iris, wine, breast
    cancer, diabetes, digits), or data of a plugin. For your own files use Read CSV, or give a file
    a name with ``fsops data add``.

    A name such as ``data/heart`` is looked for in the folder of the process file, and ``//Local
    Repository/data/heart`` in the folder that the environment variable FSOPS_REPOSITORY names (if
    it is not set, ``fsops/repository`` among your application data). Tables of RapidMiner
    (``Iris.ioo``) are found there, too, and in the folder that FSOPS_RAPIDMINER names, where
    ``//Samples/data/Iris`` is ``data/Iris.ioo`` or ``Iris.ioo``. If no such file exists, the last
    part of the name selects a sample. Its attributes may have other names than in RapidMiner. For
    samples upper and lower case, spaces and underscores do not matter.
    """
    found = _found(repository_entry, ctx)
    return found.load() if isinstance(found, Sample) else found


def _describe_stored(inputs: Mapping[str, MetaData], parameters: Mapping[str, Any]) -> MetaData:
    return inputs["input"]


@operator(
    group="Data access",
    role="utility",
    describe=_describe_stored,
    aliases=Aliases(ports={"through": "output"}),
    tags=("save", "keep", "repository"),
)
def store(
    input: FlowObject,
    *,
    repository_entry: Annotated[
        str,
        File(write=True, noun="a name for data", resolve=entry_path),
        Field(description="Name to store the result under."),
    ],
) -> FlowObject:
    """Store

    Stores a table, attribute weights or a performance under a name. Retrieve reads it in another
    process, bit for bit and with types and roles. An earlier result of the same name is replaced.
    The result is passed on.

    A name such as ``data/heart`` is a file in the folder of the process file
    (``data/heart.table.parquet``, ``.weights.csv`` or ``.performance.json``); a folder that is
    missing is made. ``//Local Repository/data/heart`` is one in the folder that the environment
    variable FSOPS_REPOSITORY names. Models cannot be stored, because opening a stored model could
    run foreign code.
    """
    store_entry(input, repository_entry)
    return input
