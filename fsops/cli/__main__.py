"""``python -m fsops.cli`` does what ``fsops`` does."""

from fsops.cli import main

main()
