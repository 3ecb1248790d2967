"""Search for the attributes, weights or parameters that an inner process does best with."""
