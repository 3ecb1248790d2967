"""What a run keeps between operators, and how iterations of a loop share it."""

from contextlib import contextmanager

from fsops.core.frame.context import Context
from fsops.core.frame.frame import Frame, current_state, entered
from fsops.core.frame.services import Services
from fsops.core.frame.state import RunState


@contextmanager
def in_state(state):
    with entered(Frame(Services(), state=state)):
        yield state


def test_iterations_start_alike_and_the_last_change_remains():
    seen = []

    def iteration(number):
        state = current_state()
        seen.append((state.macros["a"], "best" in state.remembered))
        state.macros["a"] = str(number)
        state.macros[f"new {number}"] = "x"
        state.logs.setdefault("log", []).append({"turn": number})
        return number

    with in_state(RunState({"a": "before", "kept": "k"})) as state:
        state.logs["log"] = [{"turn": -1}]
        assert Context().map(iteration, [0, 1, 2]) == [0, 1, 2]
    assert seen == [("before", False)] * 3
    assert state.macros == {"a": "2", "kept": "k", "new 0": "x", "new 1": "x", "new 2": "x"}
    assert [row["turn"] for row in state.logs["log"]] == [-1, 0, 1, 2]


def test_what_an_iteration_forgets_is_forgotten_after_the_loop():
    def forget(name):
        return current_state().macros.pop(name)

    with in_state(RunState({"a": "1", "b": "2"})) as state:
        Context().map(forget, ["a", "a"])
    assert state.macros == {"b": "2"}


def test_macro_of_a_loop_hides_an_outer_one_for_a_while():
    ctx = Context()
    with in_state(RunState({"k": "outer"})) as state:
        with ctx.macro("k", "inner"):
            assert state.macros["k"] == "inner"
        assert state.macros["k"] == "outer"
        with ctx.macro("other", "x"):
            pass
        assert "other" not in state.macros


def test_outside_of_a_run_nothing_is_kept():
    Context().state.macros["a"] = "1"
    assert current_state().macros == {}


def test_paired_iterations_draw_the_same_numbers_and_others_do_not():
    ctx = Context()

    def draw(_):
        return ctx.rng().random()

    paired = ctx.map(draw, range(3), paired=True)
    assert len(set(paired)) == 1
    assert len(set(ctx.map(draw, range(3)))) == 3
