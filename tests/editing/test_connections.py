"""Connections that are possible, and the reasons where one is not."""

from fsops.core.graph.wiring import SINK, SOURCE, Connection
from fsops.editing.connections import ConnectionRules, End, fits_into_wire, shown_ports, why_not


def test_a_type_that_does_not_fit_is_the_reason(chain):
    wire = Connection("Weight by SAM", "weights", "Normalize", "examples")
    assert "takes a data table, but" in why_not(chain, wire)


def test_a_circle_is_the_reason(quickstart):
    training = quickstart["Cross Validation"].subprocesses[0]
    wire = Connection("Select by Weights", "examples", "Weight by SAM", "examples")
    assert "circle" in why_not(training, wire)


def test_two_outputs_and_an_operator_with_itself_are_refused(chain):
    rules = ConnectionRules(chain, End("Retrieve", "examples", outgoing=True))
    assert "Both are outputs" in rules.why_not(End("Normalize", "examples", outgoing=True))
    own = ConnectionRules(chain, End("Normalize", "examples", outgoing=True))
    assert "cannot feed itself" in own.why_not(End("Normalize", "examples", outgoing=False))


def test_what_a_level_is_given_may_go_to_any_operator(chain):
    start = End(SOURCE, chain.sources[0].name + " 1", outgoing=True)
    ends = [End(name, "examples", outgoing=False) for name in ("Normalize", "Weight by SAM")]
    assert ConnectionRules(chain, start).fitting(iter(ends)) == ends


def test_of_a_port_of_many_those_in_use_and_one_more_are_shown(chain):
    names = [port.name for port in shown_ports(chain, SINK, outgoing=False)]
    assert names == ["result 1", "result 2"]


def test_a_wire_can_be_led_only_through_an_operator_that_takes_and_gives_its_type(chain, registry):
    wire = chain.connections[0]
    table, weights = (chain.add(registry[key]) for key in ("sample", "weight_by_relief"))
    assert fits_into_wire(chain, table, wire)
    assert not fits_into_wire(chain, weights, wire)
