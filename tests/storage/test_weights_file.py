"""Files of attribute weights: our CSV and RapidMiner's XML."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from lxml import etree

from fsops.data import AttributeWeights
from fsops.errors import DataError
from fsops.storage.results import write_weights
from fsops.storage.safe_xml import Limits
from fsops.storage.weights_file import read_weights_file, write_weights_file
from fsops.testing.data import odd_weights

# As RapidMiner 9.7 writes it.
RAPIDMINER = """<?xml version="1.0" encoding="UTF-8"?>
<attributeweights version="9.7">
    <weight name="a1" value="0.25"/>
    <weight name="x &lt; 3" value="-1.0E-4"/>
    <weight name="gone" value="Infinity"/>
</attributeweights>
"""


@pytest.mark.parametrize("suffix", [".csv", ".wgt"])
@pytest.mark.parametrize("name", list(odd_weights("ab")))
def test_weights_come_back_in_their_order(tmp_path, suffix, name):
    weights = odd_weights(["a", "b, c", 'd "e"', "two\nlines", "größe <&>"])[name]
    file = str(tmp_path / f"w{suffix}")
    write_weights_file(weights, file)
    assert read_weights_file(file).equals(weights)


def test_very_many_numbers_are_written_as_few_are(tmp_path, monkeypatch):
    rng = np.random.default_rng(4)
    awkward = [0.0, -0.0, 1.0, -7.0, 1e-4, 9.9e-5, 1e15, 1e16, 1e22, 5e-324, 1.7976931348623157e308]
    values = np.concatenate(
        [
            [*awkward, 0.1 + 0.2, 999999999999999.9, np.inf, -np.inf, np.nan],
            rng.standard_normal(2000) * 10.0 ** rng.integers(-20, 20, 2000),
            rng.integers(0, 10**6, 2000) / 1000,
        ]
    )
    names = [f"a{i}" for i in range(len(values))]
    details = {"statistic": -values, "count": np.arange(len(values)), "kept": values > 0}
    weights = AttributeWeights(names, values, details=details)
    few, many = tmp_path / "few.csv", tmp_path / "many.csv"
    write_weights_file(weights, str(few))
    monkeypatch.setattr("fsops.storage.weights_file.MANY", 1)
    write_weights_file(weights, str(many))
    assert many.read_bytes() == few.read_bytes()
    assert b"a14,-inf,inf,14,False\n" in few.read_bytes()


@pytest.mark.parametrize("suffix", [".csv", ".wgt"])
def test_a_ranking_comes_back_as_a_ranking(tmp_path, suffix):
    ranking = AttributeWeights("abc", [2, 1, 3], best="smallest")
    file = str(tmp_path / f"r{suffix}")
    write_weights_file(ranking, file)
    assert read_weights_file(file).equals(ranking)


def test_details_come_back_in_csv(tmp_path):
    details = {
        "p": np.array([0.1, np.nan]),
        "rank": np.array([2, 1]),
        "kept": np.array([True, False]),
        "why": np.array(["", "a,b"]),
    }
    weights = AttributeWeights(["x", "y"], [1.0, 2.0], details=details)
    write_weights_file(weights, str(tmp_path / "w.csv"))
    assert read_weights_file(str(tmp_path / "w.csv")).equals(weights)


@given(st.lists(st.floats(), min_size=1), st.sampled_from([".csv", ".wgt"]))
@settings(deadline=None, max_examples=40)
def test_every_number_comes_back_bit_for_bit(tmp_path_factory, values, suffix):
    plain = np.where(np.isnan(values), np.nan, values)
    weights = AttributeWeights([f"a{j}" for j in range(len(plain))], plain)
    file = str(tmp_path_factory.mktemp("weights") / f"w{suffix}")
    write_weights_file(weights, file)
    assert read_weights_file(file).equals(weights)


def test_rapidminers_file_is_read(tmp_path):
    file = tmp_path / "yagga.wgt"
    file.write_text(RAPIDMINER)
    weights = read_weights_file(str(file))
    assert dict(weights) == {"a1": 0.25, "x < 3": -1e-4, "gone": np.inf}


def test_what_rapidminer_reads_is_written(tmp_path):
    file = tmp_path / "w.wgt"
    write_weights_file(AttributeWeights(["a", "b"], [0.5, -np.inf]), str(file))
    root = etree.parse(file).getroot()
    assert (root.tag, [dict(e.attrib) for e in root]) == (
        "attributeweights",
        [{"name": "a", "value": "0.5"}, {"name": "b", "value": "-Infinity"}],
    )


def test_results_of_a_run_are_read(tmp_path):
    weights = AttributeWeights(["a", "b"], [0.1, 0.2])
    write_weights(weights, tmp_path / "w.csv")  # best first
    assert dict(read_weights_file(str(tmp_path / "w.csv"))) == {"b": 0.2, "a": 0.1}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no weights"),
        ("a,b\n1,2\n", 'holds no weights: its first columns are "a", "b"'),
        ("attribute,weight\nx,high\n", '"x".*"high", which is not a number'),
        ("attribute,weight\nx\n", "Row 2 .*1 values, but there are 2"),
        ("attribute,weight\nx,1\nx,2\n", 'several weights for "x"'),
        ('attribute,weight\n"x,1\n', "not a table of weights"),
        ("<process/>", "begins with <process>"),
        ("<attributeweights><w/></attributeweights>", "line 1: <w> is not a weight"),
        (RAPIDMINER.replace("0.25", "much"), '"a1".*"much", which is not a number'),
        (RAPIDMINER.replace('"gone"', '"a1"'), 'several weights for "a1"'),
        ("<attributeweights>", "ends too early"),
        ('<!DOCTYPE a [<!ENTITY e "x">]><attributeweights/>', "not allowed"),
    ],
)
def test_what_is_wrong_is_told(tmp_path, text, words):
    file = tmp_path / "w.wgt"
    file.write_text(text)
    with pytest.raises(DataError, match=words):
        read_weights_file(str(file))


def test_weights_of_a_genome_fit_into_xml(tmp_path):
    weights = AttributeWeights([f"a{j}" for j in range(30_000)], np.arange(30_000) / 7)
    write_weights_file(weights, str(tmp_path / "w.wgt"))
    assert read_weights_file(str(tmp_path / "w.wgt")).equals(weights)


def test_too_many_weights_for_xml_are_told(tmp_path, monkeypatch):
    monkeypatch.setattr("fsops.storage.weights_file.XML", Limits(elements=100))
    weights = AttributeWeights([f"a{j}" for j in range(101)], np.zeros(101))
    write_weights_file(weights, str(tmp_path / "w.wgt"))
    with pytest.raises(DataError, match="Write very many weights as CSV"):
        read_weights_file(str(tmp_path / "w.wgt"))


def test_a_name_that_xml_cannot_hold_is_told(tmp_path):
    with pytest.raises(DataError, match="character that XML does not allow"):
        write_weights_file(AttributeWeights(["a\x00"], [1.0]), str(tmp_path / "w.wgt"))
