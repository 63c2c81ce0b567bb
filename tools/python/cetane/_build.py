"""Programs to outputs, through libcetane."""
from __future__ import annotations

import ctypes
import difflib
import operator
import os
import re
from typing import (Any, Dict, Iterable, List, Mapping, NamedTuple, Optional,
                    Sequence, Tuple, Union)

from . import _library
from ._errors import CompileError, Message

Source = Union[str, "os.PathLike[str]"]
Arch = Union[None, str, Sequence[str]]

KIND = {1: "input", 2: "usage", 3: "environment", 4: "limit"}
SEVERITY = ("error", "warning", "remark")
# What the compiler writes as bytes; all else is text.
BINARY = {"cubin", "fatbin", "object"}
MOST_SIZE = 2**31 - 1


class Text(NamedTuple):
    """A program: its file name, which messages show, and its bytes."""
    name: str
    data: bytes


def is_text(source: Any) -> bool:
    """A text has several lines, a ";" or a brace; else it is a path."""
    return isinstance(source, str) and bool(re.search("[\n;{]", source))


def read_source(source: Source, name: Optional[str]) -> Text:
    """The program "source": a path, or text."""
    if isinstance(source, str) and not source.strip():
        raise ValueError("source is empty: give the text of a program, or the "
                         "path of a file")
    if isinstance(source, str) and is_text(source):
        return Text(name or "program.dsl", source.encode())
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError("source is a text or a path, not "
                        + type(source).__name__)
    path = os.fspath(source)
    try:
        with open(path, "rb") as f:
            return Text(name or path, f.read())
    except FileNotFoundError:
        if isinstance(source, str) and "=" in source:
            raise ValueError(f"there is no file {source!r}; if it is the text of "
                             "a program, its definitions end with ';'") from None
        raise


def whole(what: str, value: Any) -> int:
    """"value" of a size, which "what" names."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} is {value!r}, not an integer") from None
    if number > MOST_SIZE:
        raise ValueError(f"{what} is {number}, beyond {MOST_SIZE}")
    return number


def check_words(options: Mapping[str, Any], own: Tuple[str, ...]) -> None:
    """Is none of the options an argument that is misspelt?"""
    for option in options:
        near = difflib.get_close_matches(option, own, 1, .8)
        if near:
            raise TypeError(f"there is no argument {option}; did you mean {near[0]}?")


def option_words(sizes: Optional[Mapping[str, int]], arch: Arch,
                 options: Mapping[str, Any]) -> Tuple[Tuple[str, Optional[str]],
                                                      ...]:
    """Options of "cetane build" as pairs of a name and a value or None."""
    words: List[Tuple[str, Optional[str]]] = []
    if not isinstance(sizes or {}, Mapping):
        raise TypeError('sizes is a dictionary such as {"N": 8}, not '
                        f"{sizes!r}")
    for size, value in (sizes or {}).items():
        number = whole(f"size {size}", value)
        words.append(("define", f"{size}={number}"))
    if arch is not None:
        words.append(("arch", arch if isinstance(arch, str)
                      else ",".join(arch)))
    for option, value in options.items():
        option = option.replace("_", "-")
        several = isinstance(value, Iterable) and not isinstance(value, str)
        for one in value if several else [value]:
            if one is True:
                words.append((option, None))
            elif one is not False and one is not None:
                words.append((option, str(one)))
    return tuple(words)


class Build:
    """A struct cetane_build after a run: its outputs, messages and loaded code.

    An object can stand in the place of a program; then nothing runs.
    """

    def __init__(self, text: Text) -> None:
        self.lib = _library.compiler()
        self.text = text
        self.handle = self.lib.cetane_build_new(
            os.fsencode(text.name), text.data, len(text.data))
        if not self.handle:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "handle", None):
            self.lib.cetane_build_free(self.handle)

    def run(self, verb: str,
            words: Sequence[Tuple[str, Optional[str]]]) -> None:
        """Run the verb "run", "check" or "inspect"; raises CompileError."""
        for option, value in words:
            if self.lib.cetane_build_set(
                    self.handle, option.encode(),
                    None if value is None else os.fsencode(value)):
                raise MemoryError
        status = getattr(self.lib, "cetane_build_" + verb)(self.handle)
        if status:
            raise CompileError(KIND.get(status, "internal"), self.text.name,
                               self.messages())

    def messages(self) -> List[Message]:
        found = []
        for i in range(self.lib.cetane_build_messages(self.handle)):
            m = self.lib.cetane_build_message(self.handle, i).contents
            found.append(Message(SEVERITY[m.severity], m.number, m.line,
                                 m.column, m.text.decode("utf-8", "replace"),
                                 m.rendered.decode("utf-8", "replace")))
        return found

    def outputs(self) -> Dict[str, Union[str, bytes]]:
        found: Dict[str, Union[str, bytes]] = {}
        for i in range(self.lib.cetane_build_outputs(self.handle)):
            out = self.lib.cetane_build_output(self.handle, i).contents
            data = ctypes.string_at(out.data, out.size)
            kind = out.kind.decode()
            found[kind] = data if kind in BINARY else data.decode(
                "utf-8", "replace")
        return found

    def symbol(self, name: str) -> int:
        """The address of a function of the object, which this build keeps."""
        address = self.lib.cetane_build_symbol(self.handle, name.encode())
        if not address:
            raise CompileError("environment", self.text.name, self.messages())
        return int(address)
