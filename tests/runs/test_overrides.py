"""``--set`` and ``--macro``."""

import pytest

from fsops import Process
from fsops.errors import FsopsError, RenamedWarning, UsageError
from fsops.operators import cross_validation, read_csv, retrieve, select_top_k, weight_by_sam
from fsops.runs.overrides import apply_settings, read_macros


@pytest.fixture
def process():
    process = Process()
    process.add(retrieve, name="Data", repository_entry="iris")
    process.add(weight_by_sam, name="Data.v2")
    process.add(select_top_k, name="Top k=5", k=5)
    process.add(read_csv, name="Read", path="x.csv")
    process.add(cross_validation, name="CV", number_of_folds=3)
    return process


def test_the_longest_operator_name_counts(process):
    apply_settings(process, ["Data.v2.s0=0.5", "Data.repository_entry=wine"])
    assert process["Data.v2"].parameters == {"s0": "0.5"}
    assert process["Data"].parameters == {"repository_entry": "wine"}


def test_names_and_values_may_hold_dots_and_equals_signs(process):
    apply_settings(process, ["Top k=5.k=7", "Read.path=a=b.c.csv"])
    assert process["Top k=5"].parameters == {"k": "7"}
    assert process["Read"].parameters["path"] == "a=b.c.csv"


def test_an_alias_in_the_file_is_replaced(process):
    with pytest.warns(RenamedWarning, match='"number_of_validations" is now'):
        overrides = apply_settings(process, ["CV.number_of_validations=4"])
    assert process["CV"].parameters == {"number_of_folds": "4"}
    assert overrides[0].parameter == "number_of_folds"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Read.types=a=real,b=text", [("a", "real"), ("b", "text")]),
        ('Read.types={"a": "real"}', {"a": "real"}),
    ],
)
def test_pairs(process, text, expected):
    apply_settings(process, [text])
    assert process["Read"].parameters["types"] == expected


def test_lists(process):
    apply_settings(process, ["Read.missing_values=?,NA"])
    assert process["Read"].operator.parameter("missing_values").check(
        process["Read"].parameters["missing_values"]
    ) == ["?", "NA"]
    apply_settings(process, ['Read.missing_values=["?", "N,A"]'])
    assert process["Read"].parameters["missing_values"] == ["?", "N,A"]


def test_a_macro_is_not_checked_yet(process):
    apply_settings(process, ["Top k=5.k=%{k}"])
    assert process["Top k=5"].parameters == {"k": "%{k}"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nonsense", "cannot be understood. Write it as Operator.parameter=value."),
        ("a=b", "cannot be understood"),
        ("Data", "cannot be understood"),
        ("Data.repository_entry", "has no value"),
        ("Dta.repository_entry=x", 'there is no operator "Dta". Did you mean "Data"'),
        ("Zzzz.k=1", 'There are "Data", "Data.v2"'),
        ("Data.repo=x", '"Data" has no parameter "repo". There are "repository_entry".'),
        ("Top k=5.kk=x", 'Did you mean "k"?'),
        ("Top k=5.k=0", 'Top k=5: k is "0", but must be a whole number of at least 1.'),
        ("Read.types=[1", "is not JSON"),
        ("Read.types=a", "write a as name=value,name=value"),
    ],
)
def test_what_is_wrong_is_said(process, text, said):
    with pytest.raises(FsopsError) as caught:
        apply_settings(process, [text])
    assert said in str(caught.value)
    assert caught.value.exit_code == 2


def test_macros():
    assert read_macros(["a=1", "b=x=y", "c="]) == {"a": "1", "b": "x=y", "c": ""}


@pytest.mark.parametrize("text", ["a", "=b", " =b", ""])
def test_a_macro_needs_name_and_value(text):
    with pytest.raises(UsageError, match="Write it as name=value"):
        read_macros([text])
