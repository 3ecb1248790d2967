"""Process files from strangers: damaged, mutated and hostile ones end in one readable line."""

import copy
import gzip
import os
import random
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from lxml import etree

from fsops.core import Registry
from fsops.errors import FsopsError, ProcessFileError
from fsops.storage import format_process, parse_process, read_process

REPOSITORY = Path(__file__).resolve().parents[2]
SAMPLE = (REPOSITORY / "tests/storage/sample.xml").read_bytes()
RAPIDMINER = sorted(REPOSITORY.parent.glob("shared/rapidminer/processes/**/*.rmp"))[::5]
SEEDS = [SAMPLE, *(path.read_bytes() for path in RAPIDMINER)]
MUTANTS = 2000
CHUNKS = 8
MUTANT_SECONDS = 1.0
# Far above what they take (at most 0.3): it must catch a hang, not a busy machine.
HOSTILE_SECONDS = 5.0


def assert_readable(error):
    """Check that an error is one line for a person, not something of a library."""
    text = str(error)
    assert isinstance(error, FsopsError)
    assert text.isprintable()
    assert text.rstrip().endswith((".", "?"))
    assert len(text) < 600
    for word in ("Traceback", "lxml", "xmlParse", "libxml", "object at 0x", "None"):
        assert word not in text


def outcome(data, registry, limit):
    """Return the process, or the checked error, of a file; it may take only so much time."""
    start = time.process_time()
    try:
        result = parse_process(data, registry)
    except FsopsError as error:
        assert_readable(error)
        result = error
    assert time.process_time() - start < limit
    return result


@pytest.fixture(scope="module")
def registry():
    """Return the installed operators: their aliases, ports and inner processes take part."""
    from fsops.plugins import plugins

    return plugins().registry


# --- damaged files --------------------------------------------------------------------------------


def test_a_file_cut_off_at_any_byte_is_refused():
    registry = Registry()
    last = SAMPLE.rindex(b">")
    for length in range(last + 1):
        result = outcome(SAMPLE[:length], registry, MUTANT_SECONDS)
        assert isinstance(result, ProcessFileError), length
        assert result.line is not None or length < 3


def flip_bytes(rng, data):
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(changed))
        action = rng.choice(["set", "insert", "delete", "repeat"])
        if action == "set":
            changed[place] = rng.randrange(256)
        elif action == "insert":
            changed[place:place] = rng.choice(
                [b"<", b">", b"&", b'"', b"\0", b"\xff", b"]]>", b"<!--"]
            )
        elif action == "delete":
            del changed[place : place + rng.randint(1, 40)]
        else:
            changed[place:place] = changed[place : place + rng.randint(1, 200)]
    return bytes(changed)


ODD = [
    "",
    " ",
    "-1",
    "1.5",
    "9" * 30,
    "9" * 5000,
    "1e999",
    "NaN",
    "-Infinity",
    "true",
    "both",
    "before,,after",
    "<source>",
    "<sink>",
    "%{k}",
    "%{",
    "a\nb\tc\r",
    "\u202egnp.exe",
    "e\u0301\u200d😀\U0010ffff",
    "\u2028\x85\x7f",
    "İıſK",
    "x" * 70_000,
    "../../etc/passwd",
    "__import__('os')",
    "{{7*7}}",
    "result 1",
    "result " + "9" * 5000,
    "fsops-2",
    "process",
]
TAGS = [
    "process",
    "operator",
    "parameter",
    "list",
    "enumeration",
    "connect",
    "description",
    "macro",
]


def mutate_tree(rng, data):
    root = etree.fromstring(data)
    for _ in range(rng.randint(1, 4)):
        elements = [element for element in root.iter() if isinstance(element.tag, str)]
        rng.choice(MUTATIONS)(rng, rng.choice(elements), elements)
    return etree.tostring(root, encoding="utf-8")


def delete(rng, element, elements):
    if element.getparent() is not None:
        element.getparent().remove(element)


def duplicate(rng, element, elements):
    if element.getparent() is not None:
        for _ in range(rng.choice([1, 1, 30])):
            element.addnext(copy.deepcopy(element))


def move(rng, element, elements):
    target = rng.choice(elements)
    if element.getparent() is not None and element not in [target, *target.iterancestors()]:
        target.insert(rng.randint(0, len(target)), element)


def swap(rng, element, elements):
    other = rng.choice(elements)
    element.attrib.update(dict(other.attrib))


def retype(rng, element, elements):
    element.tag = rng.choice([*TAGS, "odd", "Process", "größe"])


def rename_attribute(rng, element, elements):
    if element.attrib:
        name = rng.choice(element.keys())
        element.set(
            rng.choice(["name", "key", "x", "class", "to_op", "odd"]), element.attrib.pop(name)
        )


def drop_attribute(rng, element, elements):
    if element.attrib:
        del element.attrib[rng.choice(element.keys())]


def odd_attribute(rng, element, elements):
    names = [*element.keys(), "activated", "breakpoints", "x", "version", "odd"]
    element.set(rng.choice(names), rng.choice(ODD))


def odd_text(rng, element, elements):
    element.text = rng.choice(ODD)


def rewire(rng, element, elements):
    connections = [e for e in elements if e.tag == "connect"]
    if connections:
        one, two = rng.choice(connections), rng.choice(connections)
        for name in rng.sample(["from_op", "from_port", "to_op", "to_port"], 2):
            if two.get(name) is not None:
                one.set(name, two.get(name))
            else:
                one.attrib.pop(name, None)


def nest(rng, element, elements):
    for _ in range(rng.choice([1, 2, 100])):
        outer = etree.Element(element.tag, dict(element.attrib))
        outer.append(copy.deepcopy(element))
        if element.getparent() is None:
            return
        element.getparent().replace(element, outer)
        element = outer


MUTATIONS = [
    delete,
    duplicate,
    move,
    swap,
    retype,
    rename_attribute,
    drop_attribute,
    odd_attribute,
    odd_attribute,
    odd_text,
    rewire,
    rewire,
    nest,
]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_mutated_files_give_a_process_or_one_readable_line(registry, chunk):
    accepted = refused = 0
    for number in range(chunk, MUTANTS, CHUNKS):
        rng = random.Random(number)
        mutate = flip_bytes if number % 5 == 0 else mutate_tree
        result = outcome(mutate(rng, rng.choice(SEEDS)), registry, MUTANT_SECONDS)
        if isinstance(result, FsopsError):
            refused += 1
        else:
            accepted += 1
            assert_can_be_saved(result, registry)
    # Both must happen often, or the mutants test nothing.
    assert accepted > MUTANTS / CHUNKS / 10
    assert refused > MUTANTS / CHUNKS / 10


def assert_can_be_saved(process, registry):
    written = format_process(process)
    read = parse_process(written, registry)
    assert read.differences(process) == []
    assert format_process(read) == written


# --- hostile files --------------------------------------------------------------------------------

CANARY = "canary-7f3a"
BODY = '<process><operator class="process" name="{}"><process/></operator></process>'
ENTITIES = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))


def doctype(subset, name="&x;"):
    return f"<!DOCTYPE process {subset}>{BODY.format(name)}".encode()


def with_operators(content):
    return BODY.format("P").replace("<process/>", f"<process>{content}</process>").encode()


def hostile_files(canary="/nowhere", port=9):
    """Return how to make each hostile file, with words of the answer to it."""
    url = f"http://127.0.0.1:{port}/x"
    operator = '<operator class="make" name="A"/>'
    deep = "<operator class='a' name='A'><process>"
    return {
        "billion laughs": (
            lambda: doctype(f'[<!ENTITY l0 "lol">{ENTITIES}]', "&l9;"),
            "document type",
        ),
        "quadratic blow-up": (
            lambda: doctype(f'[<!ENTITY x "{"x" * 50_000}">]', "&x;" * 50_000),
            "document type",
        ),
        "external entity, file": (
            lambda: doctype(f'[<!ENTITY x SYSTEM "file://{canary}">]'),
            "document type",
        ),
        "external entity, http": (
            lambda: doctype(f'[<!ENTITY x SYSTEM "{url}">]'),
            "document type",
        ),
        "parameter entity": (
            lambda: doctype(f'[<!ENTITY % x SYSTEM "{url}"> %x;]', "P"),
            "document type",
        ),
        "external document type": (lambda: doctype(f'SYSTEM "{url}"', "P"), "document type"),
        "public document type": (lambda: doctype(f'PUBLIC "-//x" "{url}"', "P"), "document type"),
        "entity without a document type": (
            lambda: BODY.format("&x;").encode(),
            "An entity is used",
        ),
        "XInclude": (
            lambda: with_operators(
                f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="{canary}" parse="text"/>'
            ),
            "no namespaces",
        ),
        "style sheet": (
            f'<?xml-stylesheet type="text/xsl" href="{url}"?>{BODY.format("P")}'.encode,
            "processing instruction",
        ),
        "schema location": (
            lambda: (
                BODY.format("P")
                .replace(
                    "<process>",
                    '<process xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
                    f'xsi:noNamespaceSchemaLocation="{url}">',
                    1,
                )
                .encode()
            ),
            "no namespaces",
        ),
        "UTF-7": (
            lambda: b'<?xml version="1.0" encoding="UTF-7"?>+ADw-process/+AD4-',
            'declares the encoding "UTF-7"',
        ),
        "UTF-16": (lambda: BODY.format("P").encode("utf-16"), "encoded in UTF-16"),
        "UTF-16 without mark": (lambda: BODY.format("P").encode("utf-16-le"), "encoded in UTF-16"),
        "UTF-32": (lambda: BODY.format("P").encode("utf-32"), "encoded in UTF-32"),
        "EBCDIC": (lambda: BODY.format("P").encode("cp500"), "not encoded in UTF-8"),
        "two marks": (
            lambda: b"\xef\xbb\xbf" * 2 + BODY.format("P").encode(),
            "does not start with <",
        ),
        "mark of another encoding": (
            lambda: b"\xfe\xff" + BODY.format("P").encode(),
            "encoded in UTF-16",
        ),
        "NUL": (lambda: BODY.format("P\0").encode(), "NUL byte"),
        "overlong encoding": (
            lambda: BODY.format("P").encode() + b"\xc0\xbc",
            "not encoded in UTF-8",
        ),
        "1,000 deep": (lambda: b"<process>" * 1000, "more than 64 deep"),
        "100,000 deep": (lambda: b"<a>" * 100_000 + b"</a>" * 100_000, "more than 20,000 elements"),
        "deep processes": (
            lambda: with_operators(deep * 40 + "</process></operator>" * 40),
            "more than 64 deep",
        ),
        "16 MB attribute": (lambda: BODY.format("x" * 16 * 2**20).encode(), "larger than 8 MiB"),
        "7 MB attribute": (
            lambda: BODY.format("x" * 7 * 2**20).encode(),
            "longer than 65,536 characters",
        ),
        "7 MB name": (lambda: b"<" + b"x" * 7 * 2**20 + b"/>", "A name is too long"),
        "10⁶ attributes": (
            lambda: b"<process " + b" ".join(b'a%x=""' % n for n in range(10**6 - 250_000)) + b"/>",
            "more than 200,000 attributes",
        ),
        "20,000 attributes": (
            lambda: b"<process " + b" ".join(b'a%x=""' % n for n in range(20_000)) + b"/>",
            "more than 100 attributes",
        ),
        "10⁶ siblings": (
            lambda: b"<process>" + b"<a/>" * 10**6 + b"</process>",
            "more than 20,000 elements",
        ),
        "10⁶ comments": (
            lambda: b"<process>" + b"<!---->" * 10**6 + b"</process>",
            "more than 20,000 elements",
        ),
        "50,000 comments": (lambda: b"<!-- -->" * 50_000 + b"<a/>", "it starts with <a>"),
        "unclosed comments": (lambda: b"<!-- x" * 50_000, "two hyphens"),
        "2 million lines": (lambda: b"\n" * 2_000_000 + b"<a>", "line 2000001"),
        "gzip bomb": (lambda: gzip.compress(b"\0" * 50 * 2**20, mtime=0), "compressed"),
        "200 MB": (lambda: b"<process>" + b" " * 200 * 2**20, "larger than 8 MiB"),
        "thousands of equal names, one missing": (
            lambda: with_operators(
                operator * 9000 + '<connect from_op="B" from_port="a" to_port="b"/>'
            ),
            'names the operator "B"',
        ),
        "long names to compare": (
            lambda: with_operators(
                "".join(f'<operator class="a" name="{n}{"ab" * 15_000}"/>' for n in range(200))
                + f'<connect from_op="{"ba" * 15_000}" from_port="a" to_port="b"/>'
            ),
            "which is not in this process",
        ),
        "newer format": (
            lambda: (
                BODY.format("P").replace("<process>", '<process version="fsops-99">', 1).encode()
            ),
            "format fsops-99",
        ),
    }


@pytest.fixture
def listener():
    """Return a port on this machine and the list of those who came."""
    visitors = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        stop = threading.Event()

        def wait():
            while not stop.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                visitors.append(connection)
                connection.close()

        thread = threading.Thread(target=wait)
        thread.start()
        yield server.getsockname()[1], visitors
        stop.set()
        thread.join()


@pytest.mark.parametrize("name", hostile_files())
def test_a_hostile_file_is_refused_at_once_in_one_line(tmp_path, listener, name):
    port, visitors = listener
    (tmp_path / "canary").write_text(CANARY)
    make, words = hostile_files(tmp_path / "canary", port)[name]
    result = outcome(make(), Registry(), HOSTILE_SECONDS)
    assert isinstance(result, ProcessFileError)
    assert words in str(result)
    assert CANARY not in str(result)
    assert not visitors


def test_the_listener_would_have_noticed(listener):
    port, visitors = listener
    socket.create_connection(("127.0.0.1", port)).close()
    end = time.monotonic() + 60
    while not visitors and time.monotonic() < end:
        time.sleep(0.02)
    assert len(visitors) == 1


def test_hostile_files_take_little_memory():
    script = (
        "import importlib.util, resource, sys\n"
        f"spec = importlib.util.spec_from_file_location('tests_here', {__file__!r})\n"
        "here = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(here)\n"
        "here.outcome(here.SAMPLE, here.Registry(), 60)\n"
        "cases = [make() for name, (make, _) in here.hostile_files().items() if name != '200 MB']\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "for data in cases:\n"
        "    here.outcome(data, here.Registry(), 60)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 200


BIG = {
    "equal names": '<operator class="make" name="A"/>' * 15_000,
    "inner processes": '<operator class="a" name="A">' + "<process/>" * 15_000 + "</operator>",
    "connections to one operator": '<operator class="a" name="A"/>'
    + "".join(f'<connect from_port="p" to_op="A" to_port="{n}"/>' for n in range(15_000)),
    "connections of one output": '<operator class="a" name="A"/>'
    + "".join(f'<connect from_op="A" from_port="p" to_port="result {n}"/>' for n in range(15_000)),
    "parameters": '<operator class="a" name="A">'
    + "".join(f'<parameter key="{n}" value=""/>' for n in range(15_000))
    + "</operator>",
    "items": '<operator class="a" name="A"><list key="l">'
    + '<parameter key="a" value="b"/>' * 15_000
    + "</list></operator>",
    "notes": "<description/>" * 15_000,
    "comments": "<!-- x -->" * 15_000 + '<operator class="a" name="A"/>',
    "unknown elements": "<odd/>" * 15_000,
}


@pytest.mark.parametrize("name", BIG)
def test_a_file_at_the_limits_is_read_and_written_in_a_moment(name):
    start = time.process_time()
    process = parse_process(with_operators(BIG[name]), Registry())
    assert parse_process(format_process(process), Registry()) == process
    assert time.process_time() - start < 6


# --- what is no file ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("folder", "it is a folder"),
        ("missing", "there is no such file"),
        ("missing/missing", "there is no such file"),
        ("pipe", "a device or a pipe"),
        ("socket", "a device or a pipe"),
        ("loop", "symbolic links run in a circle"),
        ("link to zero", "a device or a pipe"),
        ("nul\0", "its name holds a NUL character"),
        ("x" * 5000, "the name is too long"),
        ("two\nlines", "there is no such file"),
        ("lone \udcff", "there is no such file"),
        ("huge", "it is larger than 8 MiB"),
        ("empty", "The file is empty"),
    ],
)
def test_what_is_no_process_file_is_named_and_not_waited_for(tmp_path, monkeypatch, name, words):
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path("empty").touch()
    Path("loop").symlink_to("loop")
    Path("link to zero").symlink_to("/dev/zero")
    os.mkfifo("pipe")
    with Path("huge").open("wb") as file:
        file.truncate(2**40)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        with pytest.raises(ProcessFileError) as caught:
            read_process(name, Registry())
    assert words in str(caught.value)
    assert_readable(caught.value)


@pytest.mark.parametrize("text", ["__import__('os')", "{{7*7}}", "${HOME}", ";rm -rf ~", "$(id)"])
def test_values_that_look_like_code_stay_text(text):
    content = f'<operator class="a" name="A"><parameter key="k" value="{text}"/></operator>'
    process = parse_process(with_operators(content), Registry())
    assert process["A"].parameters == {"k": text}
