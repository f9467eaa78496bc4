"""The command `python -m tpclient`."""

import sys

from tpclient.cli import main

sys.exit(main())
