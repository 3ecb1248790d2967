"""Well-known public data sets, read from a folder of the user's.

fsops ships their descriptions, with checksums, but not the data. The folder is named by the
environment variable ``FSOPS_DATA``.
"""

from __future__ import annotations

import fnmatch
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from fsops.errors import StorageError, UsageError, did_you_mean, enumerate_names
from fsops.storage.added_data import added_data
from fsops.storage.files import replacing
from fsops.storage.repository import plain_name

if TYPE_CHECKING:
    from fsops.data import ExampleSet
    from fsops.plugins import Sample

VARIABLE = "FSOPS_DATA"
LABEL = "label"
LARGEST = 2**30
BLOCK = 2**20
PROTOCOLS = ("http", "https", "file")


@dataclass(frozen=True)
class Dataset:
    """A public data set: its file name, its contents, and its source."""

    name: str
    title: str
    rows: int
    attributes: int
    file: str
    sha256: str
    origin: str
    """Its authors."""
    source: str
    """Where it is published."""
    roles: Mapping[str, str] = field(default_factory=dict)
    """Columns that are not features, besides the label."""
    skip: tuple[str, ...] = ()
    """Columns that would give the label away."""
    nominal: tuple[str, ...] = ()
    """Columns, or patterns of their names, whose numbers stand for categories."""

    def path(self) -> Path | None:
        """Return where its file is, or should be; None if no folder is known."""
        folder = data_folder()
        return None if folder is None else folder / self.file

    def load(self) -> ExampleSet:
        """Return the table; if its file is missing or another one, say what to do."""
        path = self.path()
        if path is None or not path.is_file():
            raise StorageError(f'The data set "{self.name}" is not here.', hint=self.how_to_get())
        state = path.stat()
        return _loaded(self.name, path, state.st_size, state.st_mtime_ns)

    def how_to_get(self) -> str:
        """Return in words how the file comes to its place."""
        path = self.path()
        where = (
            f"Put it into a folder, and name the folder in {VARIABLE}"
            if path is None
            else f'Put it there: "{path}"'
        )
        return (
            f"{self.published()} fsops knows it as the file {self.file}. {where}; or copy it with: "
            f"fsops data fetch {self.name} --from FOLDER"
        )

    def published(self) -> str:
        """Return in words where the data come from."""
        return f"The data are those of {self.origin}, published in: {self.source}."

    def check(self, path: Path | str, found: str) -> None:
        """Refuse a file with another checksum."""
        if found != self.sha256:
            raise StorageError(
                f'"{path}" is not the file that is known as "{self.name}": its SHA-256 begins with '
                f"{found[:12]}, not {self.sha256[:12]}.",
                hint="It is damaged, or another edition of the data: read that with an operator "
                "such as Read CSV.",
            )


def data_folder() -> Path | None:
    """Return the folder with public data sets, if one is named."""
    named = os.environ.get(VARIABLE)
    return Path(named).expanduser() if named else None


def find_dataset(name: str) -> Dataset | None:
    """Return a public data set by name; case, spaces and underscores do not matter."""
    return _BY_NAME.get(plain_name(name))


def dataset(name: str) -> Dataset:
    """Return a public data set by name, or say which there are."""
    found = find_dataset(name)
    if found is None:
        names = [known.name for known in DATASETS]
        hint = did_you_mean(name, names) or f"There are {enumerate_names(names)}."
        raise UsageError(f'No public data set is known as "{name}".', hint=hint)
    return found


def find_data(name: str) -> Dataset | Sample:
    """Return a public data set, a sample of fsops or of a plugin, or added data, by name."""
    known = find_dataset(name)
    if known is not None:
        return known
    from fsops.plugins import plugins

    try:
        return plugins().sample(name)
    except UsageError:
        added = {plain_name(sample.name): sample for sample in added_data()}
        if plain_name(name) in added:
            return added[plain_name(name)]
        names = [*plugins().samples, *(public.name for public in DATASETS), *added]
        hint = did_you_mean(name, names) or "List all with: fsops data list"
        raise UsageError(f'There is no data called "{name}".', hint=hint) from None


def fetch(known: Dataset, source: str, *, replace: bool = False) -> Path:
    """Copy a data set from a folder, file or address into the user's folder; return its place.

    Only a file with the right checksum takes its place.
    """
    target = known.path()
    if target is None:
        raise UsageError(
            "There is no folder for data sets.",
            hint=f"Name one in the environment variable {VARIABLE}.",
        )
    if os.path.lexists(target) and not replace:
        raise UsageError(f'"{target}" exists.', hint="Replace it with --force.")
    target.parent.mkdir(parents=True, exist_ok=True)
    with closing(_opened(known, source)) as given, replacing(target, follow=False) as file:
        digest = hashlib.sha256()
        while block := _block(given, source):
            digest.update(block)
            file.write(block)
            if file.tell() > LARGEST:
                raise StorageError(f"{source} gives more than {LARGEST >> 20} MB.")
        known.check(source, digest.hexdigest())
    return target


def _opened(known: Dataset, source: str) -> BinaryIO:
    """Return the opened source of the copy."""
    if source.partition("://")[0] in PROTOCOLS:
        from urllib.request import urlopen

        with _readable(source):
            response: BinaryIO = urlopen(source, timeout=60)  # noqa: S310 # nosec B310
        return response
    path = Path(source).expanduser()
    path = path / known.file if path.is_dir() else path
    try:
        return path.open("rb")
    except OSError as error:
        raise StorageError(f'"{path}" cannot be read: {error.strerror}.') from None


def _block(given: BinaryIO, source: str) -> bytes:
    with _readable(source):
        return given.read(BLOCK)


@contextmanager
def _readable(source: str) -> Iterator[None]:
    """Describe the problem of a source: the address, the connection or the answer."""
    from http.client import HTTPException, InvalidURL

    try:
        yield
    except (OSError, ValueError, InvalidURL) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise StorageError(f"{source} cannot be read: {reason}.") from None
    except HTTPException:
        raise StorageError(
            f"{source} cannot be read: the answer is not complete, or not one of a web server."
        ) from None


@lru_cache(maxsize=2)
def _loaded(name: str, path: Path, size: int, modified: int) -> ExampleSet:
    """Return the table in a file that has not changed since."""
    known = dataset(name)
    with path.open("rb") as file:
        known.check(path, hashlib.file_digest(file, "sha256").hexdigest())
    roles = {LABEL: "label", **known.roles}
    if path.suffix == ".parquet":
        from fsops.storage.parquet import read_parquet_table

        return read_parquet_table(str(path), roles=roles, types={}, skip=known.skip)
    from fsops.storage.tables import read_table
    from fsops.storage.text_files import CsvFormat

    types = _types(known, path)
    layout = CsvFormat(types=types, roles=tuple(roles.items()), skip=known.skip)
    return read_table(str(path), layout)[0]


def _types(known: Dataset, path: Path) -> tuple[tuple[str, str], ...]:
    """Return the columns of a text file whose numbers stand for categories."""
    with path.open(encoding="utf-8") as file:
        names = file.readline().strip().split(",")
    patterns = known.nominal
    return tuple(
        (name, "nominal")
        for name in names
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    )


DATASETS = (
    Dataset(
        "colon",
        "Colon tumours and normal tissue",
        62,
        2000,
        "colon_alon.parquet",
        "a9e0ef482aecb76d94ddaba4a66a5b2b0ed93f6b8e5662fa061f12cb04e9d1d9",
        "Alon et al. (1999)",
        "R package plsgenomics (Colon)",
    ),
    Dataset(
        "leukemia",
        "Acute leukemia, ALL or AML",
        72,
        7129,
        "leukemia_golub.parquet",
        "6bfb34e2935c010d4f3358c9c38bdc3d8ed4635baa370d0bd4825bcc06a8b0de",
        "Golub et al. (1999)",
        "R package datamicroarray (golub)",
        roles={"split": "split", "sample_id": "id"},
    ),
    Dataset(
        "prostate",
        "Prostate tumours and normal tissue",
        102,
        12600,
        "prostate_singh.parquet",
        "38221cd97bc8bfdc9a675823e6d5008993a3ecc9d1a2d363c8a667148756a67b",
        "Singh et al. (2002)",
        "R package datamicroarray (singh)",
    ),
    Dataset(
        "prostate_ge",
        "The same, log scaled and filtered",
        102,
        5966,
        "prostate_ge_5966.parquet",
        "6d8e97b419c1ec628956c1eb1471a64b4f41e930d645a6c0c6d0eaba30d232d9",
        "Singh et al. (2002)",
        "ASU feature selection repository (Prostate-GE)",
    ),
    Dataset(
        "dlbcl",
        "Diffuse large B-cell or follicular lymphoma",
        77,
        7129,
        "dlbcl_shipp.parquet",
        "32f31ab11f44d61d9094d8c18455e6fc67a3a3662873021322d59ee10c28cae4",
        "Shipp et al. (2002)",
        "R package datamicroarray (shipp)",
    ),
    Dataset(
        "lung",
        "Lung adenocarcinoma or mesothelioma",
        181,
        12533,
        "lung_gordon.parquet",
        "bf86151e16f34db98b3632dc106f79fd8ffece7692064e1e70df84733af2333e",
        "Gordon et al. (2002)",
        "R package datamicroarray (gordon)",
        roles={"split": "split"},
    ),
    Dataset(
        "cns",
        "Tumours of the nervous system, survived or died",
        60,
        7129,
        "cns_pomeroy.parquet",
        "80f620f8c16a3edb4467065e8534f0e111c01f680dbaa0e9415b9cf7c376e753",
        "Pomeroy et al. (2002)",
        "Kent Ridge repository (central nervous system)",
    ),
    Dataset(
        "breast",
        "Breast cancer, relapse or not; genes and 2 clinical attributes",
        78,
        4753,
        "breast_vantveer.parquet",
        "a47e8e980d63ec809f1c47df22d9197914beb230415cbce9253221b00dff7d96",
        "van 't Veer et al. (2002)",
        "R packages suffpcr and GlobalAncova",
        roles={"sample_id": "id"},
        skip=("followup_months",),
    ),
    Dataset(
        "lymphoma",
        "Lymphoma of two B-cell types",
        45,
        4026,
        "lymphoma_alizadeh_45.parquet",
        "3d69fd7a87378348b5a41dc36e534540a65827b78d0e413d864478f562792afb",
        "Alizadeh et al. (2000)",
        "GitHub: bmihaljevic/arffs (lymphoma.arff), rubenTome/E2E-FS",
        roles={"row_in_96": "id"},
    ),
    Dataset(
        "lymphoma96",
        "Lymphoma and blood cells, 9 classes, with missing values",
        96,
        4026,
        "lymphoma_alizadeh_96.parquet",
        "e877e8616bbcfb2c633e447aad0348b6bbe32eac13bc357faf6c23c4aa452ad1",
        "Alizadeh et al. (2000)",
        "GitHub: bmihaljevic/arffs (lymphoma.arff)",
    ),
    Dataset(
        "chowdary",
        "Breast or colon tumours",
        104,
        22283,
        "chowdary_22k.parquet",
        "101c466d789eec25002658bbcb30d3c0f78f1e6f811f27be8e129fb7a0d2567a",
        "Chowdary et al. (2006)",
        "R package datamicroarray (chowdary)",
    ),
    Dataset(
        "nakayama",
        "Soft tissue sarcoma, 10 classes",
        105,
        22283,
        "nakayama_22k.parquet",
        "b491ea5f6a7df58fe3df2457df5517051deb887053637d09d75c3567e97c1269",
        "Nakayama et al. (2007)",
        "R package datamicroarray (nakayama)",
    ),
    Dataset(
        "arcene",
        "Mass spectra, cancer or not, with probes",
        200,
        10000,
        "arcene.parquet",
        "1fd452e262614fc9873ec0c84fbfad5957a8a3584407502f5d693b70a9f672d8",
        "Guyon et al. (2003)",
        "UCI repository (Arcene), training and validation part",
        roles={"split": "split"},
    ),
    Dataset(
        "madelon",
        "Artificial, with probes",
        2600,
        500,
        "madelon.parquet",
        "88d9306702251da4aa9b4fac70cef690dfca07f1bb343f8f9442f4a6db5ce228",
        "Guyon et al. (2003)",
        "UCI repository (Madelon), training and validation part",
        roles={"split": "split"},
    ),
    Dataset(
        "heart",
        "Heart disease, Cleveland",
        303,
        13,
        "heart_cleveland.csv",
        "24159159e1059fb3305bcd41e32ef3b9908dbfac7730dc7ad11fc5a3d79c51d9",
        "Detrano et al. (1989)",
        "UCI repository (Heart Disease, processed.cleveland)",
        skip=("num",),
        nominal=("sex", "cp", "fbs", "restecg", "exang", "slope", "thal"),
    ),
    Dataset(
        "hepatitis",
        "Hepatitis, live or die, with missing values",
        155,
        19,
        "hepatitis.csv",
        "febbd39c41a165cfc1b2b61ad6d6913a8716e2a6e8129b7ec104a6599458ccdb",
        "UCI",
        "UCI repository (Hepatitis)",
    ),
    Dataset(
        "arrhythmia",
        "Arrhythmia, 13 classes, with missing values",
        452,
        279,
        "arrhythmia.csv",
        "53a981d829ea344220c07b988dbec05d4ae258eff4b9bb69aafd7d6e75cdb482",
        "UCI",
        "UCI repository (Arrhythmia)",
        nominal=("sex", "*Exists", LABEL),
    ),
    Dataset(
        "sonar",
        "Sonar signals, mine or rock",
        208,
        60,
        "sonar.csv",
        "03293ccb654cafbb064d92b0d2b031ebd96e2b1c0a7da9572ef62ab3d901f186",
        "Gorman, Sejnowski (1988)",
        "UCI repository (Connectionist Bench, Sonar)",
    ),
    Dataset(
        "ionosphere",
        "Radar returns, good or bad",
        351,
        34,
        "ionosphere.csv",
        "d20fcff8f56f96004e45fbeccb9e47a5d1f399d23707f4b3f2a206370b7707ac",
        "Sigillito et al. (1989)",
        "UCI repository (Ionosphere)",
    ),
    Dataset(
        "credit_g",
        "German credit, good or bad",
        1000,
        20,
        "credit_g.csv",
        "8afbc7a4e6df2b813b686d743771bd755074720179dea9667b7ab3915244acfb",
        "Hofmann (1994)",
        "UCI repository (Statlog, German Credit Data)",
    ),
    Dataset(
        "spambase",
        "E-mail, 1 for spam",
        4601,
        57,
        "spambase.csv",
        "6cd9e9fec6c7e7b58c6426e574de568a4eb8b411d4861a57451b44e8637063ff",
        "Hopkins et al. (1999)",
        "UCI repository (Spambase)",
        nominal=(LABEL,),
    ),
    Dataset(
        "parkinsons",
        "Voices, Parkinson's disease or healthy",
        195,
        22,
        "parkinsons.csv",
        "3764196ae3f7dc3da45d988e451ab643021f62ed47b4958036dc0f24c1e3267c",
        "Little et al. (2007)",
        "UCI repository (Parkinsons)",
        roles={"name": "id", "subject": "batch"},
    ),
    Dataset(
        "vowel",
        "Vowels of 15 speakers, 11 classes",
        990,
        10,
        "vowel.csv",
        "ee7b3ca0913238b351e3456dc832925d3838fd90f8dc9d3d1885d9d11df0df0f",
        "Deterding (1989)",
        "UCI repository (Connectionist Bench, Vowel Recognition)",
        roles={"split": "split", "speaker": "batch", "sex": "sex"},
    ),
    Dataset(
        "boston",
        "House prices in Boston",
        506,
        13,
        "boston.csv",
        "cf4bdceaec13e273c05285a9a81db0a966cb93bda71251d4af9c19054f0676d6",
        "Harrison, Rubinfeld (1978)",
        "GitHub: renatopp/arff-datasets (housing.arff)",
        nominal=("CHAS",),
    ),
)

_BY_NAME = {known.name: known for known in DATASETS}  # their names are plain ones
