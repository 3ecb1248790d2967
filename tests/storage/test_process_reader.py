import pytest

from fsops.core.graph.process import Note
from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.errors import ProcessFileError
from fsops.storage import format_process, parse_process


def wrapped(content, version='version="fsops-1"', settings=""):
    return (
        f'<process {version}>\n<operator class="process" name="P">{settings}\n'
        f"<process>{content}</process></operator></process>"
    ).encode()


@pytest.fixture
def read(registry):
    return lambda content, **kwargs: parse_process(wrapped(content, **kwargs), registry)


def fault(read, *args, **kwargs):
    with pytest.raises(ProcessFileError) as caught:
        read(*args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- the process as a whole -----------------------------------------------------------------------


def test_a_whole_file_becomes_a_process(registry):
    process = parse_process(
        b"""<?xml version="1.0" encoding="UTF-8"?>
<process version="9.7.000">
  <context>
    <input/>
    <output/>
    <macros>
      <macro><key>k</key><value> 3
</value></macro>
    </macros>
  </context>
  <operator class="process" name="Mine">
    <parameter key="logverbosity" value="init"/>
    <parameter key="random_seed" value="1992"/>
    <process expanded="true">
      <operator class="make" name="Data" activated="no" breakpoints="both" x="1" y="-2">
        <parameter key="rows" value="%{k}"/>
        <description align="left">my note</description>
      </operator>
      <operator class="weigh" name="Weights" breakpoints="after"/>
      <connect from_op="Data" from_port="examples" to_op="Weights" to_port="examples"/>
      <connect from_op="Weights" from_port="weights" to_port="result 1"/>
      <description x="1" y="2">on the canvas</description>
    </process>
    <description>what it does</description>
  </operator>
</process>""",
        registry,
    )
    assert process.name == "Mine"
    assert process.seed == 1992
    assert process.macros == {"k": " 3\n"}
    assert process.description == Note("what it does")
    assert process.notes == [Note("on the canvas", {"x": "1", "y": "2"})]
    data, weights = process
    assert data.operator is registry["make"]
    assert data.parameters == {"rows": "%{k}"}
    assert not data.enabled
    assert data.breakpoints == {"before", "after"}
    assert data.position == {"x": 1, "y": -2}
    assert data.note == Note("my note", {"align": "left"})
    assert weights.enabled
    assert weights.breakpoints == {"after"}
    assert weights.position is None
    assert process.connections == [
        Connection("Data", "examples", "Weights", "examples"),
        Connection("Weights", "weights", SINK, "result 1"),
    ]


@pytest.mark.parametrize("version", ["", 'version="9.7.000"', 'version="odd"', 'version="fsops-1"'])
def test_files_of_rapidminer_and_of_no_version_are_read(read, version):
    assert read("", version=version).name == "P"


@pytest.mark.parametrize("number", ["2", "17", "999999999"])
def test_a_file_of_a_newer_format_is_refused_by_its_version(read, number):
    message = fault(read, "", version=f'version="fsops-{number}"')
    assert message == (
        "line 1: The file was written by a newer fsops, "
        f"in the format fsops-{number}; this one reads up to fsops-1. Update fsops to open it."
    )


@pytest.mark.parametrize("version", ["fsops-", "fsops-0", "fsops-x", "fsops-" + "9" * 5000])
def test_a_version_that_is_none_is_refused(read, version):
    assert "cannot be understood" in fault(read, "", version=f'version="{version}"')


def test_the_outer_element_may_be_missing_as_in_old_exports(registry):
    data = b'<!-- a --><operator class="process" name="Old"><process/></operator><!-- z -->'
    process = parse_process(data, registry)
    assert process.name == "Old"
    assert [line.strip() for line in format_process(process).decode().splitlines()[2:]] == [
        "<!-- a -->",
        '<operator class="process" name="Old">',
        '<parameter key="random_seed" value="2001"/>',
        "<process/>",
        "</operator>",
        "</process>",
        "<!-- z -->",
    ]


@pytest.mark.parametrize("in_file", ["Process", "Root"])
def test_a_given_name_replaces_only_the_one_every_process_has(registry, in_file):
    data = f'<process><operator class="process" name="{in_file}"><process/></operator></process>'
    assert parse_process(data.encode(), registry).name == in_file
    assert parse_process(data.encode(), registry, name="file").name == "file"
    assert parse_process(wrapped(""), registry, name="file").name == "P"


@pytest.mark.parametrize("seed", ["x", "1.5", "", "9" * 5000, "0x10", "1_000"])
def test_a_seed_that_is_no_whole_number_is_refused(read, seed):
    settings = f'<parameter key="random_seed" value="{seed}"/>'
    assert "random_seed is" in fault(read, "", settings=settings)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<html/>", "This is not a process file: it starts with <html>."),
        (b"<process/>", "<process> must contain <operator>."),
        (b"<process><operator/></process>", '<operator> needs the attribute "class".'),
        (
            b'<process><operator class="make" name="A"/></process>',
            'The outermost operator is "make", but must be "process".',
        ),
        (b'<process><operator class="process"/></process>', "<operator> must contain <process>."),
        (
            b'<process><operator class="process"><process/><process/></operator></process>',
            "There can be only one <process> here.",
        ),
        (b"<process><operator/><operator/></process>", "There can be only one <operator> here."),
        (b"<process><context/><context/></process>", "There can be only one <context> here."),
        (b"<process><connect/></process>", "<connect> is not allowed in <process>."),
        (
            b'<operator name="Root" class="Process"><operator name="A" class="B"/></operator>',
            'The outermost operator is "Process", but must be "process". Files of RapidMiner 4',
        ),
        (
            b'<operator name="Root" class="process"><operator name="A" class="B"/></operator>',
            "<operator> is not allowed in <operator>. Files of RapidMiner 4 look like this",
        ),
        (
            b"<process><context><macros><macro/></macros></context></process>",
            "<macro> must contain <key>.",
        ),
        (
            b"<process><context><macros><macro><key>a</key><value/></macro>"
            b"<macro><key>a</key><value/></macro></macros></context></process>",
            'The macro "a" is set twice.',
        ),
        (
            b"<process>words</process>",
            '<process> contains the text "words", which belongs nowhere.',
        ),
    ],
)
def test_a_file_that_is_no_process_is_refused(registry, data, words):
    assert f"line 1: {words}" in fault(lambda: parse_process(data, registry))


# --- operators ------------------------------------------------------------------------------------


def test_an_unknown_operator_becomes_a_placeholder_that_keeps_everything(read):
    process = read(
        """
        <operator class="odd:thing" name="Odd" compatibility="9.7.000" x="3" y="4">
          <parameter key="p" value="1"/>
          <list key="l"><parameter key="a" value="1"/><parameter key="a" value="2"/></list>
          <list key="empty list"/>
          <enumeration key="e"><parameter key="ratio" value="0.7"/></enumeration>
          <enumeration key="empty enumeration"/>
          <process>
            <operator class="make" name="Inner"/>
            <connect from_port="odd in" to_port="odd out"/>
          </process>
          <process/>
        </operator>
        <connect from_op="Odd" from_port="any" to_port="result 1"/>"""
    )
    odd = process["Odd"]
    assert odd.operator.is_placeholder
    assert odd.operator.key == "odd:thing"
    assert odd.parameters == {
        "p": "1",
        "l": [("a", "1"), ("a", "2")],
        "empty list": {},
        "e": ["0.7"],
        "empty enumeration": [],
    }
    assert [inner.name for inner in odd.subprocesses] == ["Subprocess 1", "Subprocess 2"]
    assert [node.name for node in process.walk()] == ["Odd", "Inner"]
    assert odd.subprocesses[0].connections == [Connection(SOURCE, "odd in", SINK, "odd out")]
    assert process.connections == [Connection("Odd", "any", SINK, "result 1")]


@pytest.mark.filterwarnings("ignore::fsops.errors.RenamedWarning")
def test_keys_ports_and_parameters_are_found_by_their_foreign_names(read):
    process = read(
        """
        <operator class="foreign:weigh" name="A"><parameter key="sort_weights" value="true"/></operator>
        <operator class="Weigher" name="B"/>
        <operator class="split" name="C"/>
        <connect from_port="input 1" to_op="A" to_port="example set"/>
        <connect from_op="A" from_port="ws" to_port="result 1"/>
        <connect from_port="input 2" to_op="C" to_port="through 3"/>
        <connect from_op="C" from_port="out 2" to_port="result 2"/>
        <connect from_op="C" from_port="unknown 2" to_port="result 3"/>"""
    )
    assert {node.operator.key for node in process} == {"weigh", "split"}
    assert process["A"].parameters == {"sort": "true"}
    assert [str(c) for c in process.connections] == [
        "input 1 → A.examples",
        "input 2 → C.inputs 3",
        "A.weights → result 1",
        "C.parts 2 → result 2",
        "C.unknown 2 → result 3",
    ]


def test_foreign_names_of_ports_are_found_inside_an_operator_too(read):
    process = read(
        """
        <operator class="concurrency:validate" name="V">
          <process><connect from_port="training set" to_port="model"/></process>
          <process>
            <connect from_port="test set" to_port="averagable 1"/>
            <connect from_port="model" to_port="averagable 2"/>
          </process>
        </operator>
        <connect from_op="V" from_port="averagable 1" to_port="result 1"/>"""
    )
    training, testing = process["V"].subprocesses
    assert (training.name, testing.name) == ("Training", "Testing")
    assert [str(c) for c in training.connections] == ["training → model"]
    assert [str(c) for c in testing.connections] == [
        "model → averagable 2",
        "testing → performance",
    ]
    assert [str(c) for c in process.connections] == ["V.performance → result 1"]


def test_an_alias_gives_way_to_a_parameter_set_under_our_name(read):
    node = read(
        """<operator class="weigh" name="A">
        <parameter key="sort_weights" value="1"/>
        <parameter key="sort" value="2"/>
        <parameter key="order_weights" value="3"/></operator>"""
    )["A"]
    assert node.parameters == {"sort_weights": "1", "sort": "2", "order_weights": "3"}


@pytest.mark.filterwarnings("ignore::fsops.errors.RenamedWarning")
def test_two_aliases_of_one_parameter_lose_nothing(read):
    node = read(
        """<operator class="weigh" name="A"><parameter key="sort_weights" value="1"/>
        <parameter key="order_weights" value="3"/></operator>"""
    )["A"]
    assert node.parameters == {"sort": "1", "order_weights": "3"}


def test_an_operator_gets_the_inner_processes_it_declares_and_keeps_further_ones(read):
    process = read(
        """
        <operator class="validate_inside" name="A"/>
        <operator class="make" name="B"><process><operator class="make" name="C"/></process></operator>
        <operator class="branch" name="D"><process/><process/><process/></operator>"""
    )
    assert [inner.name for inner in process["A"].subprocesses] == ["Training", "Testing"]
    assert process["B"].subprocesses[0]["C"].path == ("B", "Subprocess 1", "C")
    assert [i.name for i in process["D"].subprocesses] == ["Branches 1", "Branches 2", "Branches 3"]


def test_equal_names_are_numbered_and_connections_follow(read):
    process = read(
        """
        <operator class="make" name="A"/>
        <operator class="branch" name="B">
          <process>
            <operator class="weigh" name="A"/>
            <connect from_port="examples" to_op="A" to_port="examples"/>
            <connect from_op="A" from_port="weights" to_port="examples"/>
          </process>
        </operator>
        <operator class="weigh" name="A (2)"/>
        <operator class="weigh" name="A (2)"/>
        <connect from_op="A" from_port="examples" to_op="A (2)" to_port="examples"/>"""
    )
    assert [node.name for node in process.walk()] == ["A", "B", "A (3)", "A (2)", "A (4)"]
    inner = process["B"].subprocesses[0]
    assert [str(c) for c in inner.connections] == [
        "examples → A (3).examples",
        "A (3).weights → examples",
    ]
    assert [str(c) for c in process.connections] == ["A.examples → A (2).examples"]


def test_an_operator_cannot_take_the_name_of_the_edges(read):
    process = read(
        """<operator class="make" name="&lt;source&gt;"/>
        <connect from_op="&lt;source&gt;" from_port="examples" to_port="result 1"/>"""
    )
    assert [node.name for node in process] == ["<source> (2)"]
    assert process.connections == [Connection("<source> (2)", "examples", SINK, "result 1")]


def test_a_connection_to_an_unknown_port_is_left_to_the_validator(read):
    process = read(
        """<operator class="make" name="A"/><operator class="weigh" name="B"/>
        <connect from_op="A" from_port="odd" to_op="B" to_port="odder"/>"""
    )
    assert process.connections == [Connection("A", "odd", "B", "odder")]


def test_connections_may_run_in_a_circle_until_the_validator_says_so(read):
    process = read(
        """<operator class="weigh" name="A"/>
        <connect from_op="A" from_port="weights" to_op="A" to_port="examples"/>"""
    )
    assert process.cycle() == ["A", "A"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<operator/>", 'line 3: <operator> needs the attribute "name".'),
        ('<operator class="make"/>', '<operator> needs the attribute "name".'),
        ('<operator class="make" name=""/>', '<operator> needs the attribute "name".'),
        ('<operator name="A"/>', '<operator> needs the attribute "class".'),
        ('<operator class="" name="A"/>', '<operator> needs the attribute "class".'),
        (
            '<operator class="make" name="A" activated="maybe"/>',
            'activated is "maybe", but must be true or false.',
        ),
        (
            '<operator class="make" name="A" breakpoints="before,never"/>',
            'breakpoints has "never", but can only have before, after or both.',
        ),
        (
            '<operator class="make" name="A" x="1.5"/>',
            'x is "1.5", but must be a whole number of at most 9 digits.',
        ),
        (
            f'<operator class="make" name="A" y="{"9" * 400}"/>',
            f'y is "{"9" * 60}…", but must be a whole number of at most 9 digits.',
        ),
        (
            '<operator class="make" name="A"><parameter key="k" value="1"/><list key="k"/></operator>',
            'The parameter "k" is set twice.',
        ),
        (
            '<operator class="make" name="A"><parameter key="k"/></operator>',
            '<parameter> needs the attribute "value".',
        ),
        (
            '<operator class="make" name="A"><parameter value="k"/></operator>',
            '<parameter> needs the attribute "key".',
        ),
        (
            '<operator class="make" name="A"><parameter key="k" value="">3</parameter></operator>',
            '<parameter> contains the text "3", which belongs nowhere.',
        ),
        (
            '<operator class="make" name="A"><list key="k"><parameter value="1"/></list></operator>',
            '<parameter> needs the attribute "key".',
        ),
        (
            '<operator class="make" name="A"><description>a <br/> b</description></operator>',
            "<description> can only contain text. Write &lt; for < and &amp; for &.",
        ),
        ('<parameter key="k" value="1"/>', "<parameter> is not allowed in <process>."),
        ("<process/>", "<process> is not allowed in <process>."),
        ("stray\n words", '<process> contains the text "stray\\n words", which belongs nowhere.'),
        ('<connect from_port="a"/>', '<connect> needs the attribute "to_port".'),
        ('<connect to_port="a"/>', '<connect> needs the attribute "from_port".'),
        (
            '<operator class="make" name="Data"/>\n<connect from_op="Dat" from_port="a" to_port="b"/>',
            'line 4: The connection names the operator "Dat", which is not in this process. '
            'Did you mean "Data"?',
        ),
        (
            '<connect from_port="a" to_port="result 1"/><connect from_port="b" to_port="result 1"/>',
            'The port "result 1" of the process is connected twice.',
        ),
        (
            '<operator class="weigh" name="A"/><connect from_port="a" to_op="A" to_port="examples"/>'
            '<connect from_port="a" to_op="A" to_port="example set"/>',
            'The port "examples" of "A" is connected twice.',
        ),
    ],
)
def test_what_a_process_cannot_hold_is_refused_with_its_line(read, content, words):
    message = fault(read, content)
    assert words in message
    assert message.startswith("line ")


def test_without_a_registry_the_installed_operators_are_used(monkeypatch, registry):
    import fsops.plugins

    installed = fsops.plugins.Plugins(registry=registry)
    monkeypatch.setattr(fsops.plugins, "plugins", lambda: installed)
    process = parse_process(wrapped('<operator class="make" name="A"/>'))
    assert process["A"].operator is registry["make"]
