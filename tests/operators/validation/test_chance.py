"""The answer of a study beside that of permuted labels."""

import numpy as np
import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError
from fsops.operators import (
    compare_feature_selections,
    measure_chance,
    naive_bayes,
    weight_by_f_test,
    weight_by_relief,
)


def a_table(n=60, p=80, strength=0.0, *, true=5, rare=0.5, seed=0, **roles):
    rng = np.random.default_rng(seed)
    y = np.arange(n) < round(n * rare)
    X = rng.normal(size=(n, p))
    X[:, :true] += strength * y[:, None]
    frame = pd.DataFrame(X).add_prefix("G").assign(group=np.where(y, "case", "control"))
    frame = frame.assign(**roles)
    return ExampleSet.from_pandas(frame, roles={"group": "label", **{r: r for r in roles}})


def answer_of(examples, *args, **settings):
    settings = {"resamples": 10, **settings}
    return measure_chance(examples, *args, **settings).answer


def test_on_noise_the_first_sentence_is_that_nothing_was_found():
    answer = answer_of(a_table())
    assert answer.verdict.text.startswith("No. Nothing was found.")
    assert answer.verdict.light == "red"
    assert answer.beyond == ()
    assert answer.chance.permutations < answer.chance.planned == 199  # it ended early
    assert answer_of(a_table(), stop_early=False).chance.permutations == 199


def test_planted_attributes_are_found_and_named():
    answer = answer_of(a_table(strength=1.5))
    assert (answer.verdict.case, answer.verdict.light) == ("clear", "green")
    assert {attribute.name for attribute in answer.beyond} == {f"G{j}" for j in range(5)}
    assert answer.chance.p_value == answer.chance.p_error == 1 / 200
    main = answer.main
    assert main.name == "balanced accuracy"
    assert 0.5 < main.lower < main.value < main.upper <= 1
    assert "guessing gives 50 % (p = 0.005)" in answer.verdict.text


def test_selections_on_noise_agree_more_than_zero_so_the_band_is_above_it():
    band = answer_of(a_table(p=200)).chance.stability_band
    assert (band.middle[1:] > 0.1).all()
    assert (band.upper > band.middle).all()


def test_the_estimate_is_below_the_lowest_error_of_the_curve_on_noise():
    tables = [a_table(seed=seed) for seed in range(12)]
    answers = [answer_of(table, permutations=19, resamples=0) for table in tables]
    honest = np.mean([answer.main.value for answer in answers])
    optimistic = np.mean([answer.best_score for answer in answers])
    assert honest < optimistic - 0.03
    assert sum(answer.main.lower <= 0.5 <= answer.main.upper for answer in answers) >= 10


def test_the_same_seed_gives_the_same_answer():
    examples = a_table(strength=0.8)
    assert answer_of(examples).equals(answer_of(examples))


def test_three_classes_have_no_auc():
    rng = np.random.default_rng(0)
    y = np.arange(60) % 3
    frame = pd.DataFrame(rng.normal(size=(60, 30)) + 2 * y[:, None] * (np.arange(30) < 2))
    frame = frame.add_prefix("G").assign(grade=np.array(list("abc"))[y])
    answer = answer_of(ExampleSet.from_pandas(frame, roles={"grade": "label"}))
    assert [e.name for e in answer.estimates] == ["balanced accuracy", "accuracy"]
    assert answer.chance.guess == pytest.approx(1 / 3)
    assert {a.name for a in answer.beyond} == {"G0", "G1"}


@pytest.mark.parametrize("scale", [1.0, 1e-20, 1e20])
def test_a_label_with_numbers_has_r2_and_rmse_in_its_unit(scale):
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 50))
    frame = pd.DataFrame(X).add_prefix("G").assign(y=scale * (3 * X[:, 0] + rng.normal(size=60)))
    answer = answer_of(ExampleSet.from_pandas(frame, roles={"y": "label"}))
    r2, rmse = answer.estimates
    assert answer.verdict.case == "clear"
    assert "of the variance explained on new rows" in answer.verdict.text
    assert 0.6 < r2.lower < r2.value < r2.upper < 1
    assert 0.7 < rmse.value / scale < 1.6
    assert answer.size == 1
    assert answer.chance.majority_error == pytest.approx(frame["y"].std(ddof=0))


def test_attributes_that_each_give_the_label_away_are_doubted():
    frame = a_table(n=60).to_pandas()
    codes = (frame["group"] == "case").astype(float)
    both = frame.assign(copy=codes, score=2 * codes)
    answer = answer_of(ExampleSet.from_pandas(both, roles={"group": "label"}))
    assert answer.verdict.light == "green"  # each is as good without the other
    doubts = " ".join(answer.verdict.doubts)
    assert '"copy", "score" give, each alone, the class of every row' in doubts


def test_few_rows_are_said_to_be_too_few():
    answer = answer_of(a_table(n=8))
    assert (answer.verdict.case, answer.verdict.light) == ("too few rows", "grey")
    assert "This does not show that there is no difference" in answer.verdict.not_said
    assert answer.chance.arrangements == 70  # all of them were used
    assert answer.chance.permutations == 69


def test_unequal_classes_are_mentioned_and_guessing_stays_at_one_half():
    answer = answer_of(a_table(rare=0.15))
    assert "The classes are unequal (51 and 9 rows)" in answer.verdict.sentences[0]
    assert "always naming the largest would be right in 85 %" in answer.verdict.sentences[0]
    assert answer.main.chance == 0.5
    assert answer.estimates[1].chance == pytest.approx(0.85)


def test_an_attribute_that_gives_the_label_away_is_named():
    examples = a_table(strength=0.3)
    frame = examples.to_pandas()
    frame["stage"] = (frame["group"] == "case") + np.linspace(0, 0.1, 60)
    answer = answer_of(ExampleSet.from_pandas(frame, roles={"group": "label"}))
    assert answer.verdict.case == "label given away"
    assert answer.verdict.sentences[0].startswith('"stage" alone gives 100 % correct')


def test_attributes_that_carry_the_same_information_are_a_group():
    rng = np.random.default_rng(1)
    y = np.arange(60) % 2
    z = rng.normal(size=60) + 2 * y
    X = rng.normal(size=(60, 80))
    X[:, :20] = z[:, None] + 0.3 * rng.normal(size=(60, 20))
    frame = pd.DataFrame(X).add_prefix("G").assign(group=np.where(y, "case", "control"))
    answer = answer_of(ExampleSet.from_pandas(frame, roles={"group": "label"}))
    assert answer.verdict.case == "redundant"
    assert "20 attributes carry the same information" in answer.verdict.text


def test_methods_of_a_comparison_are_tested_and_the_level_is_shared():
    examples = a_table(strength=1.2)
    curves = compare_feature_selections(
        examples, naive_bayes, [weight_by_f_test, weight_by_relief], sizes=[1, 2, 5]
    ).curves
    answer = answer_of(examples, curves)
    assert [method.name for method in answer.methods] == ["Weight by Relief"]
    assert answer.alpha == 0.04
    assert answer.method in curves.methods
    lowest = np.nanmin(curves.mean[1])
    assert answer.methods[0].error == pytest.approx(lowest, abs=0.02)  # pooled, not over folds
    assert answer.methods[0].p_value <= 0.005
    with pytest.raises(DataError, match="other rows than those of the table"):
        answer_of(examples.take(range(59, -1, -1)), curves)


def test_labels_move_within_batches_and_whole_groups():
    """A batch that goes with the label is no finding, unless it is forgotten."""
    rng = np.random.default_rng(4)
    batch = np.repeat(["a", "b"], 30)
    y = np.r_[np.arange(30) < 24, np.arange(30) < 6]
    X = rng.normal(size=(60, 60)) + 2 * (batch == "a")[:, None] * rng.normal(size=60)
    frame = pd.DataFrame(X).add_prefix("G").assign(group=np.where(y, "case", "control"))
    free = answer_of(ExampleSet.from_pandas(frame, roles={"group": "label"}))
    assert free.verdict.found
    roles = {"group": "label", "plate": "batch"}
    within = answer_of(ExampleSet.from_pandas(frame.assign(plate=batch), roles=roles))
    assert not within.verdict.found
    assert any('The label is related to the batch "plate"' in d for d in within.verdict.doubts)


def test_several_rows_of_a_patient_are_one_observation():
    """Patients differ from each other; with few of them that is no finding."""
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(12), 6)
    y = patient % 2
    X = rng.normal(size=(12, 40))[patient] + 0.1 * rng.normal(size=(72, 40))
    frame = pd.DataFrame(X).add_prefix("G").assign(group=np.where(y, "case", "control"))
    assert answer_of(ExampleSet.from_pandas(frame, roles={"group": "label"})).verdict.found
    roles = {"group": "label", "patient": "group"}
    answer = answer_of(ExampleSet.from_pandas(frame.assign(patient=patient), roles=roles))
    assert not answer.verdict.found
    assert answer.chance.arrangements == 924


def test_pairs_exchange_their_labels_only_with_each_other():
    rng = np.random.default_rng(3)
    subject = np.tile(np.arange(8), 2)
    after = np.repeat([0, 1], 8)
    X = 3 * rng.normal(size=(8, 40))[subject] + 0.5 * rng.normal(size=(16, 40))
    X[:, 0] += 2 * after
    frame = pd.DataFrame(X).add_prefix("G").assign(when=np.where(after, "after", "before"))
    roles = {"when": "label", "subject": "pair"}
    answer = answer_of(ExampleSet.from_pandas(frame.assign(subject=subject), roles=roles))
    assert answer.chance.arrangements == 2**8


def test_missing_values_and_twins_are_doubts():
    frame = a_table(n=40, p=10).to_pandas()
    frame.iloc[1, :10] = frame.iloc[0, :10]
    gaps = frame.copy()
    gaps.iloc[5, 3] = np.nan
    roles = {"group": "label"}
    original = ExampleSet.from_pandas(gaps, roles=roles)
    answer = answer_of(ExampleSet.from_pandas(frame, roles=roles), None, original)
    assert answer.verdict.doubts == (
        '0.2 % of the values are missing, in "G3". They were filled from all rows, including the '
        "test rows.",
        "2 rows equal another in all attributes. Equal rows in training and test make the "
        "result look better than it is.",
    )


@pytest.mark.parametrize(
    ("examples", "message"),
    [(a_table(n=2), "has 2 rows"), (a_table(rare=0.0), "same value of the label")],
)
def test_a_table_without_two_classes_or_rows_is_refused(examples, message):
    with pytest.raises(DataError, match=message):
        answer_of(examples)


def test_a_single_attribute_can_be_measured():
    answer = answer_of(a_table(p=1, true=1, strength=2.0))
    assert answer.chance.sizes.tolist() == [1]
    assert answer.verdict.found
