"""Settings of a search for operators that a Python function calls."""

import pytest

from fsops import Process
from fsops.errors import RenamedWarning
from fsops.operators import loop_parameters, retrieve, weight_by_sis


@pytest.mark.filterwarnings("default::fsops.errors.RenamedWarning")
@pytest.mark.parametrize("parameter", ["k", "keep"])
def test_a_search_sets_a_parameter_by_its_present_or_earlier_name(parameter, recwarn):
    data = retrieve(repository_entry="breast cancer")

    def body(tables):
        weights = weight_by_sis(tables[0], name="Screen")
        sizes.append(int((weights.values > 0).sum()))

    sizes = []
    loop_parameters([data], body, parameters={f"Screen.{parameter}": "3,4"})

    assert sizes == [3, 4]
    renamed = [note for note in recwarn if note.category is RenamedWarning]
    assert bool(renamed) == (parameter == "keep")


@pytest.mark.filterwarnings("default::fsops.errors.RenamedWarning")
def test_the_inner_process_of_loop_parameters_has_its_earlier_name_too():
    search = Process().add(loop_parameters)
    assert search.inner("turn") is search.inner("iteration")
    calls = []
    with pytest.warns(RenamedWarning, match='"turn" is now called'):
        loop_parameters([], turn=calls.append)
    assert len(calls) == 1
