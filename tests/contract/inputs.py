"""What the contract tests give to operators beyond what can be made up for them.

Most operators need no entry: tables, weights, models, files and inner processes are made from the
declaration, and a required text comes from ``Field(examples=[...])``.
"""

from typing import Any

PARAMETERS: dict[str, dict[str, Any]] = {
    # Fewer trees than by default: hundreds of calls would take minutes.
    "random_forest": {"number_of_trees": 5},
    "weight_by_random_forest": {"number_of_trees": 5},
}
