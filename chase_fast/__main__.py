"""``python -m chase_fast`` is the command line."""

import sys

from chase_fast.cli import main

if __name__ == "__main__":
    sys.exit(main())
