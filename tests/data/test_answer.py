"""The answer of a study as a value."""

import dataclasses
import json
import math
import pickle

import numpy as np

from fsops.data import (
    Band,
    BeyondChance,
    ChanceBaseline,
    Estimate,
    MethodTest,
    StudyAnswer,
    Verdict,
)
from fsops.engine.cache.codec import decode, encode


def an_answer(**changed):
    flat = np.array([0.4, 0.5])
    band = Band(flat - 0.1, flat, flat + 0.1)
    chance = ChanceBaseline(
        sizes=np.array([1, 2]),
        score_name="balanced accuracy",
        score=flat,
        score_band=band,
        score_limit=0.7,
        guess=0.5,
        criterion="classification_error",
        error=1 - flat,
        error_band=band,
        majority_error=0.5,
        stability=flat,
        stability_band=band,
        frequency_limit=math.nan,
        list_length=20,
        resamples=50,
        attribute_limit=0.3,
        permutations=48,
        planned=199,
        arrangements=math.inf,
        p_value=0.4,
        p_error=0.5,
        p_stability=0.3,
        p_attribute=0.2,
    )
    verdict = Verdict("nothing", "red", "No. Nothing was found.", ("As by chance.",), "", ("Few.",))
    answer = StudyAnswer(
        verdict=verdict,
        chance=chance,
        estimates=(Estimate("balanced accuracy", 0.51, 0.4, 0.62, 0.5, True),),
        label="group",
        classes=("case", "control"),
        class_counts=(30, 30),
        rows=60,
        attributes=200,
        method="F",
        size=1,
        best_size=2,
        best_score=0.5,
        methods=(MethodTest("Relief", 0.5, 0.7),),
        beyond=(BeyondChance("G1", 0.01),),
    )
    return dataclasses.replace(answer, **changed)


def test_it_says_in_one_line_that_nothing_was_found():
    assert repr(an_answer()) == "<Answer: No. Nothing was found. p = 0.4>"
    assert an_answer().verdict.text == "No. Nothing was found. As by chance."
    assert not an_answer().verdict.found


def test_scores_are_a_table_with_their_intervals():
    frame = an_answer().to_pandas()
    assert frame.loc[0].tolist() == ["balanced accuracy", 0.51, 0.4, 0.62, 0.5]
    assert str(an_answer().main) == "51.0 % (95 % interval 40.0 % to 62.0 %)"


def test_the_bands_are_a_table_by_number_of_attributes():
    frame = an_answer().chance.to_pandas()
    assert frame["attributes"].tolist() == [1, 2]
    np.testing.assert_allclose(frame["kuncheva, chance 95 %"], [0.5, 0.6])


def test_it_survives_pickling_and_the_cache():
    answer = an_answer()
    assert answer.equals(pickle.loads(pickle.dumps(answer)))
    assert answer.equals(decode(encode(answer)))
    assert not answer.equals(an_answer(size=2))


def test_everything_is_there_as_plain_values():
    plain = an_answer().as_dict()
    assert plain["verdict"]["headline"] == "No. Nothing was found."
    assert plain["chance"]["score"] == [0.4, 0.5]
    json.dumps(plain)
