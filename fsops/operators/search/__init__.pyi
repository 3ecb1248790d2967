from .brute_force import (
    optimize_selection_brute_force,
)
from .climbing import (
    optimize_selection_hill_climbing,
)
from .evolutionary import (
    optimize_selection_evolutionary,
    optimize_weights_evolutionary,
)
from .parameters import (
    loop_parameters,
    optimize_parameters_grid,
)
from .sequential import (
    optimize_selection,
    optimize_selection_backward,
    optimize_selection_floating,
    optimize_selection_forward,
)
from .weight_guided import (
    optimize_selection_weight_guided,
)

__all__ = [
    "loop_parameters",
    "optimize_parameters_grid",
    "optimize_selection",
    "optimize_selection_backward",
    "optimize_selection_brute_force",
    "optimize_selection_evolutionary",
    "optimize_selection_floating",
    "optimize_selection_forward",
    "optimize_selection_hill_climbing",
    "optimize_selection_weight_guided",
    "optimize_weights_evolutionary",
]
