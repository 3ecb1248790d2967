import gzip

import pytest

from fsops.errors import ProcessFileError
from fsops.storage import safe_xml
from fsops.storage.safe_xml import attributes_of, parse_xml

NO_XML = (
    "The file is not XML: it does not start with <. "
    "If it is a table, write a study of it: fsops new study.xml --data TABLE."
)


def fault(data):
    with pytest.raises(ProcessFileError) as caught:
        parse_xml(data)
    return caught.value


@pytest.mark.parametrize(
    "data",
    [
        b"<a/>",
        b"\n  <a/>",
        b"\xef\xbb\xbf<a/>",
        b"\xef\xbb\xbf<?xml version='1.0' encoding='utf-8'?><a/>",
        b'<?xml version="1.0" encoding="US-ASCII"?>\n<!-- note -->\n<a/>\n<!-- end -->\n',
        b"<a><!-- <!DOCTYPE b> --></a>",
        b"<a><![CDATA[<!DOCTYPE b>]]></a>",
        b"<a>&lt;!DOCTYPE b&gt;</a>",
    ],
)
def test_plain_utf8_is_read(data):
    assert parse_xml(data).tag == "a"


def test_characters_beyond_the_basic_plane_and_whitespace_survive():
    root = parse_xml('<a b="&#10;&#9; 😀 &#13; "> x \n</a>'.encode())
    assert attributes_of(root) == {"b": "\n\t 😀 \r "}
    assert root.text == " x \n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "The file is empty."),
        (b" \n", "The file is empty."),
        (b"label,a1\nyes,1\n", NO_XML),
        (b"+ADw-process/+AD4-", NO_XML),
        (gzip.compress(b"<a/>", mtime=0), "The file is compressed. Unpack it first."),
        (b"PK\x03\x04rest", "The file is compressed. Unpack it first."),
        (
            "<a/>".encode("utf-16"),
            "The file is encoded in UTF-16, not in UTF-8. Save it as UTF-8.",
        ),
        (
            "<a/>".encode("utf-16-be"),
            "The file is encoded in UTF-16, not in UTF-8. Save it as UTF-8.",
        ),
        (
            "<a/>".encode("utf-32"),
            "The file is encoded in UTF-32, not in UTF-8. Save it as UTF-8.",
        ),
        (
            "<a/>".encode("utf-32-le"),
            "The file is encoded in UTF-32, not in UTF-8. Save it as UTF-8.",
        ),
        (
            b"<a>\n<b/>\0</a>",
            "line 2, column 5: The file holds a NUL byte: not text, or damaged.",
        ),
        (
            b"<a>\n\xe4</a>",
            "line 2, column 1: The file is not encoded in UTF-8: the byte 0xE4 does not fit. "
            "Save it as UTF-8.",
        ),
        (
            b'<?xml version="1.0" encoding="UTF-7"?><a/>',
            'line 1: The file declares the encoding "UTF-7". Save it as UTF-8.',
        ),
        (
            b'<?xml version="1.0" encoding="ISO-8859-1"?><a/>',
            'line 1: The file declares the encoding "ISO-8859-1". Save it as UTF-8.',
        ),
        (
            b'<?xml version="1.0"?>\n<!DOCTYPE a>\n<a/>',
            "line 2, column 1: A document type (<!DOCTYPE …>) is not allowed.",
        ),
        (
            b"<!-- a --><!-- b -->\n <!DOCTYPE a>\n<a/>",
            "line 2, column 2: A document type (<!DOCTYPE …>) is not allowed.",
        ),
        (
            b"<a><?php exit ?></a>",
            'line 1: The processing instruction "<?php …?>" is not allowed.',
        ),
        (
            b'<?xml-stylesheet href="x"?>\n<a/>',
            'line 1: The processing instruction "<?xml-stylesheet …?>" is not allowed.',
        ),
        (b"<a/><?x?>", 'line 1: The processing instruction "<?x …?>" is not allowed.'),
        (
            b'<a xmlns="urn:x"/>',
            "line 1: Process files use no namespaces (xmlns, xml:…, xi:…).",
        ),
        (
            b'<a>\n<b xml:lang="de"/></a>',
            "line 2: Process files use no namespaces (xmlns, xml:…, xi:…).",
        ),
        (
            b"<x:a/>",
            "line 1, column 5: A name contains a colon; process files use no namespaces.",
        ),
        (
            b"<a>\n<b>\n</a>",
            "line 3, column 5: <b> from line 2 is closed by </a>.",
        ),
        (b"<a>", "line 1, column 4: The file ends too early: it is not complete."),
        (b"<a", "line 1, column 3: A tag is not closed by >."),
        (b"<a b=>", "line 1, column 6: The value of an attribute needs quotation marks around it."),
        (
            b"<a b='1' b='2'/>",
            "line 1, column 15: An element has the same attribute twice.",
        ),
        (b"<a/><a/>", "line 1, column 5: There is something after the end of the process."),
        (b"<a>\x01</a>", "line 1, column 4: There is a character that XML does not allow."),
        (
            b"<a>&lol;</a>",
            "line 1, column 9: An entity is used; only &lt; &gt; &amp; &quot; &apos; are known.",
        ),
        (
            b'<a b="&lol;"/>',
            "line 1, column 12: An entity is used; only &lt; &gt; &amp; &quot; &apos; are known.",
        ),
        (
            b"<a>R&D</a>",
            "line 1, column 7: After & a semicolon is missing; write &amp; for a plain &.",
        ),
        (
            b"<a>1 < 2</a>",
            "line 1, column 7: A name is missing after < or &; "
            "write &lt; or &amp; for the plain sign.",
        ),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(data, message):
    assert str(fault(data)) == message


def test_errors_know_their_line_and_column():
    error = fault(b"<a>\n<b>\n</a>")
    assert (error.line, error.column) == (3, 5)


@pytest.mark.parametrize(
    ("limit", "good", "bad", "words"),
    [
        ("MAX_DEPTH", b"<a>" * 64 + b"</a>" * 64, b"<a>" * 65 + b"</a>" * 65, "more than 64 deep"),
        (
            "MAX_ELEMENTS",
            b"<a>" + b"<b/>" * 19_999 + b"</a>",
            b"<a>" + b"<b/>" * 20_000 + b"</a>",
            "more than 20,000 elements",
        ),
        (
            "MAX_ATTRIBUTE_LENGTH",
            b'<a b="' + b"x" * 65_536 + b'"/>',
            b'<a b="' + b"x" * 65_537 + b'"/>',
            'attribute "b" is longer than 65,536 characters',
        ),
        (
            "MAX_ATTRIBUTES",
            b"<a>"
            + (b"<b " + b" ".join(b'b%d=""' % n for n in range(100)) + b"/>") * 2000
            + b"</a>",
            b"<a>"
            + (b"<b " + b" ".join(b'b%d=""' % n for n in range(100)) + b"/>") * 2001
            + b"</a>",
            "more than 200,000 attributes",
        ),
        (
            "MAX_ELEMENT_ATTRIBUTES",
            b"<a " + b" ".join(b'b%d=""' % n for n in range(100)) + b"/>",
            b"<a " + b" ".join(b'b%d=""' % n for n in range(101)) + b"/>",
            "more than 100 attributes",
        ),
        (
            "MAX_BYTES",
            b"<a>" + b" " * (8 * 2**20 - 7) + b"</a>",
            b"<a>" + b" " * (8 * 2**20 - 6) + b"</a>",
            "larger than 8 MiB",
        ),
    ],
    ids=["depth", "elements", "attribute", "attributes", "attributes of one", "bytes"],
)
def test_each_limit_holds_exactly(limit, good, bad, words):
    assert hasattr(safe_xml, limit)
    assert parse_xml(good).tag == "a"
    assert words in str(fault(bad))


def test_many_comments_before_the_root_are_no_burden():
    assert parse_xml(b"<!-- x -->" * 19_000 + b"<a/>").tag == "a"
    assert "DOCTYPE" in str(fault(b"<!-- x -->" * 19_000 + b"<!DOCTYPE a><a/>"))
