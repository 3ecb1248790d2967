"""Operators are added, removed and replaced, and the flow goes on."""

import pytest

from fsops.core.graph.process import Process
from fsops.core.graph.wiring import SINK, SOURCE
from fsops.core.operator import operator_of
from fsops.editing import edits
from fsops.operators import cross_validation, select_by_weights, weight_by_sam


def wires(level):
    return [str(wire) for wire in level.connections]


def test_added_operators_are_connected_to_what_is_there(registry):
    process = Process()
    edits.add_operator(process, registry["retrieve"])
    edits.add_operator(process, registry["weight_by_sam"])
    edits.add_operator(process, registry["select_by_weights"])
    assert "Retrieve.examples → Weight by SAM.examples" in wires(process)
    assert "Weight by SAM.weights → Select by Weights.weights" in wires(process)
    assert "Retrieve.examples → Select by Weights.examples" not in wires(process)  # used already


def test_what_is_added_after_an_operator_takes_what_flowed_into_that(registry):
    process = Process()
    for key, after in (
        ("retrieve", None), ("normalize", "Retrieve"), ("weight_by_sam", "Normalize"),
        ("weight_by_relief", "Weight by SAM"),
        ("select_top_k", "Weight by SAM"), ("select_by_weights", "Select Top k"),
    ):  # fmt: skip
        edits.add_operator(process, registry[key], after=after)
    found = wires(process)
    assert "Select Top k.weights → Select by Weights.weights" in found
    assert "Normalize.examples → Select by Weights.examples" in found  # not those of Retrieve
    assert "Normalize.examples → Weight by Relief.examples" in found  # beside Weight by SAM


@pytest.mark.parametrize("reader", ["read_csv", "retrieve"])
def test_a_side_result_of_another_branch_is_not_taken(registry, reader):
    process = Process()
    read = edits.add_operator(process, registry[reader])
    edits.add_operator(process, registry["cross_validation"], after=read.name)
    edits.wire_up(process, ["Cross Validation"])
    edits.add_operator(process, registry["weight_by_sam"], after=read.name)
    edits.add_operator(process, registry["select_by_weights"], after="Weight by SAM")
    assert f"{read.name}.examples → Select by Weights.examples" in wires(process)


def test_what_an_inner_process_lacks_is_taken_from_the_new_operator(registry):
    process = Process()
    validation = edits.add_operator(process, registry["cross_validation"])
    training, testing = validation.subprocesses
    edits.add_operator(training, registry["naive_bayes"])
    assert wires(training) == [
        "training_set → Naive Bayes.examples",
        "Naive Bayes.model → model",
    ]
    edits.add_operator(testing, registry["apply_model"])
    edits.add_operator(testing, registry["performance"])
    assert wires(testing) == [
        "model → Apply Model.model",
        "test_set → Apply Model.examples",
        "Apply Model.examples → Performance.examples",
        "Performance.performance → performance",
    ]


def test_new_operators_do_not_lie_on_others(registry):
    process = Process()
    for _ in range(6):
        edits.add_operator(process, registry["retrieve"], after="Retrieve")
    places = [(n.position["x"], n.position["y"]) for n in process]
    assert len(set(places)) == 6


def test_deleting_an_operator_bridges_the_flow(chain):
    edits.remove_operators(chain, ["Normalize"])
    assert "Retrieve.examples → Weight by SAM.examples" in wires(chain)


def test_deleting_does_not_bridge_what_does_not_fit(chain):
    edits.remove_operators(chain, ["Weight by SAM"])  # a table is no attribute weights
    assert wires(chain) == ["Retrieve.examples → Normalize.examples"]


def test_inserting_on_a_wire_leads_it_through_the_operator(chain, registry):
    wire = chain.connections[0]
    new = edits.insert_on_wire(chain, registry["replace_missing_values"], wire).name
    assert f"Retrieve.examples → {new}.examples" in wires(chain)
    assert f"{new}.examples → Normalize.examples" in wires(chain)
    assert str(wire) not in wires(chain)


def test_replacing_keeps_wires_and_place(chain, registry):
    before = chain["Weight by SAM"].position
    edits.replace_operator(chain, "Weight by SAM", registry["weight_by_relief"])
    assert [node.name for node in chain][-1] == "Weight by Relief"
    assert "Normalize.examples → Weight by Relief.examples" in wires(chain)
    assert "Weight by Relief.weights → result 1" in wires(chain)
    assert chain["Weight by Relief"].position == before


def test_an_operator_on_a_wire_takes_its_other_input_from_the_edge_of_the_level():
    process = Process()
    validation = process.add(cross_validation, process.source("input 1"))
    training = validation.inner("training")
    weights = training.add(weight_by_sam, training.source())
    training.result(weights, "weights")
    wire = next(c for c in training.connections if c.to_node == SINK)
    node = edits.insert_on_wire(training, operator_of(select_by_weights), wire)
    fed = training.incoming(node.name)
    assert fed["weights"] == (weights.name, "weights")
    assert fed["examples"] == (SOURCE, "training_set")


def test_operators_run_first_together_with_all_that_they_need(chain, registry):
    edits.add_operator(chain, registry["weight_by_relief"], after="Normalize")
    edits.to_the_front(chain, ["Weight by Relief"])
    names = [node.name for node in chain.order()]
    assert names == ["Retrieve", "Normalize", "Weight by Relief", "Weight by SAM"]
