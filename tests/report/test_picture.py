"""The picture of a process."""

import re

import pytest
from lxml import etree

from fsops import Process
from fsops.core.graph.wiring import SINK
from fsops.core.operator import placeholder
from fsops.operators import (
    apply_model,
    cross_validation,
    naive_bayes,
    retrieve,
    select_top_k,
    weight_by_sam,
)
from fsops.report.picture import process_svg

SVG = {"s": "http://www.w3.org/2000/svg"}


@pytest.fixture
def process():
    process = Process("A <b> & c")
    node = process.add(cross_validation, process.add(retrieve), name="Validate & learn")
    training = node.inner("training")
    weights = training.add(weight_by_sam, training.source())
    training.result(training.add(naive_bayes, training.source()))
    training.result(training.add(select_top_k, weights))
    process.result(node)
    return process


def drawn(process):
    return etree.fromstring(process_svg(process))


def test_every_level_operator_and_connection_is_drawn(process):
    svg = drawn(process)
    texts = svg.xpath("//s:text/text()", namespaces=SVG)
    assert [n.name for n in process.walk() if n.name not in texts] == []
    assert "Validate & learn › Training" in texts
    wires = svg.xpath("//s:path", namespaces=SVG)
    assert len(wires) == len(process.connections) + len(
        process["Validate & learn"].inner("training").connections
    )


def test_everything_lies_inside_the_picture(process):
    svg = drawn(process)
    width = float(svg.get("width"))
    xs = [float(x) for x in re.findall(r'\bc?x="([-\d.]+)"', process_svg(process))]
    assert min(xs) >= 0
    assert max(xs) <= width


def test_names_of_ports_at_the_edge_hide_no_operator(process):
    node = process["Validate & learn"]
    testing = node.inner("testing")
    applied = testing.add(apply_model, testing.source("model"), testing.source("test_set"))
    testing.result(applied, "test_set_results")
    for panel in drawn(process).xpath("./s:g", namespaces=SVG):
        boxes = panel.xpath("./s:rect[starts-with(@class, 'box')]", namespaces=SVG)
        left = min(float(box.get("x")) for box in boxes)
        right = max(float(box.get("x")) + float(box.get("width")) for box in boxes)
        for text in panel.xpath("./s:text[@class='edge']", namespaces=SVG):
            x, long = float(text.get("x")), 6 * len(text.text)
            ends = (x - long, x) if text.get("text-anchor") == "end" else (x, x + long)
            assert ends[1] <= left or right <= ends[0], text.text


def test_a_box_is_as_wide_as_a_usual_name_needs(process):
    process.add(weight_by_sam, name="Permutation Test of Weights")
    process.add(weight_by_sam, name="A name " * 20)
    texts = drawn(process).xpath("//s:text[@class='name']/text()", namespaces=SVG)
    assert "Permutation Test of Weights" in texts
    assert any(text.endswith("…") for text in texts)


def test_names_are_text_not_markup(process):
    assert drawn(process).findtext("s:title", namespaces=SVG) == "A <b> & c"


def test_unknown_operators_show_the_ports_that_are_connected(process):
    node = process.add(placeholder("mine:x"))
    process.connect(process["Retrieve"]["examples"], node, "odd port")
    process.connect(node["out"], SINK, "result 2")
    texts = drawn(process).xpath("//s:text/text()", namespaces=SVG)
    assert {"odd port", "out", "result 2"} <= set(texts)


def test_empty_process_is_an_empty_panel():
    assert drawn(Process("Empty")).xpath("//s:text/text()", namespaces=SVG) == ["Empty"]
