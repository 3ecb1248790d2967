"""What the columns of somebody's own table are likely to mean."""

import pytest

from fsops.data import Attribute
from fsops.studies import column_meanings as guesses


def column(*texts):
    return Attribute.nominal("x", texts)


@pytest.mark.parametrize(
    ("text", "encoding", "told"),
    [("Größe", "utf-8", "utf-8"), ("Größe", "latin-1", "latin-1"), ("Größe", "utf-16", "utf-16")],
)
def test_the_encoding_of_a_text_is_found(tmp_path, text, encoding, told):
    file = tmp_path / "x.csv"
    file.write_bytes(text.encode(encoding))
    assert guesses.encoding_of(file) == told


@pytest.mark.parametrize("text", ["2020-01-31", "31.1.2020", "1/31/20", "2020-01-31 12:30:00"])
def test_dates_are_recognized_in_the_usual_ways_to_write_them(text):
    assert guesses.has_dates(column(text))
    assert not guesses.has_dates(column(text, "later"))


def test_rows_are_named_by_counting_or_by_different_numbers_that_are_called_an_id():
    assert guesses.numbers_rows([1, 2, 3, 4], "att1")
    assert guesses.numbers_rows([17, 4, 99], "patient_id")
    assert guesses.numbers_rows([17, 4, 99], "PatientID")
    assert not guesses.numbers_rows([17, 4, 99], "amyloid")
    assert not guesses.numbers_rows([17, 17, 99], "patient_id")
    assert not guesses.numbers_rows([1, 2, float("nan")], "id")
