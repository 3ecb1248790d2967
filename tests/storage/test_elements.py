"""What a file says beyond a process is kept where it stood, and written back."""

import pytest

from fsops.storage import format_process, parse_process

FILE = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- a licence -->
<!-- in two comments -->
<process version="fsops-1" rapidminer="9.7.000" site="lab">
  <!-- macros -->
  <context mode="x">
    <macros sorted="no">
      <!-- one macro -->
      <macro since="1">
        <key kind="short">a</key>
        <value>b</value>
        <hint>about a</hint>
      </macro>
      <!-- no more macros -->
    </macros>
    <input>
        <location>//Samples/data/Iris</location>
        <location/>
      </input>
  </context>
  <operator class="process" name="P" activated="true" compatibility="9.7.000">
    <parameter key="random_seed" value="2001" unit="none"/>
    <!-- how much is told -->
    <parameter key="logverbosity" value="init"/>
    <list key="nothing"/>
    <!-- the steps -->
    <process expanded="true">
      <!-- first
           the data -->
      <operator class="make" name="A" compatibility="9.7.000" expanded="true" origin="X">
        <!-- rows -->
        <parameter key="rows" value="3" checked="yes">
          <why>enough</why>
        </parameter>
        <list key="l" sorted="no">
          <!-- a pair -->
          <parameter key="a" value="b" c="d"/>
          <!-- no more pairs -->
        </list>
        <enumeration key="e">
          <parameter value="0.7" key="ratio"/>
          <parameter value="0.3"/>
        </enumeration>
        <!-- a note -->
        <description align="left">first</description>
        <!-- a second note -->
        <description>second</description>
        <odd a="1">text <b/> &amp; <![CDATA[<more>]]> text
   as it is</odd>
        <!-- the end -->
      </operator>
      <!-- a result -->
      <connect from_op="A" from_port="examples" to_port="result 1" color="red">
        <waypoint x="1" y="2"/>
      </connect>
      <!-- on the canvas -->
      <description x="1" y="2">note</description>
      <portSpacing port="source_input 1" spacing="0"/>
      <background height="1" width="1" x="0" y="0" location="//x"/>
      <!-- last -->
    </process>
    <description>about it</description>
  </operator>
  <annotations>
    <annotation key="a">b</annotation>
  </annotations>
</process>
<!-- after the end -->
"""


def test_everything_is_written_back_byte_by_byte(registry):
    assert format_process(parse_process(FILE.encode(), registry)).decode() == FILE


def test_kept_content_survives_changes_of_the_process(registry):
    process = parse_process(FILE.encode(), registry)
    node = process["A"]
    node.parameters["rows"] = 4
    node.position = {"x": 5, "y": 6}
    process.rename("A", "B")
    written = format_process(process).decode()
    assert '<parameter key="rows" value="4" checked="yes">' in written
    assert 'name="B" x="5" y="6" compatibility="9.7.000" expanded="true" origin="X">' in written
    assert "<!-- first\n           the data -->" in written
    assert parse_process(written.encode(), registry) == process


def test_kept_content_goes_along_with_a_copy(registry):
    process = parse_process(FILE.encode(), registry)
    assert format_process(process.clone()).decode() == FILE


def test_a_known_attribute_wins_over_a_kept_one_of_the_same_name(registry):
    process = parse_process(FILE.encode(), registry)
    process["A"].extras["attributes"]["name"] = "other"
    assert format_process(process).decode() == FILE


@pytest.mark.parametrize(
    ("element", "kept"),
    [
        ("<input/>", False),
        ("<output></output>", False),
        ("<input>text</input>", True),
        ("<output><location/></output>", True),
        ('<input a="b"/>', True),
    ],
)
def test_an_empty_input_or_output_of_rapidminer_is_not_worth_keeping(registry, element, kept):
    data = (
        f"<process><context>{element}</context>"
        '<operator class="process" name="P"><process/></operator></process>'
    )
    assert (element in format_process(parse_process(data.encode(), registry)).decode()) == kept
