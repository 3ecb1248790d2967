from .logging import (
    log,
    log_performance,
    log_to_data,
)

__all__ = ["log", "log_performance", "log_to_data"]
