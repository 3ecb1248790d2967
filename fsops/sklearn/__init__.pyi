import typing

from .chance import (
    measure_chance as measure_chance,
    permutation_baseline as permutation_baseline,
    selection_stability as selection_stability,
)
from .process import ProcessEstimator as ProcessEstimator
from .selectors import OperatorSelector as OperatorSelector, selector as selector

def __getattr__(name: str) -> typing.Any: ...
