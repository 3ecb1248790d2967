"""Dialogs, the start page and the notice bar: all that asks the user something."""
