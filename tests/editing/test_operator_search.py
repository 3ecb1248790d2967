"""Search for operators by typing: the best match comes first."""

import pytest

from fsops.editing.operator_search import found_operators


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("sam", "weight_by_sam"),  # not Sample, which only begins so
        ("sample", "sample"),
        ("cross validation", "cross_validation"),
        ("cv", "cross_validation"),  # initials
        ("x_validation", "cross_validation"),  # RapidMiner's key
        ("read c", "read_csv"),
        ("weight relief", "weight_by_relief"),
        ("normalise", "normalize"),  # written almost like it
        ("croos validation", "cross_validation"),
        ("merge tables", "join"),  # not the shortest name that mentions both somewhere
    ],
)
def test_the_best_match_comes_first(registry, words, first):
    assert found_operators(registry, words)[0].key == first


def test_words_of_the_help_and_tags_are_found_after_names(registry):
    keys = [operator.key for operator in found_operators(registry, "synthetic")]
    assert "generate_data" in keys
    assert "weight_by_sam" in [o.key for o in found_operators(registry, "Tusher")]
    assert found_operators(registry, "qwertzuiop") == []


@pytest.mark.parametrize("words", ["feature importance", "variable importances"])
def test_words_of_other_programs_are_understood(registry, words):
    titles = [operator.title for operator in found_operators(registry, words)[:5]]
    assert sum(title.startswith("Weight by") for title in titles) >= 3


@pytest.mark.parametrize("words", ["bonferroni", "fdr"])
def test_what_can_be_set_is_found_where_no_name_fits(registry, words):
    assert "weight_by_t_test" in [o.key for o in found_operators(registry, words)]


def test_a_name_that_is_only_a_little_alike_is_not_offered(registry):
    """A word that is only a little like Brute Force finds nothing."""
    assert found_operators(registry, "brittle") == []


def test_names_with_more_of_the_words_come_first(registry):
    titles = [operator.title for operator in found_operators(registry, "weight by t-test")]
    assert titles.index("Weight by Welch Test") < titles.index("Read Parquet")


def test_of_equal_matches_those_used_last_come_first(registry):
    used = "weight_by_welch_test"
    assert found_operators(registry, "weight by")[0].key != used
    assert found_operators(registry, "weight by", [used])[0].key == used
