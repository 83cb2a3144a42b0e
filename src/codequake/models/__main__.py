"""Fetches the bundled model's weights: ``python -m codequake.models``."""

from __future__ import annotations

import sys

from codequake.errors import CodequakeError
from codequake.models.weights import fetch_weights

try:
    sys.stdout.write(f"{fetch_weights()}\n")
except CodequakeError as problem:
    sys.stderr.write(f"{problem}\n")
    sys.exit(problem.exit_code)
