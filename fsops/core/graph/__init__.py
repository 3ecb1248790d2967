"""Processes as graphs: one networkx graph per level."""
