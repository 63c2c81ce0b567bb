"""The command cetane of the package, which takes the place of this process."""
from __future__ import annotations

import os
import sys


def main() -> None:
    folder = os.environ.get("CETANE_LIBRARY") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "_lib")
    path = os.path.join(folder, "cetane")
    os.execv(path, [path] + sys.argv[1:])


if __name__ == "__main__":
    main()
