import copy
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from lxml import etree

from fsops.core import Process
from fsops.core.graph.process import Note
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.core.operator import placeholder
from fsops.errors import ProcessFileError, StorageError
from fsops.storage import format_process, parse_process, read_process, write_process
from fsops.storage.process_grammar import TAGS

RAPIDMINER = Path(__file__).resolve().parents[3] / "shared/rapidminer/processes"
needs_rapidminer = pytest.mark.skipif(
    not RAPIDMINER.is_dir(), reason="RapidMiner's sample processes are not on this machine"
)

# --- files ----------------------------------------------------------------------------------------


def test_a_process_is_named_after_its_file_and_knows_its_folder(tmp_path, registry):
    path = tmp_path / "my process.xml"
    write_process(Process(), path)
    read = read_process(path, registry)
    assert read.name == "my process"
    assert read.folder == tmp_path.resolve()
    write_process(Process("Own name"), path)
    assert read_process(str(path), registry).name == "Own name"


def test_the_folder_is_absolute_however_the_file_was_named(tmp_path, registry, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_process(Process(), "a.xml")
    assert read_process("a.xml", registry).folder == tmp_path.resolve()


def test_an_error_names_file_and_place(tmp_path, registry):
    path = tmp_path / "a.xml"
    path.write_bytes(b"<process>\n<operator>")
    with pytest.raises(ProcessFileError) as caught:
        read_process(path, registry)
    assert (
        str(caught.value)
        == f'"{path}", line 2, column 11: The file ends too early: it is not complete.'
    )
    assert (caught.value.line, caught.value.column) == (2, 11)
    path.write_bytes(b"")
    with pytest.raises(ProcessFileError) as caught:
        read_process(path, registry)
    assert str(caught.value) == f'"{path}": The file is empty.'


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("missing.xml", "there is no such file"),
        ("", "it is a folder"),
        ("large.xml", "it is larger than 8 MiB"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error_of_the_process_file(
    tmp_path, registry, name, words
):
    with (tmp_path / "large.xml").open("wb") as file:
        file.truncate(200 * 2**20)
    with pytest.raises(ProcessFileError, match=f"cannot be read: {words}"):
        read_process(tmp_path / name, registry)


def test_a_process_that_cannot_be_saved_leaves_the_old_file(tmp_path, registry):
    path = tmp_path / "a.xml"
    write_process(Process("Old"), path)
    with pytest.raises(StorageError):
        write_process(Process("New \0"), path)
    assert read_process(path, registry).name == "Old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.xml"]


# --- round trips ----------------------------------------------------------------------------------


def same_order(one, two):
    """Return whether what a dictionary comparison overlooks is equal, too."""
    return [*one.macros] == [*two.macros] and all(
        [*a.parameters] == [*b.parameters] and a.path == b.path
        for a, b in zip(one.walk(), two.walk(), strict=True)
    )


def assert_survives(process, registry, schema):
    written = format_process(process)
    read = parse_process(written, registry)
    assert read.differences(process) == []
    assert same_order(read, process)
    assert format_process(read) == written
    schema.assertValid(without_unknown_elements(written))


def without_unknown_elements(written):
    """Return the file without what it keeps for others, which the schema does not know."""
    root = etree.fromstring(written)
    for element in list(root.iter(etree.Element)):
        if element.tag not in TAGS and element.getparent() is not None:
            element.getparent().remove(element)
    return root


def test_the_sample_is_written_as_it_stands(registry, schema):
    data = (Path(__file__).parent / "sample.xml").read_bytes()
    process = parse_process(data, registry)
    assert_survives(process, registry, schema)
    written = format_process(process).decode().splitlines()
    lines = data.decode().splitlines()
    assert sorted(line.strip() for line in written) == sorted(line.strip() for line in lines)


@needs_rapidminer
@pytest.mark.parametrize("path", sorted(RAPIDMINER.rglob("*.rmp")), ids=lambda path: path.stem)
def test_processes_of_rapidminer_survive(tmp_path, registry, path):
    process = read_process(path, registry)
    assert process.name == path.stem
    assert all(node.operator.is_placeholder for node in process.walk())
    elements = etree.parse(path).getroot()
    for tag, found in (
        ("operator", 1 + sum(1 for _ in process.walk())),
        ("connect", sum(len(level.connections) for level in levels(process))),
        ("process", 1 + len(levels(process))),
    ):
        assert found == sum(1 for _ in elements.iter(tag))
    copy = tmp_path / path.name
    write_process(process, copy)
    assert read_process(copy, registry) == process
    assert texts(etree.parse(copy).getroot()) == texts(elements)


def levels(process):
    return [process, *(inner for node in process.walk() for inner in node.subprocesses)]


def texts(root):
    """Return every operator, setting, connection, note and spacing, whatever their order."""
    return sorted(
        f"{element.tag} {sorted(set(element.items()) - {('activated', 'true')})} {element.text}".strip()
        for element in root.iter(
            "operator", "parameter", "list", "connect", "description", "portSpacing"
        )
        if element.get("class") != "process"
    )


characters = st.one_of(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    st.sampled_from("\t\n\r\x7f\x85 <>&\"'|%{}"),
)
anything = st.text(characters, max_size=8)
names = st.text(characters, min_size=1, max_size=8)
simple = st.one_of(anything, st.integers(), st.booleans(), st.floats(allow_nan=False), st.none())
pairs = st.lists(st.tuples(anything, anything), max_size=3)
notes = st.builds(
    Note, anything, st.dictionaries(st.sampled_from(["x", "y", "align", "größe"]), anything)
)
positions = st.none() | st.fixed_dictionaries(
    {"x": st.integers(-(10**9) + 1, 10**9 - 1), "y": st.integers(-9999, 9999)},
    optional={"width": st.integers(0, 500), "height": st.integers(0, 500)},
)
extras = st.sampled_from(  # fixed ones: drawing them bit by bit takes most of the time
    [
        {},
        {
            "attributes": {
                "compatibility": "9.7.000",
                "expanded": "true",
                "größe": " <&>\n\t\"' 😀 ",
            }
        },
        {"attributes": {"origin": ""}, "before": [" why ", "", "two\nlines"]},
        {
            "elements": [
                '<portSpacing port="a" spacing="0"/>',
                "<odd>a <b/> c\n</odd>",
                "<!-- end -->",
            ]
        },
        {"before": ["größe 😀"], "elements": ["<!-- only -->"]},
    ]
)
VALUES = {
    "make": {"rows": simple, "ratio": simple, "method": simple},
    "weigh": {"sort": st.booleans()},
    "configure": {
        "values": st.lists(st.integers(), max_size=3) | anything,
        "names": st.lists(anything, max_size=3),
        "pairs": pairs,
        "mapping": st.dictionaries(anything, st.floats(allow_nan=False), max_size=3),
        "file": anything,
    },
    "validate_inside": {"folds": simple},
}
unknown_values = st.dictionaries(
    anything, simple | st.lists(anything, max_size=3) | pairs | st.just({}), max_size=4
)


@st.composite
def processes(draw, registry):
    process = Process(
        draw(anything),
        seed=draw(st.integers(-1, 2**64)),
        macros=draw(st.dictionaries(anything, anything, max_size=2)),
    )
    process.description = draw(st.none() | notes)
    if draw(st.booleans()):
        process.extras["parameters"] = {"logverbosity": draw(anything)}
        process.extras["inside"] = {("file",): {"attributes": {"rapidminer": draw(anything)}}}
    fill(draw, process, registry, draw(st.integers(0, 3)))
    return process


def fill(draw, process, registry, depth):
    process.notes += draw(st.lists(notes, max_size=2))
    process.extras |= copy.deepcopy(draw(extras))
    for _ in range(draw(st.integers(0 if process.owner else 1, 3))):
        add_node(draw, process, registry, depth)
    for _ in range(draw(st.integers(0 if process.owner else 1, 3))):
        connect_somehow(draw, process)


def add_node(draw, process, registry, depth):
    known = draw(st.sampled_from([*registry, None]))
    spec = known or placeholder(draw(names))
    node = process.add(spec, name=draw(names))
    optional = VALUES.get(spec.key, {}) if known else {}
    node.parameters = (
        draw(st.fixed_dictionaries({}, optional=optional)) if known else draw(unknown_values)
    )
    node.enabled = draw(st.booleans())
    node.breakpoints = frozenset(draw(st.sets(st.sampled_from(["before", "after"]))))
    node.position = draw(positions)
    node.note = draw(st.none() | notes)
    node.extras = copy.deepcopy(draw(extras))
    if depth and (not known or spec.key == "branch") and draw(st.booleans()):
        node.add_inner()
    for inner in node.subprocesses:
        if depth:
            fill(draw, inner, registry, depth - 1)


def connect_somehow(draw, process):
    ends = [node.name for node in process]
    start, end = draw(st.sampled_from([SOURCE, *ends])), draw(st.sampled_from([*ends, SINK]))
    ports = [
        st.sampled_from(
            [f"{p.name} {draw(st.integers(1, 12))}" if p.many else p.name for p in declared]
        )
        if (declared := process.ports(name, outgoing=outgoing))
        else names
        for name, outgoing in ((start, True), (end, False))
    ]
    from_port, to_port = (draw(port | names) for port in ports)
    process.connect_unchecked(Connection(start, from_port, end, to_port))


@settings(
    max_examples=500,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_random_processes_survive_writing_and_reading(data, registry, schema):
    assert_survives(data.draw(processes(registry)), registry, schema)
