"""What can go wrong, as exceptions."""
from __future__ import annotations

from typing import NamedTuple, Optional, Sequence


class Message(NamedTuple):
    """A message of the compiler.

    "severity" is "error", "warning" or "remark", "number" that of "cetane explain".
    "line" and "column" count from 1, in bytes; they are 0 without a place.
    "rendered" has the line of the program and a caret, as the command prints it.
    """
    severity: str
    number: int
    line: int
    column: int
    text: str
    rendered: str

    @property
    def code(self) -> str:
        """What "cetane explain" takes, such as "E206"."""
        return f"{self.severity[:1].upper()}{self.number}"

    def __repr__(self) -> str:
        place = f" at {self.line}:{self.column}" if self.line else ""
        return f"<{self.severity} {self.code}{place}: {self.text}>"

    def __str__(self) -> str:
        return self.rendered.rstrip()


class Error(Exception):
    """All errors of this package but TypeError and ValueError for arguments."""


class CompileError(Error):
    """A program did not compile.

    "kind" is "input" (the program is wrong), "usage" (an option is),
    "environment", "limit" or "internal". "message", "file", "line" and "column"
    are those of the first error; "messages" has all.
    """

    def __init__(self, kind: str, file: str,
                 messages: Sequence[Message]) -> None:
        errors = [m for m in messages if m.severity == "error"]
        super().__init__("\n".join(m.rendered.rstrip() for m in errors)
                         or "not enough memory for messages")
        first: Optional[Message] = errors[0] if errors else None
        self.kind, self.file = kind, file
        self.messages = list(messages)
        self.message = first.text if first else ""
        self.line = first.line if first else 0
        self.column = first.column if first else 0
        self.number = first.number if first else 0


class LaunchError(Error):
    """The runtime failed; "status" is an enum cetane_status of cetane_rt.h."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status
