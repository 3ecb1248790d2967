"""The designer: processes drawn, connected, checked and run in a window (PyQt6)."""
