"""Pure feature-selection algorithms: arrays in, arrays out, one folder per family of methods."""
