import typing

from .lookup import selector as selector
from .process import ProcessEstimator as ProcessEstimator
from .selectors import OperatorSelector as OperatorSelector

def __getattr__(name: str) -> typing.Any: ...
