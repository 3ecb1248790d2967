"""What RapidMiner passes through operators is connected to where it comes from."""

from lxml import etree

from fsops.plugins import plugins
from fsops.storage.rapidminer.report import ConversionReport
from fsops.storage.rapidminer.wiring import ImportedLevel


class CountingLevel(ImportedLevel):
    """Counts how many outputs are looked at."""

    looked_at = 0

    def _passes(self, source):
        self.looked_at += 1
        return super()._passes(source)


def level_of(connections, operators):
    """Return a level of weightings, each with an output that gives on its table."""
    element = etree.Element("process")
    for start, end in connections:
        to = {"to_op": end, "to_port": "example set"} if end else {"to_port": "result 1"}
        etree.SubElement(element, "connect", from_op=start, from_port="example set", **to)
    weighting = plugins().registry.find("weight_by_gini_index")
    return CountingLevel(element, dict.fromkeys(operators, weighting), ConversionReport())


def starts(level):
    return [connection.get("from_op") for connection in level.element]


def test_a_long_chain_is_followed_once():
    names = [f"W{number}" for number in range(1000)]
    level = level_of(zip(["Data", *names], [*names, None], strict=True), names)
    level.reroute()
    assert starts(level) == ["Data"] * 1001
    assert level.looked_at < 5 * 1001


def test_a_chain_that_begins_with_nothing_is_left_out():
    level = level_of([("A", "B"), ("B", "C"), ("C", None)], "ABC")
    level.reroute()
    assert starts(level) == []
    assert len(level.report.remarks) == 3


def test_a_circle_ends_where_it_begins():
    level = level_of([("A", "B"), ("B", "A"), ("A", "C"), ("C", "D"), ("D", None)], "ABCD")
    level.reroute()
    assert starts(level) == ["A", "B", "A", "A", "A"]
    from_behind = level_of([("D", None), ("C", "D"), ("A", "C"), ("B", "A"), ("A", "B")], "ABCD")
    from_behind.reroute()
    assert starts(from_behind) == ["A", "A", "A", "B", "A"]
