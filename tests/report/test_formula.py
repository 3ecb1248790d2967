import pytest

from fsops.plugins import plugins
from fsops.report.formula import formula_text
from fsops.report.helptext import blocks_of


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{m_+ - m_-}{s + s_0}", "(m₊ − m₋)/(s + s₀)"),
        (r"\frac1n \sum_i x_i", "1/n Σᵢ xᵢ"),
        (r"\tfrac1{2n}", "1/(2n)"),
        (r"\sqrt{s_+^2/n_+}", "√(s₊²/n₊)"),
        (r"(x-\bar x)(y-\hat y)", "(x−x̄)(y−ŷ)"),
        (r"\chi^2 = \alpha \le 3", "χ² = α ≤ 3"),
        (r"a, \qquad b", "a,     b"),
        (r"\mathrm{diff}_j(i)", "diffⱼ(i)"),
        (r"\Big(\frac12\Big)", "(1/2)"),
        (r"\left. x \right|", "x |"),
        (r"p_c^2 + x_{ab}", "p_c² + x_(ab)"),
        (r"e^{-\lambda t}", "e^(−λ t)"),
        (r"X^\top y", "Xᵀ y"),
        (r"\|w\|_1", "‖w‖₁"),
        (r"\min_w f", "min_w f"),
        (r"\log x", "log x"),
        (r"\begin{cases} a \\ b \end{cases}", "a\nb"),
        (r"\unknown{x}", "unknownx"),
        (r"\frac{a", "a/()"),
        ("", ""),
    ],
)
def test_formulas(latex, text):
    assert formula_text(latex) == text


@pytest.mark.parametrize("spec", plugins().registry, ids=lambda spec: spec.key)
def test_formulas_of_all_operators_are_legible(spec):
    for block in blocks_of(spec.help):
        if block.kind == "formula":
            shown = formula_text(block.text)
            assert shown
            assert not set(shown) & set("\\{}")
