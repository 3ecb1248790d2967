"""KNIFE: sparse weights of the attributes inside a kernel."""
