"""The program and its main window: all other parts are put together here."""
