"""Random streams by name, progress, loops."""

import numpy as np
import pytest

from fsops.core.frame.context import Context
from fsops.core.frame.events import Logged, Progressed
from fsops.core.frame.frame import Frame, LoopPosition, entered, seed_sequence
from fsops.core.frame.services import Services
from fsops.errors import OperatorWarning


def iteration(place=(), chance=()):
    return entered(Frame(Services(), position=LoopPosition(place, chance)))


def draw(context, *key):
    return context.rng(*key).random(3).tolist()


def test_same_place_and_seed_give_the_same_numbers():
    assert draw(Context(7, ("A",))) == draw(Context(7, ("A",)))


def test_seed_path_key_and_iteration_each_change_the_numbers():
    base = Context(7, ("A",))
    streams = [
        draw(base),
        draw(Context(8, ("A",))),
        draw(Context(7, ("B",))),
        draw(base, "folds"),
        draw(base, 1),
    ]
    for index in range(3):
        with iteration((index,), (index,)):
            streams.append(draw(base))
    assert len({tuple(s) for s in streams}) == len(streams)


def test_names_with_separators_do_not_collide():
    assert (
        seed_sequence(1, ("ab", "c")).generate_state(2).tolist()
        != seed_sequence(1, ("a", "bc")).generate_state(2).tolist()
    )


def test_seed_of_a_place_is_fixed_for_all_time():
    # If this number changes, everybody's published results change: raise the format instead.
    generator = np.random.default_rng(seed_sequence(2001, ("Cross Validation", "rng", "folds")))
    assert generator.integers(1_000_000, size=3).tolist() == [235469, 123776, 184892]


def test_map_keeps_order_and_gives_each_item_its_own_stream():
    context = Context(3, ("Loop",))
    results = context.map(lambda item: (item, context.rng().random()), "abc")
    assert [item for item, _ in results] == ["a", "b", "c"]
    assert len({number for _, number in results}) == 3
    again = context.map(lambda item: context.rng().random(), "ab")
    assert again == [number for _, number in results[:2]]


def test_loops_inside_loops_draw_different_numbers():
    context = Context(3, ("Grid",))

    def row(_):
        return context.map(
            lambda _: (context.rng().random(), context.frame.inner_run("Inner")[0].key), range(2)
        )

    cells = [cell for line in context.map(row, range(2)) for cell in line]
    assert len({number for number, _ in cells}) == 4
    assert len({key for _, key in cells}) == 4


def test_inner_process_gets_a_new_key_at_each_call():
    context = Context(3, ("RFE",))
    with iteration():
        titles = ("Weighting", "Weighting", "Other")
        first, second, other = (context.frame.inner_run(title)[0].key for title in titles)
    assert first == ("RFE", "Weighting", 0)
    assert second == ("RFE", "Weighting", 1)
    assert other == ("RFE", "Other", 0)


def test_progress_tells_how_far_it_is():
    heard = []
    context = Context(path=("Loop",), services=Services(heard.append))
    assert list(context.progress([10, 20], "Rounds")) == [10, 20]
    assert heard == [Progressed(("Loop",), n, 2, "Rounds") for n in (0, 1, 2)]


def test_warnings_and_values_reach_the_listener():
    heard = []
    context = Context(path=("A",), services=Services(heard.append))
    context.warn("Odd.")
    context.log("error", 0.5)
    assert heard == [Logged(("A",), "warning", "Odd."), Logged(("A",), "error", 0.5)]


def test_warnings_without_a_listener_are_pythons_own():
    with pytest.warns(OperatorWarning, match="Odd."):
        Context(path=("A",)).warn("Odd.")


@pytest.mark.parametrize(("wanted", "expected"), [(None, True), ({"model"}, True), (set(), False)])
def test_context_knows_which_outputs_are_wanted(wanted, expected):
    assert Context(wanted=wanted).wants("model") is expected
