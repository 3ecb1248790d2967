"""Statistical quantities: p-values, information, agreement, comparison of methods."""
