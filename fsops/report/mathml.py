r"""Formulas as browsers show them: LaTeX, as far as docstrings use it, as MathML."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

from fsops.report.formula import SYMBOLS, formula_text

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}_^&~]|\s+|\d+(?:\.\d+)?|.", re.DOTALL)
_LETTERS = frozenset("αβγΓδΔεζηθΘικλΛμνξΞπΠρσΣτφΦχψΨωΩℓℏ∞∅")
_LARGE = frozenset({"sum", "prod", "int", "max", "min", "argmax", "argmin", "lim", "sup", "inf"})
_SIGNS = {"sum": "∑"}  # on a terminal a Greek letter stands for it
_GROWING = frozenset(
    {"left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr"}
)
_ACCENTS = {
    "bar": "¯", "overline": "¯", "hat": "^", "widehat": "^", "vec": "→", "tilde": "~",
    "widetilde": "~", "dot": "˙", "ddot": "¨",
}  # fmt: skip
_BLANKS = {",": ".17em", ";": ".28em", ":": ".22em", "!": "-.17em", " ": ".25em",
           "quad": "1em", "qquad": "2em"}  # fmt: skip
_VARIANTS = {"mathbf": "bold", "boldsymbol": "bold", "textbf": "bold"}
_WORDS = frozenset({"text", "mathrm", "mathsf", "mathit", "textit", "textrm", "operatorname",
                    "operatorname*", "mathcal", "mathbb", *_VARIANTS})  # fmt: skip
_DROPPED = frozenset({"displaystyle", "textstyle", "limits", "nolimits", "notag", "nonumber"})
_BRACKETS = {"lbrace": "{", "rbrace": "}", "{": "{", "}": "}", "|": "‖", "%": "%", "_": "_"}


def formula_mathml(latex: str, *, block: bool = True) -> str:
    """Return a LaTeX formula as a ``math`` element that also carries its source."""
    lines = _Reader(_TOKEN.findall(latex.strip())).lines()
    if len(lines) > 1:
        rows = "".join(f"<mtr><mtd>{line}</mtd></mtr>" for line in lines)
        body = f"<mtable>{rows}</mtable>"
    else:
        body = f"<mrow>{''.join(lines)}</mrow>"
    source = f'<annotation encoding="application/x-tex">{escape(latex.strip())}</annotation>'
    display = ' display="block"' if block else ""
    label = escape(" ".join(formula_text(latex).split()), quote=True)
    return f'<math{display} aria-label="{label}"><semantics>{body}{source}</semantics></math>'


@dataclass
class _Reader:
    """Reads tokens from left to right; each method consumes tokens and returns their MathML."""

    tokens: list[str]
    at: int = 0

    def lines(self) -> list[str]:
        """Return the rows of a formula."""
        found = [""]
        while self.at < len(self.tokens):
            if self.tokens[self.at] == r"\\":
                self.at += 1
                found.append("")
            else:
                before = self.at
                found[-1] += self.sequence()
                self.at += self.at == before  # a closing brace too many
        return [line for line in found if line]

    def sequence(self) -> str:
        """Return everything up to a closing brace, the end of the row or the end."""
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] not in ("}", r"\\"):
            token = self.tokens[self.at]
            if token in ("_", "^"):
                parts.append(self.shifted(parts.pop() if parts else "<mrow></mrow>"))
            else:
                parts.append(self.item())
        return "".join(parts)

    def item(self) -> str:
        """Return the next symbol, command or group."""
        token = self.tokens[self.at]
        self.at += 1
        if token == "{":
            inner = self.sequence()
            self.at += 1
            return f"<mrow>{inner}</mrow>"
        if token.startswith("\\"):
            return self.command(token[1:])
        return _symbol(token)

    def argument(self) -> str:
        """Return the argument of a command: a group, or one symbol."""
        self.skip_blanks()
        if self.at >= len(self.tokens):
            return "<mrow></mrow>"
        token = self.tokens[self.at]
        if len(token) > 1 and token.isdigit():  # \frac12 is one half
            self.tokens[self.at : self.at + 1] = [token[0], token[1:]]
        return self.item()

    def skip_blanks(self) -> None:
        """Skip blanks."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1

    def shifted(self, base: str) -> str:
        """Return a base with the index and the power that follow."""
        shifts: dict[str, str] = {}
        while self.at < len(self.tokens) and self.tokens[self.at] in ("_", "^"):
            sign = self.tokens[self.at]
            self.at += 1
            shifts[sign] = self.argument()
        large = base.startswith('<mo movablelimits="false"')
        low, high = ("under", "over") if large else ("sub", "sup")
        if len(shifts) == 2:
            tag = f"m{low}{high}"
            return f"<{tag}>{base}{shifts['_']}{shifts['^']}</{tag}>"
        sign, shift = next(iter(shifts.items()))
        tag = f"m{low if sign == '_' else high}"
        return f"<{tag}>{base}{shift}</{tag}>"

    def command(self, name: str) -> str:
        """Return the symbol of a command; an unknown one keeps its name."""
        if name in _BLANKS:
            return f'<mspace width="{_BLANKS[name]}"/>'
        if name in _BRACKETS:
            return f'<mo stretchy="false">{escape(_BRACKETS[name])}</mo>'
        if name in _LARGE:
            return f'<mo movablelimits="false">{_SIGNS.get(name) or SYMBOLS.get(name, name)}</mo>'
        if name in SYMBOLS:
            return _symbol(SYMBOLS[name])
        return self.word(name)

    def word(self, name: str) -> str:
        """Return a command with its argument."""
        if name in ("frac", "dfrac", "tfrac"):
            return f"<mfrac>{self.argument()}{self.argument()}</mfrac>"
        if name == "sqrt":
            return f"<msqrt>{self.argument()}</msqrt>"
        if name in _ACCENTS:
            accent = f'<mo stretchy="false">{_ACCENTS[name]}</mo>'
            return f'<mover accent="true">{self.argument()}{accent}</mover>'
        if name in _WORDS:
            return self.upright(name)
        if name in _GROWING:
            return self.bracket()
        return self.other(name)

    def other(self, name: str) -> str:
        """Return nothing for what only lays out, and the name of a function."""
        if name in ("begin", "end"):
            self.plain_group()
        if name in ("begin", "end", *_DROPPED):
            return ""
        apply = "<mo>\u2061</mo>" if len(name) > 1 else ""  # the space after log
        return f"<mi>{escape(name)}</mi>{apply}"

    def bracket(self) -> str:
        """Return a bracket as high as its content; a dot means none."""
        found = self.argument().replace(' stretchy="false"', "")
        return "" if found == "<mo>.</mo>" else found

    def upright(self, name: str) -> str:
        """Return words inside a formula, which keep their spaces."""
        text = escape(self.plain_group()).replace(" ", "\u00a0")
        if name.startswith("operatorname"):
            return f"<mi>{text.strip()}</mi>"
        style = ' style="font-weight:bold"' if name in _VARIANTS else ""
        return f"<mtext{style}>{text}</mtext>"

    def plain_group(self) -> str:
        """Return the unchanged text of a group; of a group inside too."""
        self.skip_blanks()
        if self.at >= len(self.tokens) or self.tokens[self.at] != "{":
            self.at += 1
            return "".join(self.tokens[self.at - 1 : self.at])
        depth, start = 0, self.at + 1
        while self.at < len(self.tokens):
            depth += {"{": 1, "}": -1}.get(self.tokens[self.at], 0)
            self.at += 1
            if depth == 0:
                break
        inner = "".join(self.tokens[start : self.at - 1])
        words = formula_text(inner)
        if not words:
            return " "
        return " " * inner[:1].isspace() + words + " " * inner[-1:].isspace()


def _symbol(token: str) -> str:
    if token.isspace() or token == "&":
        return ""
    if token == "~":
        return '<mspace width=".25em"/>'
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token.isalpha() or token in _LETTERS:
        return f"<mi>{escape(token)}</mi>"
    sign = "−" if token == "-" else escape(token)
    fixed = ' stretchy="false"' if token in "()[]|‖⌊⌋⌈⌉⟨⟩" else ""
    return f"<mo{fixed}>{sign}</mo>"
