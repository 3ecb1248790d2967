"""Looking up operators."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fsops import Aliases, ExampleSet, operator
from fsops.core.registry import Registry
from fsops.errors import DeclarationError, UsageError
from fsops.plugins import plugins


@operator(group="B/Two", aliases=Aliases(keys=("XFilter",)), tags=("sieve",))
def filter_rows(examples: ExampleSet) -> ExampleSet:
    """Filter rows

    Keeps rows like gold.
    """
    return examples


@operator(group="A/One")
def sort_rows(examples: ExampleSet) -> ExampleSet:
    """Sort rows

    Never a filter.
    """
    return examples


@pytest.fixture
def registry():
    return Registry([filter_rows, sort_rows])


def test_operators_are_found_by_key_alias_and_title(registry):
    assert registry["filter_rows"] is registry["XFilter"] is registry["Filter rows"]
    assert registry["filter Rows"] is registry["filter_rows"]
    assert "XFilter" in registry
    assert len(registry) == 2


def test_listing_goes_by_group(registry):
    assert [spec.key for spec in registry] == ["sort_rows", "filter_rows"]


def test_unknown_key_is_an_error_with_suggestion(registry):
    with pytest.raises(UsageError, match='no operator "filter_row". Did you mean "filter_rows"'):
        registry["filter_row"]


def test_unknown_key_in_a_file_becomes_a_placeholder(registry):
    spec = registry.find("weka:performance_cfs")
    assert spec.is_placeholder
    assert spec.prefix == "weka"
    assert registry.close_to("x:filter_rowz")[0].key == "filter_rows"


def test_key_can_be_taken_only_once(registry):
    with pytest.raises(DeclarationError, match='already is an operator with the key "sort_rows"'):
        registry.add(sort_rows)


def test_search_looks_everywhere_but_prefers_the_title(registry):
    assert [spec.key for spec in registry.search("filter")] == ["filter_rows", "sort_rows"]
    assert [spec.key for spec in registry.search("sieve")] == ["filter_rows"]
    assert [spec.key for spec in registry.search("gold ROWS")] == ["filter_rows"]
    assert registry.search("silver") == []


def test_a_deferred_operator_is_loaded_when_its_key_is_asked_for():
    loaded = []
    registry = Registry()
    for function in (filter_rows, sort_rows):
        spec = function.operator
        registry.defer({spec.key: lambda spec=spec: loaded.append(spec.key) or spec})
    assert len(registry) == 2
    assert registry.find("sort_rows").title == "Sort rows"
    assert loaded == ["sort_rows"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.find("XFilter").key == "filter_rows",
        lambda r: r["Filter rows"].key == "filter_rows",
        lambda r: [spec.key for spec in r.search("gold")] == ["filter_rows"],
        lambda r: [spec.key for spec in r.close_to("filter_row")] == ["filter_rows"],
    ],
    ids=["alias", "title", "search", "close"],
)
def test_what_only_declarations_tell_loads_deferred_operators(ask):
    registry = Registry()
    registry.defer({"filter_rows": lambda: filter_rows.operator})
    assert ask(registry)


def test_a_deferred_operator_that_cannot_be_loaded_is_not_there(registry):
    registry.defer({"broken": lambda: None})
    assert registry.find("broken").is_placeholder
    assert "broken" not in registry
    assert len(registry) == 2


def test_a_key_is_taken_by_a_deferred_operator_too(registry):
    registry.defer({"later": lambda: None})
    with pytest.raises(DeclarationError, match='already is an operator with the key "later"'):
        registry.defer({"later": lambda: None})


def test_threads_that_ask_at_once_all_get_a_deferred_operator():
    registry, together = Registry(), threading.Barrier(4)

    def load():
        time.sleep(0.05)
        return filter_rows.operator

    registry.defer({"filter_rows": load})

    def ask(_):
        together.wait()
        return registry.find("filter_rows").is_placeholder

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(ask, range(4))) == [False] * 4
    assert len(registry) == 1


def test_an_interruption_while_loading_leaves_the_operator_deferred():
    registry, times = Registry(), []

    def load():
        times.append(1)
        if len(times) == 1:
            raise KeyboardInterrupt
        return sort_rows.operator

    registry.defer({"sort_rows": load})
    with pytest.raises(KeyboardInterrupt):
        registry.find("sort_rows")
    assert registry.find("sort_rows").title == "Sort rows"


def test_every_operator_is_found_by_its_own_title_and_comes_first():
    registry = plugins().registry
    for spec in registry:
        assert registry.search(spec.title)[0] is spec, spec.title
