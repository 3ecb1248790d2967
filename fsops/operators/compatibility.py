"""Formulas in which RapidMiner differs from fsops."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

Compatibility = Annotated[
    Literal["fsops", "rapidminer"],
    Field(
        description="Formula to use; the help says how they differ. Processes imported from "
        "RapidMiner use rapidminer."
    ),
]
