import pytest

from fsops.core import Process
from fsops.core.graph.process import Note
from fsops.core.graph.wiring import SINK
from fsops.core.operator import placeholder
from fsops.errors import StorageError
from fsops.storage import format_process, parse_process


@pytest.fixture
def process(registry):
    process = Process("Mine", seed=7, macros={"k": "3"})
    process.description = Note("about\nit")
    data = process.add(registry["make"], name="Data", rows=3, ratio=0.1, method="b c")
    weights = process.add(registry["weigh"], data, sort=True)
    data.position = {"x": 10, "y": 20, "width": 90, "height": 60}
    weights.enabled = False
    weights.breakpoints = frozenset({"before", "after"})
    weights.note = Note("note", {"color": "yellow"})
    process.notes.append(Note("canvas", {"x": "1", "y": "2"}))
    process.result(weights)
    return process


def test_a_process_is_written_in_one_fixed_form(process):
    assert (
        format_process(process).decode()
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<process version="fsops-1">
  <context>
    <macros>
      <macro>
        <key>k</key>
        <value>3</value>
      </macro>
    </macros>
  </context>
  <operator class="process" name="Mine">
    <parameter key="random_seed" value="7"/>
    <process>
      <operator class="make" name="Data" x="10" y="20" width="90" height="60">
        <parameter key="rows" value="3"/>
        <parameter key="ratio" value="0.1"/>
        <parameter key="method" value="b c"/>
      </operator>
      <operator class="weigh" name="Weigh" activated="false" breakpoints="before,after">
        <parameter key="sort" value="true"/>
        <description color="yellow">note</description>
      </operator>
      <connect from_op="Data" from_port="examples" to_op="Weigh" to_port="examples"/>
      <connect from_op="Weigh" from_port="weights" to_port="result 1"/>
      <description x="1" y="2">canvas</description>
    </process>
    <description>about
it</description>
  </operator>
</process>
"""
    )


def test_the_smallest_process_is_short():
    assert (
        format_process(Process()).decode()
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<process version="fsops-1">
  <operator class="process" name="Process">
    <parameter key="random_seed" value="2001"/>
    <process/>
  </operator>
</process>
"""
    )


def test_a_change_changes_only_its_own_line(process):
    before = format_process(process).decode().splitlines()
    process["Data"].parameters["rows"] = 4
    after = format_process(process).decode().splitlines()
    assert [a for a, b in zip(after, before, strict=True) if a != b] == [
        '        <parameter key="rows" value="4"/>'
    ]


def test_connections_are_written_in_one_order_however_they_were_made(registry):
    written = set()
    for order in ([1, 2, 10, 3], [10, 3, 2, 1]):
        process = Process()
        data = process.add(registry["make"], name="Data")
        for number in order:
            process.result(data, f"result {number}")
        written.add(format_process(process))
    assert len(written) == 1
    ports = [c.to_port for c in parse_process(written.pop(), registry).connections]
    assert ports == ["result 1", "result 2", "result 3", "result 10"]


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        ("values", [1, 2], '<enumeration key="values">|<parameter value="1"/>|'),
        ("values", [], '<enumeration key="values"/>'),
        ("values", "1,%{k}", '<parameter key="values" value="1,%{k}"/>'),
        ("pairs", [("a", "b")], '<list key="pairs">|<parameter key="a" value="b"/>|</list>'),
        ("pairs", [], '<list key="pairs"/>'),
        ("mapping", {"a": 0.1}, '<list key="mapping">|<parameter key="a" value="0.1"/>|</list>'),
        ("mapping", {}, '<list key="mapping"/>'),
        ("names", ["a", "b|c"], '<parameter key="names" value="a|b\\|c"/>'),
        (
            "file",
            "x\n\t\r \"'<&>",
            '<parameter key="file" value="x&#10;&#9;&#13; &quot;\'&lt;&amp;&gt;"/>',
        ),
        ("file", None, '<parameter key="file" value=""/>'),
        ("unknown", {}, '<list key="unknown"/>'),
        ("unknown", [], '<enumeration key="unknown"/>'),
        ("unknown", True, '<parameter key="unknown" value="true"/>'),
        ("unknown", 1e-300, '<parameter key="unknown" value="1e-300"/>'),
    ],
)
def test_values_have_one_form_in_the_file(registry, parameter, value, expected):
    process = Process()
    process.add(registry["configure"], name="A").parameters[parameter] = value
    written = format_process(process)
    assert expected in "|".join(line.strip() for line in written.decode().splitlines())
    assert parse_process(written, registry) == process


def test_a_set_of_attributes_may_be_longer_than_an_attribute_of_xml(registry):
    names = [f"gene_{number:06}" for number in range(10_000)]
    process = Process()
    process.add(registry["configure"], name="A", names=names)
    read = parse_process(format_process(process), registry)
    assert read == process
    assert read["A"].operator.parameter("names").check(read["A"].parameters["names"]) == names


@pytest.mark.parametrize("character", ["\0", "\x01", "\x0b", "\x1f", "\ud800", "\ufffe", "\uffff"])
def test_a_character_xml_cannot_hold_is_refused_with_its_place(registry, character):
    process = Process()
    inner = process.add(registry["branch"], name="B").inner()
    inner.add(registry["configure"], name="A", file=f"x{character}y")
    with pytest.raises(StorageError) as caught:
        format_process(process)
    assert str(caught.value).startswith('B › Branches 1 › A: The text "x\\')
    assert f"U+{ord(character):04X}, which XML cannot hold. Remove it." in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "character",
    ["\t", "\n", "\r", "\x7f", "\x85", "\u2028", "\ud7ff", "\ue000", "\ufffd", "\U0010ffff"],
)
def test_every_character_xml_can_hold_survives_everywhere(registry, character):
    text = f" {character}a{character} "
    process = Process(text, macros={text: text})
    process.description = Note(text, {"x": text})
    process.notes.append(Note(text))
    node = process.add(placeholder("p"), name=text)
    node.parameters = {text: text, "l": [(text, text)], "e": [text]}
    node.note = Note(text)
    node.extras = {"attributes": {"a": text}}
    process.connect(node[text], SINK, text)
    assert parse_process(format_process(process), registry) == process


@pytest.mark.parametrize(
    ("extras", "words"),
    [
        ({"elements": ["<a>"]}, "is closed by"),
        ({"elements": ["<!DOCTYPE a>"]}, "The process cannot be saved: line "),
        ({"attributes": {"a b": "c"}}, "The process cannot be saved: line "),
        ({"before": ["--"]}, "must not contain two hyphens"),
    ],
)
def test_what_could_not_be_read_again_is_never_written(process, extras, words):
    process["Data"].extras = extras
    with pytest.raises(StorageError, match=words):
        format_process(process)


def test_a_value_too_long_to_be_read_again_is_refused(process):
    process["Data"].parameters["method"] = "x" * 70_000
    with pytest.raises(StorageError, match="longer than 65,536 characters"):
        format_process(process)


def test_a_value_of_no_known_shape_is_refused(registry):
    process = Process()
    process.add(registry["configure"], name="A", pairs=[("a", "b", "c")])
    with pytest.raises(StorageError, match='^A: The value of "pairs" is neither one value nor'):
        format_process(process)


@pytest.mark.parametrize(
    ("what", "value"), [("seed", 1), ("macros", {"a": "b"}), ("description", Note("x"))]
)
def test_what_only_the_whole_process_can_have_is_not_lost_silently(registry, what, value):
    process = Process()
    inner = process.add(registry["branch"], name="B").inner()
    setattr(inner, what, value)
    with pytest.raises(StorageError, match="Only the process as a whole can have a"):
        format_process(process)


def test_positions_from_a_canvas_are_rounded(registry, process):
    process["Data"].position = {"x": 10.4, "y": 19.6}
    assert 'x="10" y="20"' in format_process(process).decode()
