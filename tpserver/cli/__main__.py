"""``python -m tpserver.cli`` is the command ``tpserver``."""

import sys

from tpserver.cli import main

sys.exit(main())
