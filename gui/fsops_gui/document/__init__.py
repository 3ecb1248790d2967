"""The process that is edited: undo, files, autosave, and the check after each edit."""
