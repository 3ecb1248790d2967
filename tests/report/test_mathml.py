"""Formulas as MathML."""

import pytest
from lxml import etree

from fsops.plugins import plugins
from fsops.report.helptext import blocks_of
from fsops.report.mathml import formula_mathml


def body(latex):
    """Return the formula without its frame."""
    math = etree.fromstring(formula_mathml(latex))
    return "".join(etree.tostring(part, encoding="unicode") for part in math[0][0])


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("x_1", "<msub><mi>x</mi><mn>1</mn></msub>"),
        ("x^2_i", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
        (r"\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>"),
        (r"\tfrac12", "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
        (r"\sqrt x", "<msqrt><mi>x</mi></msqrt>"),
        (r"\beta - 3.5", "<mi>β</mi><mo>−</mo><mn>3.5</mn>"),
        (r"\text{for all}", "<mtext>for\u00a0all</mtext>"),
        (r"10 \text{ if } x", "<mn>10</mn><mtext>\u00a0if\u00a0</mtext><mi>x</mi>"),
        (r"a < b", "<mi>a</mi><mo>&lt;</mo><mi>b</mi>"),
        (r"\sum_i x", '<munder><mo movablelimits="false">∑</mo><mi>i</mi></munder><mi>x</mi>'),
        (r"\left( x \right)", "<mo>(</mo><mi>x</mi><mo>)</mo>"),
        (r"\left. x \right|", "<mi>x</mi><mo>|</mo>"),
        (r"\operatorname{Rel}(x)", '<mi>Rel</mi><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo>'),
        ("}x{", "<mi>x</mi><mrow/>"),
        ("_", "<msub><mrow/><mrow/></msub>"),
    ],
)  # fmt: skip
def test_a_formula_becomes_mathml(latex, expected):
    assert body(latex) == expected


def test_rows_become_a_table():
    math = etree.fromstring(formula_mathml(r"a = b \\ c = d"))
    assert len(math.findall(".//mtr")) == 2


def test_the_source_comes_along_for_whoever_writes_a_paper():
    math = etree.fromstring(formula_mathml(r"a < \frac{1}{2}"))
    assert math.findtext(".//annotation") == r"a < \frac{1}{2}"
    assert math.get("aria-label") == "a < 1/2"


def test_every_formula_of_every_operator_is_well_formed():
    formulas = [
        block.text
        for spec in plugins().registry
        for block in blocks_of(spec.help)
        if block.kind == "formula"
    ]
    assert len(formulas) > 30
    for latex in formulas:
        shown = "".join(etree.fromstring(formula_mathml(latex))[0][0].itertext())
        assert "\\" not in shown, latex
