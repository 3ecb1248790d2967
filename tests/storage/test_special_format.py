"""Lines made from a template."""

import pandas as pd
import pytest

from fsops import ExampleSet
from fsops.errors import DataError, ParameterError
from fsops.operators import naive_bayes, write_special_format
from fsops.storage.special_format import SpecialStyle, special_lines

FRAME = pd.DataFrame(
    {"n": [1.25, 0.0, None], "c": ["x", 'y"', None], "key": [1, 2, 3], "y": ["p", "q", "p"]}
)


@pytest.fixture
def table():
    return ExampleSet.from_pandas(FRAME).with_roles({"y": "label", "key": "id"})


def test_every_command_is_replaced(table):
    line = special_lines(table, "$i$t$l $a[;]|$s|$v[n]$$$k[2]$[$]", SpecialStyle())
    assert line[0] == '1\t"p" 1.25;"x"|1:1.25 2:"x"|1.25$"x"[]'
    assert line[1] == '2\t"q" 0;"y\\""|2:"y\\""|0$"y\\""[]'
    assert line[2] == '3\t"p" ?;?|1:? 2:?|?$?[]'


def test_digits_quotes_and_line_ends_are_settings(table, tmp_path):
    file = tmp_path / "out.dat"
    write_special_format(
        table,
        path=str(file),
        special_format="$v[n] $l.",
        fraction_digits=1,
        add_line_separator=False,
        quote_nominal_values=False,
    )
    assert file.read_text() == "1.2 p.0 q.? p."


def test_predictions_and_confidences_are_written(table):
    complete = table.take([0, 1])
    applied = naive_bayes(complete).apply(complete)
    line = special_lines(applied, "$p $d $d[p]", SpecialStyle(fraction_digits=2, quote=False))
    assert line[0].startswith("p conf(p)=")
    assert "conf(q)=" in line[0]


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("$x", "not a command"),
        ("a$", "single"),
        ("$v[nn]", 'names the attribute "nn"'),
        ("$k[9]", "k"),
    ],
)
def test_a_wrong_template_is_explained(table, template, message):
    with pytest.raises(ParameterError, match=message):
        special_lines(table, template, SpecialStyle())


def test_a_missing_role_is_named(table):
    with pytest.raises(DataError, match="has no prediction"):
        special_lines(table, "$p", SpecialStyle())
