"""For authors of operators: check that an operator keeps its promises, and make data for tests."""

from fsops.testing.blocks import in_blocks
from fsops.testing.contract import ContractWarning, check_operator, operator_checks
from fsops.testing.data import (
    ODD_NAMES,
    degenerate_tables,
    make_examples,
    odd_weights,
    with_odd_names,
    with_prediction,
)
from fsops.testing.digest import digest
from fsops.testing.plugin import check_plugin

__all__ = [
    "ODD_NAMES",
    "ContractWarning",
    "check_operator",
    "check_plugin",
    "degenerate_tables",
    "digest",
    "in_blocks",
    "make_examples",
    "odd_weights",
    "operator_checks",
    "with_odd_names",
    "with_prediction",
]
