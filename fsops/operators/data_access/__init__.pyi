from .generate import (
    generate_data,
)
from .read import (
    read_arff,
    read_csv,
    read_excel,
    read_parquet,
    read_weights,
)
from .retrieve import (
    retrieve,
    store,
)
from .write import (
    write_arff,
    write_csv,
    write_excel,
    write_parquet,
    write_weights,
)

__all__ = [
    "generate_data",
    "read_arff",
    "read_csv",
    "read_excel",
    "read_parquet",
    "read_weights",
    "retrieve",
    "store",
    "write_arff",
    "write_csv",
    "write_excel",
    "write_parquet",
    "write_weights",
]
