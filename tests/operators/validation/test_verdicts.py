"""Which rule decides, and the words of the answer."""

import dataclasses

import numpy as np
import pytest

from fsops.data import Band, BeyondChance, ChanceBaseline, Estimate, MethodTest
from fsops.operators.validation.verdicts import Leak, StudyFacts, case_of, verdict_of

FIVE = tuple(BeyondChance(f"G{number}", 0.005) for number in range(5))


def chance(**changed):
    flat = np.array([0.7, 0.9])
    band = Band(flat - 0.3, flat - 0.3, flat - 0.2)
    values = {
        "sizes": np.array([1, 2]), "score_name": "balanced accuracy", "score": flat,
        "score_band": band, "score_limit": 0.65, "guess": 0.5, "criterion": "classification_error",
        "error": 1 - flat, "error_band": band, "majority_error": 0.5, "stability": flat,
        "stability_band": band, "frequency_limit": 0.6, "list_length": 20, "resamples": 50,
        "attribute_limit": 0.3, "permutations": 199, "planned": 199, "arrangements": 1e9,
        "p_value": 0.005, "p_error": 0.005, "p_stability": 0.005, "p_attribute": 0.005,
    }  # fmt: skip
    return ChanceBaseline(**values | changed)


def facts(p=0.005, error=0.005, limit=0.65, orders=1e9, **changed):
    base = StudyFacts(
        chance=chance(p_value=p, p_error=error, score_limit=limit, arrangements=orders),
        estimate=Estimate("balanced accuracy", 0.88, 0.75, 0.96, 0.5, percent=True),
        rows=60,
        class_counts=(30, 30),
        size=2,
        method="",
        best_score=0.9,
        beyond=FIVE[:2],
        methods=(),
        leak=None,
        correlation=0.1,
    )
    return dataclasses.replace(base, **changed)


RELIEF = MethodTest("Relief", 0.1, 0.005)


@pytest.mark.parametrize(
    ("case", "light", "given"),
    [
        ("clear", "green", facts()),
        ("weak", "yellow", facts(p=0.03, error=0.03)),
        ("too few rows", "grey", facts(orders=70)),
        ("too few rows", "grey", facts(class_counts=(56, 4))),
        ("too few rows", "grey", facts(p=0.2, limit=0.86)),
        ("nothing", "red", facts(p=0.06)),
        ("nothing", "red", facts(p=0.045, methods=(MethodTest("Relief", 0.1, 0.02),))),
        ("weak", "yellow", facts(p=0.045)),
        ("stable, not predictive", "yellow", facts(p=0.01, error=0.2)),
        ("label given away", "yellow", facts(leak=Leak("stage", 0.97, 0.6))),
        ("clear", "green", facts(leak=Leak("stage", 0.94, 0.6))),
        ("clear", "green", facts(leak=Leak("stage", 0.97, 0.85))),
        ("redundant", "yellow", facts(beyond=FIVE, correlation=0.7)),
        ("clear", "green", facts(beyond=FIVE, correlation=0.5)),
        ("no single attribute", "yellow", facts(beyond=())),
        # A further method alone: 1 % is for all of them together.
        ("weak", "yellow", facts(p=0.2, error=0.2, methods=(RELIEF, RELIEF))),
        ("nothing", "red", facts(p=0.2, methods=(RELIEF,) * 3)),
    ],
)
def test_the_first_rule_that_fits_decides(case, light, given):
    assert case_of(given) == case
    assert verdict_of(given, ()).light == light


def test_the_sentences_hold_the_numbers():
    assert verdict_of(facts(method="SAM"), ()).text == (
        "Yes. The label can be predicted. A signal was found: 88 % correct on new rows (75 % to "
        '96 %); guessing gives 50 % (p = 0.005). 2 attributes are beyond chance: "G0", "G1". '
        "2 attributes do as well as more (method: SAM)."
    )
    assert verdict_of(facts(p=0.2), ()).text == (
        "No. Nothing was found. Nothing was found beyond chance: 90 % correct at best; shuffled "
        "labels reach 65 % correct in one of 20 orders (p = 0.200). Noise gives such a list of "
        "attributes too: do not report it."
    )
    weak = verdict_of(facts(p=0.03, error=0.03), ()).text
    assert "Shuffled labels do as well in 5 of 199 orders." in weak
    assert "with 60 rows a weak one can be missed." in verdict_of(facts(p=0.2), ()).not_said


def test_unequal_classes_come_first():
    text = verdict_of(facts(class_counts=(52, 8)), ()).sentences[0]
    assert text.startswith("The classes are unequal (52 and 8 rows): always naming the largest")
