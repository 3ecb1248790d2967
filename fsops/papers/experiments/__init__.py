"""One module per paper: each function measures the values of one table or figure."""
