r"""Formulas as a terminal can show them: ``\frac{a}{s_0}`` becomes ``a/s₀``."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}_^&~]|\s+|.", re.DOTALL)
SYMBOLS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "Gamma": "Γ", "delta": "δ", "Delta": "Δ",
    "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ", "Theta": "Θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "Lambda": "Λ", "mu": "μ", "nu": "ν", "xi": "ξ",
    "Xi": "Ξ", "pi": "π", "Pi": "Π", "rho": "ρ", "sigma": "σ", "Sigma": "Σ", "tau": "τ", "phi": "φ",
    "varphi": "φ", "Phi": "Φ", "chi": "χ", "psi": "ψ", "Psi": "Ψ", "omega": "ω", "Omega": "Ω",
    "sum": "Σ", "prod": "∏", "int": "∫", "infty": "∞", "partial": "∂", "nabla": "∇", "cdot": "·",
    "times": "×", "div": "÷", "pm": "±", "mp": "∓", "circ": "∘", "ast": "*", "le": "≤", "leq": "≤",
    "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "~", "propto": "∝",
    "equiv": "≡", "ll": "≪", "gg": "≫", "in": "∈", "notin": "∉", "subset": "⊂", "subseteq": "⊆",
    "cup": "∪", "cap": "∩", "setminus": "∖", "emptyset": "∅", "forall": "∀", "exists": "∃",
    "neg": "¬", "wedge": "∧", "vee": "∨", "to": "→", "rightarrow": "→", "mapsto": "↦",
    "Rightarrow": "⇒", "leftarrow": "←", "mid": "|", "vert": "|", "Vert": "‖", "lVert": "‖",
    "rVert": "‖", "lvert": "|", "rvert": "|", "langle": "⟨", "rangle": "⟩", "lfloor": "⌊",
    "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "ldots": "…", "dots": "…", "cdots": "⋯", "top": "⊤",
    "perp": "⊥", "ell": "ℓ", "prime": "′", "hbar": "ℏ", "Re": "Re", "Im": "Im", "lbrace": "{",
    "rbrace": "}", "backslash": "\\", "colon": ":", "quad": "  ", "qquad": "    ",
}  # fmt: skip
_SPACED = frozenset("=≤≥≠≈∝≡<>∈∉⊂⊆→↦⇒←±∓×+·")
_ACCENTS = {
    "bar": "\u0304", "overline": "\u0304", "hat": "\u0302", "widehat": "\u0302", "vec": "\u20d7",
    "tilde": "\u0303", "widetilde": "\u0303", "dot": "\u0307", "ddot": "\u0308",
}  # fmt: skip
_PLAIN_GROUPS = frozenset({
    "text", "mathrm", "mathbf", "mathit", "mathsf", "mathcal", "mathbb", "boldsymbol", "textit",
    "operatorname", "operatorname*", "textbf", "textrm",
})  # fmt: skip
_DROPPED = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "displaystyle",
    "textstyle", "limits", "nolimits", "notag", "nonumber",
})  # fmt: skip
_RAISED = dict(zip("0123456789+-=()in'T⊤*", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿ′ᵀᵀ*", strict=True))
_LOWERED = dict(
    zip("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True)
)
# A number, a letter with accents and indices, or brackets with a power or a root.
_MARKS = "".join({*_ACCENTS.values(), *_RAISED.values(), *_LOWERED.values()} - {"*"})
_SIMPLE = re.compile(rf"\d+(\.\d+)?|[^\W\d_][{_MARKS}]*|√?\([^()]*\)[{_MARKS}]*")


def formula_text(latex: str) -> str:
    """Return a LaTeX formula as Unicode text."""
    text = _Reader(_TOKEN.findall(latex)).sequence()
    lines = [re.sub(r"(?<=\S) {2,3}(?=\S)", " ", line).strip() for line in text.split("\n")]
    return unicodedata.normalize("NFC", "\n".join(lines)).strip()


@dataclass
class _Reader:
    """Reads tokens from left to right; each method consumes tokens and returns their text."""

    tokens: list[str]
    at: int = 0

    def sequence(self) -> str:
        """Return everything up to the closing brace or the end."""
        parts: list[str] = []
        while self.at < len(self.tokens) and self.tokens[self.at] != "}":
            parts.append(self.item(parts))
        self.at += 1
        return "".join(parts)

    def item(self, before: list[str]) -> str:
        """Return the next symbol, command or group."""
        token = self.tokens[self.at]
        self.at += 1
        if token == "{":
            return self.sequence()
        if token in ("_", "^"):
            return _shifted(self.argument(), token)
        if token == "&" or token.isspace():
            return " " if before and not before[-1].endswith((" ", "\n")) else ""
        if token.startswith("\\"):
            return self.command(token[1:], before)
        if token == "-":
            token = "−"
        return _spaced(token, before) if token in _SPACED else "\u00a0" if token == "~" else token

    def argument(self) -> str:
        """Return the argument of a command: a group, or one symbol."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.item([]).strip() if self.at < len(self.tokens) else ""

    def command(self, name: str, before: list[str]) -> str:
        """Return the symbol of a command; an unknown one keeps its name."""
        if name in SYMBOLS:
            symbol = SYMBOLS[name]
            return _spaced(symbol, before) if symbol in _SPACED else symbol
        if name[0].isalpha():
            return self.word(name)
        return {",": " ", ";": " ", ":": " ", "!": "", "|": "‖", "\\": "\n"}.get(name, name)

    def word(self, name: str) -> str:
        """Return a command with its argument."""
        if name in ("frac", "dfrac", "tfrac"):
            return f"{_bracketed(self.argument())}/{_bracketed(self.argument())}"
        if name == "sqrt":
            return f"√{_bracketed(self.argument())}"
        if name in _ACCENTS:
            return "".join(c + _ACCENTS[name] for c in self.argument())
        if name in _PLAIN_GROUPS:
            return self.argument()
        if name in ("begin", "end", *_DROPPED):
            self.drop_name() if name in ("begin", "end") else self.drop_empty_delimiter()
            return ""
        return f"{name} " if self.next_is_letter() else name

    def drop_name(self) -> None:
        """Skip the name of an environment."""
        self.argument()

    def drop_empty_delimiter(self) -> None:
        r"""Skip the dot of ``\left.``, which stands for no bracket."""
        if self.at < len(self.tokens) and self.tokens[self.at] == ".":
            self.at += 1

    def next_is_letter(self) -> bool:
        """Return whether a word would run into what follows."""
        following = self.tokens[self.at] if self.at < len(self.tokens) else ""
        return following.isalnum() or following.startswith("\\")


def _spaced(symbol: str, before: list[str]) -> str:
    """Return a relation or operation with spaces around it; a sign in front has none."""
    last = "".join(before).rstrip()[-1:]
    if not last or last in "([{=<≤,|":
        return f"{symbol} " if symbol not in "+±∓" else symbol
    gap = "" if before[-1].endswith(" ") else " "
    return f"{gap}{symbol} "


def _bracketed(text: str) -> str:
    """Return the text in brackets if it would be ambiguous without them."""
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _shifted(text: str, token: str) -> str:
    """Return an index or a power in small figures where Unicode has them."""
    table = _LOWERED if token == "_" else _RAISED
    plain = text.replace("−", "-").replace(" ", "")
    if plain and all(character in table for character in plain):
        return "".join(table[character] for character in plain)
    return f"{token}{text}" if len(text) == 1 else f"{token}({text})"
