"""Selection: which attributes to keep."""
