"""Shows formulas as MathML, which browsers draw without a script and without a request."""

from __future__ import annotations

from typing import Any

from docutils import nodes

from fsops.report.mathml import formula_mathml


def setup(app: Any) -> dict[str, bool]:
    """Connect this extension with Sphinx."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(formula_mathml(node.astext(), block=False))
    raise nodes.SkipNode


def _block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="formula">{formula_mathml(node.astext())}</div>')
    raise nodes.SkipNode
