"""Processes of RapidMiner (.rmp): the grammar is ours, the operators are translated by rules."""
