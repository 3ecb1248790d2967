"""Numbers that were read as texts."""

import pytest

from fsops.data import Attribute
from fsops.data.number_texts import has_decimal_comma, numbers_with_unit, slips

NUMBERS = [f"{number}.5" for number in range(40)]


def column(*texts):
    return Attribute.nominal("x", texts)


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["1,5", "-0,25", "3"], True),
        (["1,5e-3", "2,75"], True),
        (["1,234", "12,500"], False),  # may be thousands
        (["1.5", "2.5"], False),
        (["a,b", "c,d"], False),
        ([], False),
    ],
)
def test_numbers_with_a_decimal_comma_are_told_from_thousands_and_texts(texts, told):
    assert has_decimal_comma(column(*texts)) is told


def test_texts_among_numbers_are_slips():
    assert slips(column(*NUMBERS, "n/a", "<0.01"), ".") == ["n/a", "<0.01"]
    assert slips(column("1,5", *NUMBERS), ".") == ["1,5"]


def test_grades_and_names_are_no_slips():
    assert slips(column("1", "2", "3", "3a"), ".") == []
    assert slips(column(*(f"P{number}" for number in range(40))), ".") == []
    assert slips(column(*NUMBERS), ".") == []


def test_numbers_with_one_unit_are_told_from_names():
    doses = column(*[f"{n}.5 mg" for n in range(20)])
    assert numbers_with_unit(doses, ".")
    assert numbers_with_unit(column(*[f"{n} %" for n in range(20)]), ".")
    assert not numbers_with_unit(column(*[f"{n}a" for n in range(20)]), ".")
    assert not numbers_with_unit(column(*[f"A{n} B" for n in range(20)]), ".")
    assert not numbers_with_unit(column(*[f"{n} m" for n in range(10)] + ["7 kg", "8 kg"]), ".")
