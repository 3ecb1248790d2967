import typing

from .process import ProcessEstimator as ProcessEstimator
from .selectors import OperatorSelector as OperatorSelector, selector as selector

def __getattr__(name: str) -> typing.Any: ...
