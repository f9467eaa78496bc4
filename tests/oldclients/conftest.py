"""Import path of the tests here: the parts of the old client."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
