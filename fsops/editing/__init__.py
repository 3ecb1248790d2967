"""Edits of processes and questions about them, as an editor needs them; without Qt."""
