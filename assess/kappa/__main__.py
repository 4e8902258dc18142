"""Run the command line with `python -m assess.kappa`."""

import sys

from assess.kappa.cli import main

if __name__ == "__main__":
    sys.exit(main())
