"""Well-known public data sets from a folder of the user's."""

import dataclasses
import hashlib
import socket
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from fsops import datasets
from fsops.datasets import DATASETS, dataset, fetch, find_dataset
from fsops.errors import StorageError, UsageError

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
FILE = "age,kind,leak,label\n1,1,0,a\n2,2,1,b\n3,1,0,a\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Return the folder that is named for data sets."""
    monkeypatch.setenv("FSOPS_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


@pytest.fixture
def tiny(monkeypatch, tmp_path):
    """Return a data set of three rows; its file is in a folder beside."""
    known = dataclasses.replace(
        dataset("heart"),
        name="tiny", file="tiny.csv", sha256=hashlib.sha256(FILE.encode()).hexdigest(),
        skip=("leak",), nominal=("ki*",),
    )  # fmt: skip
    monkeypatch.setitem(datasets._BY_NAME, "tiny", known)
    (tmp_path / "tiny.csv").write_text(FILE)
    return known


def test_fetched_data_is_read_with_its_types_and_without_what_gives_the_label_away(
    folder, tiny, tmp_path
):
    assert fetch(tiny, str(tmp_path)) == folder / "tiny.csv"
    table = tiny.load()
    assert table.names == ("age", "kind", "label")
    assert table.schema.label.name == "label"
    assert table.schema.attribute("kind").value_type.is_nominal
    assert not table.schema.attribute("age").value_type.is_nominal


@pytest.mark.parametrize("source", ["tiny.csv", ""])
def test_a_file_a_folder_or_an_address_will_do(folder, tiny, tmp_path, source):
    fetch(tiny, str(tmp_path / source))
    fetch(tiny, (tmp_path / "tiny.csv").as_uri(), replace=True)
    assert len(tiny.load()) == 3


def test_nothing_is_replaced_unasked(folder, tiny, tmp_path):
    folder.mkdir()
    (folder / "tiny.csv").write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        fetch(tiny, str(tmp_path))
    assert (folder / "tiny.csv").read_text() == "mine"


def test_another_file_is_refused_and_leaves_nothing_behind(folder, tiny, tmp_path):
    (tmp_path / "tiny.csv").write_text(FILE + "4,1,0,a\n")
    with pytest.raises(StorageError, match='not the file that is known as "tiny"'):
        fetch(tiny, str(tmp_path))
    assert list(folder.iterdir()) == []


def test_a_file_that_was_changed_in_its_place_is_refused(folder, tiny, tmp_path):
    fetch(tiny, str(tmp_path))
    tiny.load()
    (folder / "tiny.csv").write_text(FILE.replace("3,1", "3,2"))
    with pytest.raises(StorageError, match="SHA-256 begins with"):
        tiny.load()


def test_a_missing_file_is_told_with_what_to_do(folder, tiny):
    with pytest.raises(StorageError, match='The data set "tiny" is not here') as caught:
        tiny.load()
    for word in (tiny.origin, tiny.source, "tiny.csv", str(folder), "fsops data fetch tiny"):
        assert word in str(caught.value)


def test_without_a_folder_the_variable_is_named(monkeypatch, tiny):
    monkeypatch.delenv("FSOPS_DATA", raising=False)
    with pytest.raises(StorageError, match="name the folder in FSOPS_DATA"):
        tiny.load()
    with pytest.raises(UsageError, match="FSOPS_DATA"):
        fetch(tiny, "somewhere")


def test_a_source_that_cannot_be_read_is_told(folder, tiny, tmp_path):
    with pytest.raises(StorageError, match="cannot be read"):
        fetch(tiny, str(tmp_path / "nowhere.csv"))
    with pytest.raises(StorageError, match="cannot be read"):
        fetch(tiny, (tmp_path / "nowhere.csv").as_uri())


@pytest.fixture
def answering():
    """Return a function that starts a server with one answer, and gives its address."""
    with ExitStack() as stack:

        def start(answer):
            listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))

            def serve():
                connection, _ = listening.accept()
                with connection:
                    connection.recv(2**16)
                    connection.sendall(answer)

            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            stack.callback(thread.join, 10)
            return f"http://127.0.0.1:{listening.getsockname()[1]}/tiny.csv"

        yield start


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nage,kind",
        b"something else\r\n\r\n",
        b"",
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=["cut off", "no web server", "nothing", "not found"],
)
def test_an_answer_that_is_none_is_told(folder, tiny, answering, answer):
    address = answering(answer)
    with pytest.raises(StorageError, match="cannot be read") as caught:
        fetch(tiny, address)
    assert address in str(caught.value)
    assert list(folder.iterdir()) == []


def test_another_file_of_a_server_is_told_with_its_address(folder, tiny, answering):
    address = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc")
    with pytest.raises(StorageError, match="is not the file") as caught:
        fetch(tiny, address)
    assert f'"{address}"' in str(caught.value)


@pytest.mark.parametrize("address", ["http://h:abc/", "http://a b/", "http://[::1/", "https://"])
def test_an_address_that_is_none_is_told(folder, tiny, address):
    with pytest.raises(StorageError, match="cannot be read") as caught:
        fetch(tiny, address)
    assert address in str(caught.value)


@pytest.mark.parametrize("name", ["colon", "Colon", " COLON "])
def test_case_and_spaces_do_not_matter(name):
    assert find_dataset(name) is dataset("colon")
    assert find_dataset("credit g") is find_dataset("Credit-G")


def test_an_unknown_name_gets_a_suggestion():
    with pytest.raises(UsageError, match='Did you mean "leukemia"'):
        dataset("leukaemia")


def test_names_files_and_checksums_are_different():
    for what in ("name", "file", "sha256"):
        assert len({getattr(known, what) for known in DATASETS}) == len(DATASETS)
    assert all(len(known.sha256) == 64 for known in DATASETS)


def test_every_data_set_is_found_by_its_name():
    assert [find_dataset(known.name) for known in DATASETS] == list(DATASETS)


@pytest.mark.parametrize("known", DATASETS, ids=lambda known: known.name)
def test_the_file_is_as_described(known, monkeypatch):
    if not (SHARED / known.file).exists():
        pytest.skip("the shared data folder is not on this machine")
    if known.attributes > 8000:  # slow to read
        content = (SHARED / known.file).read_bytes()
        known.check(SHARED / known.file, hashlib.sha256(content).hexdigest())
        return
    monkeypatch.setenv("FSOPS_DATA", str(SHARED))
    table = known.load()
    assert (len(table), len(table.schema.regular)) == (known.rows, known.attributes)
    assert table.schema.label is not None
    assert set(known.roles) <= set(table.schema.roles)
    assert table.schema.label.value_type.is_nominal == (known.name != "boston")
