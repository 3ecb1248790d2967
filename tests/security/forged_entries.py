"""Forged files of the cache, each made by somebody who knows the format; started by a test.

Every entry is read as a run reads it, and its value is used. The program writes the names of the
entries whose value was believed. It must end by itself: a signal means that an entry got through.
"""

import hashlib
import io
import json
import os
import pickle
import sys
from pathlib import Path

import numpy as np

from fsops import ExampleSet
from fsops.engine.cache import ResultStore
from fsops.engine.cache.codec import encode
from fsops.engine.cache.store import MAGIC
from fsops.operators import weight_by_gini_index

KEY = "ab" + "1" * 62
OTHER = "ab" + "2" * 62


class Evil:
    """Writes to the canary when it is unpickled."""

    def __init__(self, canary):
        self.canary = canary

    def __reduce__(self):
        return os.truncate, (str(self.canary), 0)


def body(tree, *arrays):
    """Return the content of an entry: a tree, and arrays as bytes."""
    text = json.dumps(tree).encode()
    return len(text).to_bytes(8, "little") + text + b"".join(arrays)


def npy(array):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def headed(header, content=b"", version=1):
    """Return an array of numpy's format with any head."""
    head = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + len(head).to_bytes(2, "little") + head + content


def head(dtype, shape, fortran=False):
    return f"{{'descr': {dtype!r}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"


def view(dtype, offset, shape, strides, owner=None):
    pointers = npy(np.arange(64, dtype=np.uint64) * 2**32 + 0x41414141)
    tree = {"view": [owner or {"array": 0}, [dtype, offset, shape, strides]]}
    return body(tree, pointers)


def table_entry(change):
    """Return a table whose tree a function has changed."""
    codes = np.array(["no", "yes"])[np.arange(8) % 2]
    honest = encode(ExampleSet.from_numpy(np.arange(24.0).reshape(8, 3), codes))
    size = int.from_bytes(honest[:8], "little")
    tree, rest = json.loads(honest[8 : 8 + size]), bytearray(honest[8 + size :])
    return body(change(tree, rest) or tree, bytes(rest))


def fields_of(tree):
    return dict(tree["object"][1])


def with_rows(tree, rest):
    for pair in tree["object"][1]:
        if pair[0] == "n_rows":
            pair[1] = 10**9


def with_codes(tree, rest):
    at = rest.rindex(np.array([0, 1], dtype=np.int32).tobytes())
    rest[at : at + 4] = np.array([2**30], dtype=np.int32).tobytes()


def with_types(tree, rest):
    schema = dict(fields_of(tree)["schema"]["object"][1])
    schema["names"]["names"] += ["one more"]


def with_block(tree, rest):
    block = fields_of(tree)["_blocks"]["tuple"][0]
    block["object"][1] = [["values", 7], ["rows", None], ["known", {"dict": []}]]


def deep(levels):
    return b'{"list":[' * levels + b"1" + b"]}" * levels


def raw(text):
    return len(text).to_bytes(8, "little") + text


def entries(canary):
    """Return the contents of forged entries by name."""
    pickled = pickle.dumps(Evil(canary))
    evil = np.frombuffer(pickled, dtype=np.uint8)
    call = {"partial": [{"name": "os:system"}, {"tuple": [f"> {canary}"]}, {"dict": []}]}
    objects = io.BytesIO()
    np.lib.format.write_array(objects, np.array([Evil(canary)], dtype=object), allow_pickle=True)
    one = {"array": 0}
    return {
        "a view of objects": view("|O", 0, [64], [8]),
        "a view of objects by size": view("O8", 0, [8, 8], [64, 8]),
        "a view of records with objects": view("i8,O", 0, [32], [16]),
        "a view of arrays of objects": view("(2,)O", 0, [32], [16]),
        "a view of records": view("V8", 0, [64], [8]),
        "a view before its owner": view("<f8", -8, [2], [8]),
        "a view behind its owner": view("<f8", 512, [1], [8]),
        "a view that steps out": view("<f8", 0, [65], [8]),
        "a view that steps back": view("<f8", 8, [3], [-8]),
        "a view whose steps overflow": view("<f8", 0, [3], [2**62]),
        "a view whose shape overflows": view("<f8", 0, [2**32, 2**32], [0, 0]),
        "an endless view": view("<f8", 0, [10**12], [0]),
        "a view of negative length": view("<f8", 0, [-1], [8]),
        "a view of half a length": view("<f8", 0, [1.5], [8]),
        "a view of true length": view("<f8", 0, [True], [8]),
        "a view with too few steps": view("<f8", 0, [8, 8], [8]),
        "a view of texts": view("<f8", 0, [1], [8], {"texts": [[1], ["x"]]}),
        "a view of a number": view("<f8", 0, [1], [8], 5),
        "a view of a huge text": view("<U999999999", 0, [1], [8]),
        "pickled objects": body(one, objects.getvalue()),
        "objects without a pickle": body(one, headed(head("|O", (4,)), b"A" * 32)),
        "records with objects": body(one, headed(head([("x", "|O")], (4,)), b"A" * 32)),
        "records": body(one, headed(head([("x", "<f8")], (4,)), b"A" * 32)),
        "more numbers than bytes": body(one, headed(head("<f8", (10**11,)))),
        "a shape below zero": body(one, headed(head("<f8", (-1,)), b"A" * 8)),
        "another version": body(one, headed(head("<f8", (1,)), b"A" * 8, version=3)),
        "code in a head": body(one, headed("__import__('os').truncate('x', 0)")),
        "an array that is not there": body({"array": 5}),
        "an array from the end": body({"array": -1}, npy(np.arange(3))),
        "a value from the end": body({"again": -1}),
        "a pickle as an estimator": body({"estimator": 0}, npy(evil)),
        "a command": body(call),
        "a command as a method": body({"name": "fsops.data.names:Names.__class__"}),
        "an object of the interpreter": body({"object": ["builtins:memoryview", []]}),
        "a module": body({"object": ["fsops.data.columns:np", []]}),
        "a very deep tree": raw(deep(100_000)),
        "a tree that is cut": raw(deep(50)[:-5]),
        "a table of a billion rows": table_entry(with_rows),
        "a table with codes beyond its categories": table_entry(with_codes),
        "a table with more names than columns": table_entry(with_types),
        "a table whose block is a number": table_entry(with_block),
    }


def write(store, key, content, as_key=None):
    file = store.folder / key[:2] / key
    file.parent.mkdir(exist_ok=True)
    digest = hashlib.sha256((as_key or key).encode() + b"\n" + content).digest()
    file.write_bytes(MAGIC + digest + content)
    return file


def use(value):
    """Touch every part of a value."""
    if isinstance(value, ExampleSet):
        weight_by_gini_index(value)
    repr(value)
    if isinstance(value, np.ndarray):
        value.tolist()


def main(folder, canary):
    store = ResultStore(folder)
    believed = []
    for name, content in entries(canary).items():
        write(store, KEY, content)
        found = store.get(KEY)
        if found is not None:
            believed.append(name)
            use(found.value)
    json.dump({"entries": len(entries(canary)), "believed": believed}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
