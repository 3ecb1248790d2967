"""``python -m fsops_gui [process.xml]``."""

import sys
from pathlib import Path

from fsops_gui.shell.app import main

if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
