"""``fsops describe``."""

import json

import pytest

from fsops.cli.output.operator_page import example_xml
from fsops.plugins import plugins
from fsops.storage import parse_process


def test_ports_parameters_help_and_example(fsops):
    shown = fsops("describe", "weight_by_sam").stdout
    assert "examples (data table)" in shown
    assert "Needs a label with classes and numerical attributes." in shown
    assert "s0 = 0.1" in shown
    assert 'a number of at least 0 or one of "auto", "median"' in shown
    assert "d = (m₊ − m₋)/(s + s₀)" in shown
    assert "Tusher" in shown
    assert '<operator class="weight_by_sam" name="Weight by SAM">' in shown


def test_inner_processes_with_their_ports(fsops):
    shown = fsops("describe", "cross_validation").stdout
    assert "Training" in shown
    assert "gets training_set (data table): The training rows." in shown
    assert "returns weights (attribute weights, optional)" in shown
    assert "only if leave_one_out is" in shown


def test_required_empty_and_expert_parameters(fsops):
    shown = fsops("describe", "read_csv").stdout
    assert "path = (required)" in shown
    assert "label = (empty)" in shown
    assert "text; expert" in shown


@pytest.mark.parametrize("name", ["weight_by_sam", "Weight by SAM"])
def test_by_key_or_title(fsops, name):
    assert fsops("describe", name).stdout.startswith("Weight by SAM  weight_by_sam")


def test_unknown_operator(refused):
    said = refused(2, "describe", "weight_by_samm")
    assert 'There is no operator "weight_by_samm". Did you mean "weight_by_sam"' in said


def test_json(fsops):
    document = json.loads(fsops("describe", "select_top_k", "--format", "json").stdout)
    assert document["role"] == "selection"
    k = next(p for p in document["parameters"] if p["name"] == "k")
    assert k["default"] == 10
    assert k["bounds"] == {"ge": 1}
    assert k["when"] == {"method": ["top k"]}
    assert document["inputs"][0]["type"] == "AttributeWeights"


def test_json_lists_conditions_of_which_one_is_enough(fsops):
    document = json.loads(fsops("describe", "nominal_to_numerical", "--format", "json").stdout)
    groups = next(p for p in document["parameters"] if p["name"] == "comparison_groups")
    assert groups["when"] == [
        {"coding_type": ["effect coding"]},
        {"coding_type": ["dummy coding"], "use_comparison_groups": [True]},
    ]


@pytest.mark.parametrize("spec", plugins().registry, ids=lambda spec: spec.key)
def test_every_operator_has_a_page_and_an_example_that_can_be_read(fsops, spec):
    result = fsops("describe", spec.key)
    assert result.exit_code == 0
    assert spec.title in result.stdout
    file = (
        '<process version="fsops-1"><operator class="process" name="P"><process>'
        f"{example_xml(spec)}</process></operator></process>"
    )
    node = next(iter(parse_process(file.encode(), plugins().registry)))
    assert node.operator is spec
    json.loads(fsops("describe", spec.key, "--format", "json").stdout)
