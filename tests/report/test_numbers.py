import math

import pytest

from fsops.report.numbers import column_texts, count_text, counted, number_text, seconds_text


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([27.02934, 0.18312], ["27.029", "0.183"]),
        ([0.5, 0.25], ["0.50", "0.25"]),
        ([0.995, 0.02, 0.0], ["0.995", "0.020", "0.000"]),
        ([1.0, 0.0, 3.0], ["1", "0", "3"]),
        ([12345.678, 1.5], ["12346", "2"]),
        ([1.5e-20, 0.5], ["1.5e-20", "0.5"]),
        ([0.001, 0.01, 0.1, 1.0, 10000.0], ["0.001", "0.01", "0.1", "1", "10000"]),
        ([0.00025, 25000.5], ["0.00025", "25000"]),
        ([1e9, 1.0], ["1e+09", "1"]),
        ([math.nan, math.inf, -math.inf, 1.5], ["?", "∞", "-∞", "1.5"]),
        ([0.0, 0.0], ["0", "0"]),
        ([-2.5, 1.25], ["-2.50", "1.25"]),
        ([], []),
    ],
)
def test_a_column_lines_up(values, texts):
    assert column_texts(values) == texts


def test_single_numbers():
    assert number_text(0.000123456) == "0.00012346"
    assert number_text(3.0) == "3"
    assert count_text(9980) == "9,980"
    assert counted(1, "row") == "1 row"
    assert counted(2000, "row") == "2,000 rows"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.321, "0.32 s"),
        (12.44, "12.4 s"),
        (185, "3 min 05 s"),
        (3600 * 2 + 600, "2 h 10 min"),
    ],
)
def test_durations(seconds, text):
    assert seconds_text(seconds) == text
