"""Widgets and tables that several panels and dialogs use."""
