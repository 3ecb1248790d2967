"""Looking up operators."""

import pytest

from fsops import Aliases, ExampleSet, operator
from fsops.core.registry import Registry
from fsops.errors import DeclarationError, UsageError


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
