from .aggregate import (
    aggregate,
)
from .attributes import (
    rename,
    select_attributes,
)
from .binning import (
    discretize_by_bins,
    discretize_by_deviation,
    discretize_by_entropy,
    discretize_by_frequency,
    discretize_by_user_specification,
)
from .coding import (
    nominal_to_binominal,
    nominal_to_numerical,
    numerical_to_binominal,
    numerical_to_polynominal,
)
from .components import (
    principal_component_analysis,
)
from .expressions import (
    generate_attributes,
    generate_id,
)
from .imputation import (
    impute_knn,
)
from .missing import (
    replace_missing_values,
    replace_missing_values_with_offset,
)
from .noise import (
    add_noise,
)
from .redundancy import (
    remove_correlated_attributes,
    remove_useless_attributes,
)
from .roles import (
    set_role,
)
from .rows import (
    filter_example_range,
    filter_examples,
    shuffle,
    sort,
)
from .sampling import (
    sample,
    sample_bootstrapping,
    sample_stratified,
    split_data,
)
from .scaling import (
    normalize,
)
from .sklearn_transformer import (
    sklearn_transformer,
)
from .tables import (
    append,
    join,
    materialize_data,
    transpose,
)

__all__ = [
    "add_noise",
    "aggregate",
    "append",
    "discretize_by_bins",
    "discretize_by_deviation",
    "discretize_by_entropy",
    "discretize_by_frequency",
    "discretize_by_user_specification",
    "filter_example_range",
    "filter_examples",
    "generate_attributes",
    "generate_id",
    "impute_knn",
    "join",
    "materialize_data",
    "nominal_to_binominal",
    "nominal_to_numerical",
    "normalize",
    "numerical_to_binominal",
    "numerical_to_polynominal",
    "principal_component_analysis",
    "remove_correlated_attributes",
    "remove_useless_attributes",
    "rename",
    "replace_missing_values",
    "replace_missing_values_with_offset",
    "sample",
    "sample_bootstrapping",
    "sample_stratified",
    "select_attributes",
    "set_role",
    "shuffle",
    "sklearn_transformer",
    "sort",
    "split_data",
    "transpose",
]
