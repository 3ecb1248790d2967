"""Operators that may come next: the first five are those that people expect."""

import pytest

from fsops.core.operator import Operator
from fsops.editing.operator_search import found_operators, why_found
from fsops.editing.suggestions import ranked, ranked_before, replacements, steps_of
from fsops.editing.thesaurus import ENTRIES, is_about_plots
from fsops.examples import find_examples

TESTS = ["weight_by_t_test", "weight_by_welch_test", "weight_by_wilcoxon", "weight_by_f_test"]


@pytest.fixture(scope="module")
def steps():
    return steps_of(example.file for example in find_examples())


def keys(found: list[Operator], count: int = 5) -> list[str]:
    return [spec.key for spec in found[:count]]


def after(registry, steps, key, port, own=()):
    start = next(p for p in registry[key].outputs if p.name == port)
    return ranked(registry, start, key, steps, dict(own))


@pytest.mark.parametrize(
    ("words", "first"),
    [
        ("mrmr", ["select_by_mrmr_cfs"]),
        ("gene ranking", ["weight_by_sam"]),
        ("differential expression", ["weight_by_sam"]),
        ("benjamini", [*TESTS, "weight_by_sam"]),
        ("false discovery", [*TESTS, "weight_by_sam"]),
        ("FDR", [*TESTS, "weight_by_sam"]),
        ("p-value", [*TESTS, "weight_by_sam"]),
        ("t-test", ["weight_by_t_test"]),
        ("label", ["set_role"]),
        ("scale", ["normalize"]),
        ("pca", ["principal_component_analysis"]),
    ],
)
def test_the_words_of_the_review_find_the_right_operator_first(registry, words, first):
    assert keys(found_operators(registry, words), len(first)) == first


def test_words_that_mean_tests_find_nothing_else(registry):
    for words in ("p-value", "fdr", "benjamini", "false discovery"):
        assert {s.key for s in found_operators(registry, words)} == {*TESTS, "weight_by_sam"}


def test_a_biomarker_is_an_attribute_that_is_chosen_again_and_again(registry):
    found = keys(found_operators(registry, "biomarker"))
    assert found[0] == "ensemble_feature_selection"
    assert "feature_selection_stability_validation" in found


def test_each_hit_says_why_it_was_found(registry):
    assert why_found(registry["weight_by_t_test"], "fdr") == "parameter: adjustment of p-values"
    assert "compares performances" in why_found(registry["t_test"], "t-test")
    assert why_found(registry["normalize"], "normalize") == ""
    assert why_found(registry["weight_by_sam"], "tusher") == "tag: tusher"
    assert is_about_plots("volcano plot")


def test_every_word_of_the_thesaurus_leads_to_operators_that_exist(registry):
    for entry in ENTRIES:
        assert not any(registry.find(key).is_placeholder for key in entry.keys), entry.words


def test_a_table_that_was_read_goes_to_a_validation_or_preparation_and_not_to_control(
    registry, steps
):
    for reader in ("retrieve", "read_csv"):
        found = after(registry, steps, reader, "examples")[:5]
        assert "cross_validation" in keys(found)
        assert not {spec.role for spec in found} & {"control", "utility"}
        assert "apply_model" not in keys(found)  # there is no model yet


@pytest.mark.parametrize(
    ("before", "port", "first"),
    [
        ("weight_by_sam", "weights", {"select_top_k", "select_by_weights"}),
        ("naive_bayes", "model", {"apply_model"}),
        ("apply_model", "examples", {"performance"}),
        ("select_by_weights", "examples", {"naive_bayes", "cross_validation"}),
    ],
)
def test_the_usual_next_step_is_among_the_first_two(registry, steps, before, port, first):
    assert first <= set(keys(after(registry, steps, before, port), len(first)))


def test_the_habits_of_the_user_come_first(registry, steps):
    own = {("retrieve", "shuffle"): 3}
    assert keys(after(registry, steps, "retrieve", "examples", own), 1) == ["shuffle"]


def test_an_input_is_fed_by_operators_that_give_its_type(registry, steps):
    port = next(p for p in registry["select_by_weights"].inputs if p.name == "weights")
    found = ranked_before(registry, port, "select_by_weights", steps)[:5]
    assert all(any(p.name == "weights" for p in spec.outputs) for spec in found)


@pytest.mark.parametrize(
    ("old", "role"),
    [
        ("naive_bayes", "learner"),
        ("weight_by_sam", "weighting"),
        ("cross_validation", "validation"),
    ],
)
def test_a_replacement_plays_the_same_part(registry, old, role):
    assert {spec.role for spec in replacements(registry, registry[old])[:5]} == {role}


@pytest.mark.parametrize(
    ("old", "expected"),
    [
        ("naive_bayes", {"k_nn", "logistic_regression", "random_forest", "support_vector_machine"}),
        ("weight_by_sam", {"weight_by_t_test", "weight_by_welch_test"}),
        ("read_csv", {"read_excel", "read_parquet"}),
    ],
)
def test_a_replacement_that_processes_use_comes_first(registry, steps, old, expected):
    """An operator with further outputs can take the place, too: a forest has weights."""
    assert expected <= set(keys(replacements(registry, registry[old], steps)))
