"""Pure feature-selection algorithms: arrays in, arrays out, one module per family."""
