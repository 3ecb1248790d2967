"""The schema that lies beside the reader."""

import re
import time
from pathlib import Path

import pytest
from lxml import etree

from fsops.core import validate
from fsops.errors import ProcessFileError
from fsops.storage import format_process, parse_process, read_process

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(REPOSITORY.glob("processes/**/*.xml"))
RAPIDMINER = sorted(REPOSITORY.parent.glob("shared/rapidminer/processes/**/*.rmp"))

SAMPLE = (Path(__file__).parent / "sample.xml").read_text(encoding="utf-8")


def known(text):
    return re.sub("<odd .*</odd>", "", text).encode()


def broken(old, new):
    assert old in SAMPLE
    return SAMPLE.replace(old, new, 1)


@pytest.mark.parametrize("path", [*EXAMPLES, *RAPIDMINER], ids=lambda path: path.stem)
def test_every_example_is_valid_as_it_is_and_as_we_write_it(schema, path):
    schema.assertValid(etree.parse(path))
    schema.assertValid(etree.fromstring(format_process(read_process(path))))


def test_the_example_of_the_manual_is_written_as_we_write_it_and_can_run(schema):
    manual = (REPOSITORY / "docs/process-file.md").read_text(encoding="utf-8")
    example = re.search("```xml\n(.*?)```", manual, re.DOTALL)[1].encode()
    schema.assertValid(etree.fromstring(example))
    process = parse_process(example)
    assert format_process(process) == example
    assert validate(process) == []


def test_the_sample_is_valid_but_for_the_element_nobody_knows(schema):
    assert not schema.validate(etree.fromstring(SAMPLE.encode()))
    schema.assertValid(etree.fromstring(known(SAMPLE)))


def test_deep_processes_are_checked_in_no_time(schema):
    inner = '<operator class="a" name="b" x="1" y="2" width="3" odd="4"><process expanded="true">'
    for leaf in ("", "<odd/>"):
        deep = inner * 30 + leaf + "</process></operator>" * 30
        file = f'<process><operator class="process"><process>{deep}</process></operator></process>'
        start = time.process_time()
        assert schema.validate(etree.fromstring(file.encode())) == (not leaf)
        assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        "<process/>",
        "<operator class='process' name='P'><other/></operator>",
        broken('class="process"', 'class="other"'),
        broken(' name="Data"', ""),
        broken(' class="make"', ' class=""'),
        broken(' x="45"', ' x="4.5"'),
        broken(' activated="false"', ' activated="maybe"'),
        broken(' breakpoints="after"', ' breakpoints="never"'),
        broken('<parameter key="rows" value="100"/>', '<parameter key="rows"/>'),
        broken('<parameter key="rows" value="100"/>', '<parameter value="100"/>'),
        broken('<parameter key="rows" value="100"/>', '<connect from_port="a" to_port="b"/>'),
        broken('<parameter key="rows" value="100"/>', '<operator class="a" name="b"/>'),
        broken('<parameter key="rows" value="100"/>', "text"),
        broken('from_port="examples" ', ""),
        broken("<key>k</key>", ""),
        broken("<key>k</key>", "<key>k</key><key>k</key>"),
        broken("<value>10 %</value>", ""),
        broken("What this", "What <b>this</b>"),
        broken("<process>", '<process xmlns:x="urn:x" x:y="">'),
        broken("<process>", "<process><process/>"),
    ],
)
def test_what_the_schema_refuses_the_reader_refuses_too(schema, registry, text):
    assert not schema.validate(etree.fromstring(known(text)))
    with pytest.raises(ProcessFileError):
        parse_process(known(text), registry)
