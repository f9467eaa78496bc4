"""Entry point of ``python -m tpserver.cli``, the command ``tpserver``."""

import sys

from tpserver.cli import main

sys.exit(main())
