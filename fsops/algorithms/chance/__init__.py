"""What chance alone gives: permuted labels, exact p-values, and intervals without optimism."""
