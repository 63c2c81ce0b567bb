"""Programs whose sizes are open, compiled once more for those of calls."""
from __future__ import annotations

import threading
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from ._errors import Error


class Special:
    """Those of one program. "make" compiles it for sizes, each of them a number."""

    def __init__(self, make: Callable[[Tuple[int, ...]], Any], most: int) -> None:
        self.make, self.most = make, most
        self.found: Dict[Tuple[int, ...], Any] = {}
        self.lock = threading.Lock()

    def find(self, sizes: Tuple[int, ...]) -> Any:
        """The program for these sizes, compiled now if there are few others; None: the
        one of open sizes runs, since this does not compile or since it is enough.
        """
        if sizes not in self.found:
            with self.lock:
                if sizes not in self.found and len(self.found) < self.most:
                    self.found[sizes] = self.compiled(sizes)
        return self.found.get(sizes)

    def compiled(self, sizes: Tuple[int, ...]) -> Any:
        try:
            return self.make(sizes)
        except (Error, ValueError):     # a limit, or a number that no size may be
            return None
