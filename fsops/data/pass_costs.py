"""Costs of passes over a table in a file: bytes that are read and bytes that are sent."""

from __future__ import annotations

from dataclasses import dataclass

from fsops.data.blocks import most_batches

HOPS = 1  # 2 if the workers cannot be reached: the scheduler of dask then passes everything on
CODE_BYTES = 4  # of the class of a row
NAME_BYTES = 24  # of the description of an attribute
CLASSES = 2
COLUMN_NUMBERS = 4  # of an attribute: weight, statistic, p-value, whether it is undefined


@dataclass(frozen=True)
class TableSize:
    """Rows and attributes of a table of doubles."""

    rows: int
    attributes: int

    @property
    def bytes(self) -> int:
        """Memory that the table would take."""
        return 8 * self.rows * self.attributes


@dataclass(frozen=True)
class Traffic:
    """Bytes that go over the network."""

    back: int
    """Statistics, whatever the number of workers."""
    to_each: int
    """Labels, chosen rows and descriptions, to each worker."""

    def __add__(self, other: Traffic) -> Traffic:
        return Traffic(self.back + other.back, self.to_each + other.to_each)

    def bytes(self, workers: int) -> int:
        """Return all bytes for so many workers."""
        return self.back + workers * self.to_each


def moments_traffic(size: TableSize, sets: int = 1, passes: int = 1) -> Traffic:
    """Return the traffic of class moments of so many sets of rows, all passes together."""
    parts = most_batches(size.bytes)
    back = 8 * (2 * CLASSES + 1) * size.attributes * parts * sets
    chosen = size.rows // 8 * sets if sets > 1 else 0
    work = NAME_BYTES * size.attributes * passes
    return Traffic(HOPS * back, HOPS * (CODE_BYTES * size.rows + chosen + work))


def columns_traffic(size: TableSize, sets: int = 1) -> Traffic:
    """Return the traffic of statistics of single attributes with all rows, such as ranks."""
    back = 8 * COLUMN_NUMBERS * size.attributes * sets
    chosen = size.rows // 8 * sets if sets > 1 else 0
    # Each worker reads the labels with its attributes.
    return Traffic(HOPS * back, HOPS * (chosen + NAME_BYTES * size.attributes * sets))


def products_traffic(size: TableSize, attributes: int, passes: int) -> Traffic:
    """Return the traffic of products of all attributes with some, in so many passes."""
    back = 8 * attributes * size.attributes * most_batches(size.bytes)
    # With each pass the means of all attributes are sent.
    work = (NAME_BYTES + 8) * size.attributes * passes
    return Traffic(HOPS * back, HOPS * work)
