"""A part of a process goes into a loop over the values of a parameter."""

from fsops.core.graph.wiring import SINK
from fsops.editing.parameter_sweep import LOOP, parts, refusal, vary


def test_what_gives_a_performance_outside_comes_first(quickstart):
    found = parts(quickstart, "Select Top k")
    assert found[0].names == ("Cross Validation",)
    assert found[0].measures
    assert found[-1].names == ("Select Top k",)


def test_numbers_between_whole_ones_are_refused(quickstart):
    k = quickstart.find("Select Top k").operator.parameter("k")
    assert refusal(k, "[1;2;2;linear]") == ("k is 1.5, but must be a whole number of at least 1.")
    assert refusal(k, "[1;3;2;linear]") == ""


def test_a_part_in_a_loop_hands_its_trials_to_a_result(quickstart, registry):
    part = parts(quickstart, "Select Top k")[0]
    loop = vary(quickstart, part, "Select Top k.k", "1,2", registry[LOOP])
    inner = quickstart[loop].subprocesses[0]
    assert quickstart[loop].parameters["parameters"] == {"Select Top k.k": "1,2"}
    assert [node.name for node in inner] == ["Cross Validation"]
    assert inner.incoming(SINK)["performance"] == ("Cross Validation", "performance")
    assert (loop, "trials") in quickstart.incoming(SINK).values()


def test_a_part_is_described_by_the_operators_in_it(chain):
    assert [part.words for part in parts(chain, "Normalize")] == [
        'Normalize and what follows: "Weight by SAM"',
        "Normalize",
    ]
