"""The parameters of an operator that draws random numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from fsops.core.declare.parameters import Expert, When, read_parameter

SEED_PARAMETERS = (
    read_parameter(
        "use_local_random_seed",
        Annotated[
            bool,
            Expert(),
            Field(description="Use a separate seed. Operators with equal seeds draw equal rows."),
        ],
        False,
    ),
    read_parameter(
        "local_random_seed",
        Annotated[
            int,
            Expert(),
            When(use_local_random_seed=True),
            Field(ge=0, description="Seed used only by this operator."),
        ],
        # The default of RapidMiner.
        1992,
    ),
)
