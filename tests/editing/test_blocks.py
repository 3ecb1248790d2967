"""Building blocks: saved, found again, inserted, and never a crash for a broken file."""

import pytest

from fsops.core.graph.process import Process
from fsops.core.graph.wiring import Connection
from fsops.editing.blocks import BlockLibrary, block_of, insert_block
from fsops.editing.layout import place_missing
from fsops.errors import FsopsError
from fsops.plugins import plugins


@pytest.fixture
def registry():
    return plugins().registry


@pytest.fixture
def library(tmp_path):
    return BlockLibrary(tmp_path / "blocks")


@pytest.fixture
def process(registry):
    made = Process("Chain")
    table = made.add(registry["retrieve"], repository_entry="iris")
    scaled = made.add(registry["normalize"], table)
    made.result(made.add(registry["weight_by_sam"], scaled))
    place_missing(made)
    return made


def test_a_block_is_saved_and_found_again(library, process):
    assert library.blocks() == []
    part = block_of(process, ["Normalize", "Weight by SAM"])
    saved = library.save("Scaled weights", "Normalizes first.", part)
    assert library.blocks() == [saved]
    assert saved.operators == ("Normalize", "Weight by SAM")
    assert saved.has("weights NORM")
    again = library.open(saved)
    assert again.connections == part.connections


def test_inserting_keeps_wires_and_feeds_the_first_operator(library, process, registry):
    saved = library.save("B", "", block_of(process, ["Normalize", "Weight by SAM"]))
    other = Process("Other")
    other.add(registry["retrieve"], repository_entry="iris")
    place_missing(other)
    names = insert_block(other, library.open(saved), (500, 300), "Retrieve")
    assert names == ["Normalize", "Weight by SAM"]
    assert Connection("Retrieve", "examples", "Normalize", "examples") in other.connections
    assert Connection("Normalize", "examples", "Weight by SAM", "examples") in other.connections
    assert min(other[name].position["x"] for name in names) == 500
    again = insert_block(other, library.open(saved))
    assert again == ["Normalize (2)", "Weight by SAM (2)"]


def test_a_name_is_used_once_whatever_its_case(library, process):
    part = block_of(process, ["Normalize"])
    first = library.save("Mine", "", part)
    with pytest.raises(FsopsError, match='already is a building block "Mine"'):
        library.save("mine", "", part)
    with pytest.raises(FsopsError, match="needs a name"):
        library.save("  ", "", part)
    other = library.save("Mi/ne", "", part)  # the same letters for a file
    assert other.file != first.file


def test_rename_and_delete(library, process):
    saved = library.save("Old", "", block_of(process, ["Normalize"]))
    new = library.rename(saved, "New", "With words.")
    assert (new.name, new.description, new.file) == ("New", "With words.", saved.file)
    assert library.rename(new, "NEW", "").name == "NEW"
    library.delete(new)
    assert library.blocks() == []
    with pytest.raises(FsopsError, match="cannot be deleted"):
        library.delete(new)


def test_broken_files_get_a_sentence(library, process):
    good = library.save("Good", "", block_of(process, ["Normalize"]))
    (library.folder / "bad.xml").write_text("<process")
    (library.folder / "empty.xml").write_text(
        '<process><operator class="process" name="P"><process/></operator></process>'
    )
    (library.folder / "folder.xml").mkdir()
    assert library.blocks() == [good]
    assert len(library.problems) == 3
    assert all("cannot be used" in text for text in library.problems)


def test_export_and_import(library, process, tmp_path):
    saved = library.save("Shared", "For others.", block_of(process, ["Normalize"]))
    library.export(saved, tmp_path / "out.xml")
    theirs = BlockLibrary(tmp_path / "theirs")
    taken = theirs.add_file(tmp_path / "out.xml")
    assert (taken.name, taken.description) == ("Shared", "For others.")


def test_relative_paths_still_find_their_data(library, registry, tmp_path):
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "t.csv").write_text("a,b\n1,2\n")
    process = Process()
    process.folder = tmp_path / "study"
    process.add(registry["read_csv"], path="t.csv")
    saved = library.save("Data", "", block_of(process, ["Read CSV"]))
    other = Process()
    other.folder = tmp_path
    insert_block(other, library.open(saved))
    assert other["Read CSV"].parameters["path"] == "study/t.csv"


def test_nothing_selected_is_refused(process):
    with pytest.raises(FsopsError, match="No operator is selected"):
        block_of(process, [])
