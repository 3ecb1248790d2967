"""``python -m fsops``."""

from fsops.cli import main

if __name__ == "__main__":
    main()
