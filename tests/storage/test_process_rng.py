"""The schema that lies beside the reader."""

from pathlib import Path

import pytest
from lxml import etree

from fsops.storage import format_process, parse_process, read_process

REPOSITORY = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(REPOSITORY.glob("processes/**/*.xml"))
RAPIDMINER = sorted(REPOSITORY.parent.glob("shared/rapidminer/processes/**/*.rmp"))

SAMPLE = (Path(__file__).parent / "sample.xml").read_text()


def broken(old, new):
    assert SAMPLE.count(old) >= 1
    return SAMPLE.replace(old, new, 1)


@pytest.mark.parametrize("path", [*EXAMPLES, *RAPIDMINER], ids=lambda path: path.stem)
def test_every_example_is_valid_as_it_is_and_as_we_write_it(schema, path):
    schema.assertValid(etree.parse(path))
    schema.assertValid(etree.fromstring(format_process(read_process(path))))


def test_the_sample_is_valid(schema):
    schema.assertValid(etree.fromstring(SAMPLE.encode()))


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
        broken("<macros>", "<macros/><macros>"),
        broken("What this", "What <b>this</b>"),
        broken("<process>", '<process xmlns:x="urn:x" x:y="">'),
        broken("<process>", "<process><process/>"),
    ],
)
def test_what_the_schema_refuses_the_reader_refuses_too(schema, registry, text):
    assert not schema.validate(etree.fromstring(text.encode()))
    with pytest.raises(Exception, match=".") as caught:
        parse_process(text.encode(), registry)
    assert type(caught.value).__name__ == "ProcessFileError"
