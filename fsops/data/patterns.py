r"""Regular expressions of users: one function for all, bounded in time.

Python's ``re`` tries all ways to match: ``(a|a)*$`` on a name of 40 letters never ends, and nothing
can stop it. So patterns are matched by RE2, whose time is linear. RE2 has no lookahead and no
back-references, and its ``\w`` is ASCII: these patterns, and texts that are not plain ASCII, are
matched by the package ``regex`` within a limit of time. docs/decisions/patterns.md has the figures.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fsops.errors import ParameterError

LONGEST = 65_536
"""Characters of a pattern."""
SECONDS = 0.3
"""Time for all texts together where the time is not linear."""
QUICK = 1e-3
"""Seconds that do not count."""
_ATOM = r"\\.|\[\^?\]?[^]]*\]"
_NOT_RE2 = re.compile(r"\\[\dAZuUN]|\{,|\[\[:|\(\?[^:P]|\(\?P[=>]")
"""Parts of a pattern that RE2 does not know, or takes for something else."""
_NESTED = "a character set inside of a set, such as [[:alpha:]]"


class Pattern:
    """A regular expression that whole texts are compared with.

    Parameters
    ----------
    pattern : str
        In Python's notation.
    parameter : str
        Its name, for messages.
    """

    def __init__(self, pattern: str, parameter: str = "pattern") -> None:
        self.pattern = pattern
        self.parameter = parameter
        self._check()
        self._simple = _is_linear(pattern)
        self._re2: Any = (
            None if self._simple or _NOT_RE2.search(pattern) else _compiled_re2(pattern)
        )
        self._other: Any = None
        self._spent = 0.0

    def _check(self) -> None:
        if len(self.pattern) > LONGEST:
            raise ParameterError(
                f"{self.parameter} has {len(self.pattern):,} characters, but at most {LONGEST:,} "
                "are allowed."
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", FutureWarning)
                self._re = re.compile(self.pattern)  # compiling is fast; matching may not be
        except FutureWarning:
            raise self._refusal(f"which has {_NESTED}") from None
        except (re.error, OverflowError, RecursionError) as error:
            raise self._refusal(f"which is not a regular expression: {error}") from None

    def _refusal(self, reason: str) -> ParameterError:
        return ParameterError(
            f'{self.parameter} is "{self.pattern}", {reason}.',
            hint=r'A character with a special meaning, such as ( or +, is written "\(" or "\+".',
        )

    def fullmatch(self, text: str) -> bool:
        """Return whether the whole text matches."""
        return bool(self.matching([text])[0])

    def matching(self, texts: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return for each text whether all of it matches; `ParameterError` if it takes long."""
        listed = list(texts)
        if self._simple:
            fits = self._re.fullmatch
            return np.fromiter((fits(text) is not None for text in listed), bool, len(listed))
        return np.fromiter((self._fits(text) for text in listed), bool, len(listed))

    def _fits(self, text: str) -> bool:
        # On printable ASCII both agree about \w, \d, \s, \b, $ and upper and lower case.
        if self._re2 is not None and text.isascii() and text.isprintable():
            return self._re2.fullmatch(text.encode()) is not None
        return self._bounded("fullmatch", text) is not None

    def sub(self, template: str, text: str) -> str:
        r"""Return the text with each match replaced; ``\g<1>`` in the template is a group."""
        if self._simple:
            return self._re.sub(template, text)
        return str(self._bounded("sub", text, template))

    def _bounded(self, method: str, text: str, *before: str) -> Any:
        """Call a method of the package ``regex``, within the remaining time."""
        import regex

        if self._other is None:
            self._other = regex.compile(self.pattern)
        began = time.perf_counter()
        left = max(SECONDS - self._spent, QUICK)
        try:
            found = getattr(self._other, method)(*before, text, timeout=left)
        except regex.error as error:  # in the template
            raise re.error(str(error)) from None
        except TimeoutError:
            raise ParameterError(
                f'{self.parameter} is "{self.pattern}", which takes too long for "{text[:60]}".',
                hint="Leave out a repetition inside of a repetition, or a lookahead.",
            ) from None
        seconds = time.perf_counter() - began
        # All texts share the limit. Quick ones do not count, however many they are.
        self._spent += seconds if seconds > QUICK else 0
        return found


@lru_cache(maxsize=64)
def user_pattern(pattern: str, parameter: str = "pattern") -> Pattern:
    """Return a regular expression of the user; `ParameterError` says why it cannot be one."""
    return Pattern(pattern, parameter)


def _is_linear(pattern: str) -> bool:
    """Return whether a pattern has no group, no alternative and at most one repetition.

    Python's ``re`` needs no more than linear time then, and is the fastest.
    """
    plain = re.sub(_ATOM, "x", pattern, flags=re.DOTALL)
    return not re.search(r"[(|]", plain) and len(re.findall(r"[*+?{]", plain)) <= 1


def _compiled_re2(pattern: str) -> Any:
    """Return the pattern of RE2; None if RE2 does not know a part of it, or needs much memory."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error:
        return None
