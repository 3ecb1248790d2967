"""Rows of many attributes in a plane: principal components and UMAP. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np
import numpy.typing as npt

from fsops_gui.base.texts import tr
from fsops_gui.panels.explore.material import Material

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
MOST_ATTRIBUTES, MOST_ROWS = 5_000, 20_000
"""Of more attributes the best are taken; more rows are placed by the axes of a sample."""
NEIGHBOURS = 15


@dataclass(frozen=True, eq=False)
class PlaneProjection:
    """A place in the plane for each row."""

    places: Floats
    titles: tuple[str, str]
    words: str


def umap_is_there() -> bool:
    """Return whether umap-learn is installed."""
    return all(find_spec(name) is not None for name in ("umap", "pynndescent"))


def project(material: Material, chosen: Ints | None, method: str = "pca") -> PlaneProjection:
    """Return the rows in a plane, from standardized attributes; it may take a while.

    Parameters
    ----------
    material : Material
    chosen : array of int, optional
        The attributes; all of them, or the best 5,000, if not given.
    method : {"pca", "umap"}
    """
    attributes = material.best[:MOST_ATTRIBUTES] if chosen is None else chosen
    values = standardised(material.matrix(np.sort(attributes)))
    used = values.shape[1]
    if used < 2 or len(values) < 3:
        raise ValueError(tr("A projection needs two attributes that vary, and three rows."))
    about = tr("{n} attributes", n=used)
    if method == "umap":
        return PlaneProjection(_umap(values), ("UMAP 1", "UMAP 2"), about)
    places, part = components(values)
    titles = tuple(
        tr("component {n} ({part} %)", n=n + 1, part=f"{100 * part[n]:.0f}") for n in range(2)
    )
    return PlaneProjection(places, (titles[0], titles[1]), about)


def standardised(values: Floats) -> Floats:
    """Return columns with mean 0 and deviation 1; constant ones are left out, gaps become 0."""
    known = np.isfinite(values)
    count = known.sum(axis=0)
    filled = np.where(known, values, 0.0)
    centre = filled.sum(axis=0) / np.maximum(count, 1)
    centred = np.where(known, values - centre, 0.0)
    spread = np.sqrt((centred**2).sum(axis=0) / np.maximum(count, 1))
    kept = spread > 1e-12 * np.maximum(np.abs(centre), 1e-300)
    result: Floats = centred[:, kept] / spread[kept]
    return result


def components(values: Floats) -> tuple[Floats, Floats]:
    """Return two principal components of centered columns, with their part of the variance.

    The sign of each is such that its largest value is positive.
    """
    rows, columns = values.shape
    seen = values[:: max(1, rows // MOST_ROWS)]
    small = seen @ seen.T if len(seen) <= columns else seen.T @ seen
    size, vectors = np.linalg.eigh(small)
    total = max(float(np.trace(small)), 1e-300)
    best = vectors[:, ::-1][:, :2]
    if len(seen) <= columns:
        best = seen.T @ best
        best = best / np.maximum(np.linalg.norm(best, axis=0), 1e-300)
    places = values @ best
    sign = np.where(np.abs(places.min(axis=0)) > places.max(axis=0), -1.0, 1.0)
    return places * sign, np.clip(size[::-1][:2], 0, None) / total


def _umap(values: Floats) -> Floats:
    from umap import UMAP

    neighbours = min(NEIGHBOURS, len(values) - 1)
    made = UMAP(n_neighbors=neighbours, random_state=0, n_jobs=1)
    return np.asarray(made.fit_transform(values), dtype=np.float64)
