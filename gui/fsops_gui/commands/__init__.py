"""What the actions do, by theme; `actions.py` says which there are."""
