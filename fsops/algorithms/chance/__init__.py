"""Results of chance alone: permuted labels, exact p-values, and intervals without optimism."""
